"""The meaning of a value, derived from the name of its key."""

import re
from enum import StrEnum
from functools import lru_cache


class Meaning(StrEnum):
    """What the name of a key says about its value, which decides how the value is redacted."""

    PLAIN = "plain"  # judged by its form
    READABLE = "readable"  # a number under it is a measure, a time or a counter
    TEXT = "text"  # message text: dropped
    PROSE = "prose"  # a reason or a title: a code stays, a sentence is dropped
    LABEL = "label"  # a name: that of a thing stays, that of a person is dropped
    EMAIL = "email"
    PHONE = "phone"
    ORDER = "order"
    TRACKING = "tracking"
    CARD = "card"
    ADDRESS = "address"
    NAME = "name"
    SECRET = "secret"  # noqa: S105 - a meaning, not a secret


_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SPLIT = re.compile(r"[^0-9a-zA-Z]+")

_TEXT_WORDS = frozenset(
    "message messages body bodies content contents text comment comments html snippet excerpt "
    "subject transcript note notes caption plaintext".split()
)
# "message_id" and "body_bytes" describe a message or a body; their values are not message text.
_ABOUT = frozenset(
    "id ids sid uuid guid key keys type types kind status state count counts bytes length len size "
    "hash sha sha256 md5 digest at ts time timestamp epoch ms us ns seconds version template name "
    "url fingerprint index no role format encoding channel direction source event attributes "
    "sent received delivered failed".split()
)
_READABLE_WORDS = frozenset(
    "at ts time times timestamp timestamps epoch ttl expires expiry exp iat nbf date ms us ns s sec "
    "seconds minutes hours days millis micros nanos duration elapsed latency age bytes kb size "
    "length len count counts total attempt attempts retries port version ver v fence sequence seq "
    "offset line lineno pid thread price amount cost quantity qty lease depth rate percent ratio "
    "weight width height memory limit remaining year bucket".split()
)
_SUFFIX = frozenset(
    "number no nr num id ids code ref reference value raw normalized e164 s numbers".split()
)
_BY_WORD = {
    **dict.fromkeys(
        "phone phones phonenumber mobile mobilephone cell cellphone telephone tel fax msisdn whatsapp sms "
        "telefon telefono".split(),
        Meaning.PHONE,
    ),
    **dict.fromkeys("email emails mail emailaddress".split(), Meaning.EMAIL),
    **dict.fromkeys(
        "order orders ordernumber orderid orderno pedido bestellung invoice po purchaseorder".split(),
        Meaning.ORDER,
    ),
    **dict.fromkeys(
        "tracking trackingnumber trackingno trackingid trackingurl trackinglink trackingcompany awb "
        "waybill shipment parcel consignment".split(),
        Meaning.TRACKING,
    ),
    **dict.fromkeys(
        "card cardnumber creditcard iban ssn pan account curp rfc nino nationalid taxid itin nhs passport steuerid dni nif bsn "
        "pesel cpf aadhaar personnummer codicefiscale ahv idcard identitycard driverslicense drivinglicence".split(),
        Meaning.CARD,
    ),
    **dict.fromkeys(
        "cvv cvv2 cvc cvc2 csc cid securitycode codigodeseguridad pruefziffer kartenpruefnummer password passwd "
        "passwort contrasena secret clientsecret token accesstoken authorization apikey pin otp onetimecode "
        "verificationcode birthday birthdate dateofbirth dob geburtsdatum fechanacimiento licenseplate licenceplate "
        "numberplate kennzeichen".split(),
        Meaning.SECRET,
    ),
    **dict.fromkeys(
        "address address1 address2 addresses street street1 street2 addressline postcode postalcode zip zipcode plz city".split(),
        Meaning.ADDRESS,
    ),
    **dict.fromkeys(
        "firstname lastname fullname surname customername recipientname givenname familyname "
        "displayname contactname buyername sendername".split(),
        Meaning.NAME,
    ),
}


_PROSE_WORDS = frozenset("reason description title preview".split())


def meaning(key: str) -> Meaning:
    """What the words of a key say about its value; never raises.

    A key of more than 64 characters, or with other characters than ASCII, says nothing: `PLAIN`.
    """
    if len(key) <= 64 and key.isascii():
        return _meaning(key)
    return Meaning.PLAIN


@lru_cache(maxsize=1024)
def _meaning(key: str) -> Meaning:
    words = [word for part in _SPLIT.split(key) for word in _CAMEL.sub(" ", part).lower().split()]
    if not words:
        return Meaning.PLAIN
    joined = "".join(words)
    last = words[-1]
    if last in _TEXT_WORDS or (any(w in _TEXT_WORDS for w in words) and last not in _ABOUT):
        return Meaning.TEXT
    if joined in _BY_WORD:
        return _BY_WORD[joined]
    if joined == "name":
        return Meaning.LABEL
    if last in _PROSE_WORDS:
        return Meaning.PROSE
    if last in _READABLE_WORDS:
        return Meaning.READABLE
    if {"ip", "mac"} & set(words):
        return Meaning.PLAIN
    core = words[:]
    while len(core) > 1 and core[-1] in _SUFFIX:
        core.pop()
    pair = "".join(core[-2:])
    found = _BY_WORD.get("".join(core)) or _BY_WORD.get(pair) or _BY_WORD.get(core[-1])
    return found or Meaning.PLAIN
