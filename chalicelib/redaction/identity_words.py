"""Words that announce an identity number, and the form that it has after each of them."""

from typing import NamedTuple

from chalicelib.redaction.sheet import Kind

_DATE = r"(?:\d{1,2}[./\-]\d{1,2}[./\-](?:19|20)\d\d|(?:19|20)\d\d-\d\d-\d\d)(?!\w|[./\-]\d)"
_NEXT = (
    rf"(?!{_DATE}|\d{{1,2}}[:h]\d)(?:[a-z]{{0,3}}\d[a-z0-9]*|(?<=[\-.])[a-z](?![a-z0-9])"
    r"|[b-df-hj-np-tv-xz](?= \d))"
)
ANY = rf"(?!{_DATE})(?:[xyz][ \-](?=\d)|[a-z]{{0,6}})\d[a-z0-9]*(?:[ .\-/]{{1,2}}{_NEXT}){{0,6}}"
"""A pattern of groups of letters and digits, each with a digit; not a date."""
_NIE = r"[xyz][ \-]?\d{7}[ \-]?[a-z]"
_GERMAN_CARD = r"[cfghjklmnprtvwxyz][cfghjklmnprtvwxyz0-9]{8}\d?"
_INDIAN_TAX = r"[a-z]{5}\d{4}[a-z]"
_SWEDISH = r"(?:\d\d)?\d{6}[\-+]?\d{4}"
_BRAZILIAN = r"\d{1,2}\.\d{3}\.\d{3}-[\dx]"
_NINE = r"\d{3}[ .]?\d{3}[ .]?\d{3}"


class IdentityWord(NamedTuple):
    """How a word announces an identity number.

    Attributes:
        form: pattern of the number; for a word with other meanings, only its country's form.
        before: pattern that must end the text before the word: "national" before "insurance".
        after: pattern that must follow the word: "social" after "seguridad".
        kind: `Kind.SSN` for the United States.
    """

    form: str = ANY
    before: str = ""
    after: str = ""
    kind: Kind = Kind.IDENTITY


_PLAIN = """
    nino nhs ppsn pps passport
    steuerid idnr steueridnr steueridentifikationsnummer steuernummer ausweis ausweisnummer ausweisnr
    personalausweis personalausweisnummer reisepass reisepassnummer sozialversicherungsnummer svnr
    rentenversicherungsnummer führerscheinnummer
    nir passeport sécu
    dni nif pasaporte curp
    passaporto contribuinte niss
    bsn burgerservicenummer sofinummer paspoort paspoortnummer rijbewijs rijbewijsnummer
    rijksregisternummer rijksregister insz
    pesel dowód dowod
    passaporte pis pasep eleitor sus tfn cuil cuit rut cédula cedula identificación identificação cni cns
    führerschein führerscheinnr versichertennummer krankenversichertennummer krankenversicherungsnummer
    identiteitskaart identiteitsbewijs rijksregisternr zorgpas
    cpf cnh aadhaar aadhar adhaar adhar
    personnummer samordningsnummer ahv avs
""".split()

WORDS = {
    **dict.fromkeys(_PLAIN, IdentityWord()),
    "ssn": IdentityWord(kind=Kind.SSN),
    "itin": IdentityWord(kind=Kind.SSN),
    "social": IdentityWord(
        after=r"(?: (?:security|insurance|number)(?: (?:number|no\.?))?)?", kind=Kind.SSN
    ),
    "insurance": IdentityWord(before=r"(?:national|nat\.?|social) $"),
    "tax": IdentityWord(after=r"(?:payer)? id\w*(?: number)?"),
    "taxpayer": IdentityWord(after=r" id\w*(?: number)?"),
    "identity": IdentityWord(after=r" (?:card|document|number)"),
    "licence": IdentityWord(before=r"driv\w{2,4}(?:['’]?s)? $"),
    "license": IdentityWord(before=r"driv\w{2,4}(?:['’]?s)? $"),
    "patente": IdentityWord(),
    "steuer": IdentityWord(after=r"[ \-]?(?:id|identifikationsnummer|nummer|nr)"),
    "perso": IdentityWord(_GERMAN_CARD),
    "sécurité": IdentityWord(after=" sociale"),
    "securite": IdentityWord(after=" sociale"),
    "fiscal": IdentityWord(before=r"(?:num[ée]ro|n[°º]|código|codigo) $"),
    "identité": IdentityWord(before=r"(?:carte|pièce)(?: nationale)? d['’]$"),
    "registre": IdentityWord(after=" national"),
    "nie": IdentityWord(_NIE),
    "seguridad": IdentityWord(after=" social"),
    "fiscale": IdentityWord(before=r"cod(?:ice|\.) ?$"),
    "identità": IdentityWord(before=r"carta d['’]$"),
    "cidadão": IdentityWord(before=r"cart[ãa]o (?:de |do )?$"),
    "utente": IdentityWord(_NINE),
    "pan": IdentityWord(_INDIAN_TAX),
    "pnr": IdentityWord(_SWEDISH),
    "sanitaria": IdentityWord(before=r"(?:tarjeta|tessera) $"),
    "permis": IdentityWord(after=" de conduire"),
    "vitale": IdentityWord(before=r"carte $"),
    "african": IdentityWord(after=r" id(?: number)?"),
    "rg": IdentityWord(_BRAZILIAN),
}
