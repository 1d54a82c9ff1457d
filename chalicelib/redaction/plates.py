"""Vehicle plates: beside a word for a plate, or by their form after a word for a vehicle."""

import re
from collections.abc import Iterator

from chalicelib.redaction.announced import Announcer, claim_all, words_in
from chalicelib.redaction.evidence import Sign
from chalicelib.redaction.patterns import lazily
from chalicelib.redaction.sheet import Claim, Kind, Sheet
from chalicelib.redaction.vocabulary import Topic

MASK = "***"

_L = "[a-zäöü]"
_SEP = r"[ \-·.]?"
_NATIONAL = (
    r"[a-z]{2}\d\d ?[a-z]{3}"  # UK
    r"|[a-z]{2}(?P<g>[ \-]?)\d{3}(?P=g)[a-z]{2}"  # FR, IT
    r"|\d{4}[ \-]?[bcdfghjklmnprstvwxyz]{3}|[a-z]{1,2}-\d{4}-[a-z]{1,2}"  # ES, since 2000 and before
    rf"|{_L}{{1,3}}-{_L}{{1,2}}[ \-]?\d{{1,4}}[eh]?"  # DE
    r"|[a-z]{2}-\d\d-[a-z]{2}|\d\d-[a-z]{2}-\d\d|[a-z]{2}-\d\d-\d\d|\d\d-\d\d-[a-z]{2}"  # PT, NL
    r"|[a-z]{2}-\d{3}-[a-z]|\d\d-[a-z]{3}-\d|\d-[a-z]{3}-\d\d|[a-z]-\d{3}-[a-z]{2}"  # NL
    r"|[1-9]-[a-z]{3}-\d{3}|c-\d{4}-[a-z]{3}|\d{3}-[a-z]{1,2}-\d{1,6}"  # BE, ES, IE
    r"|(?:ag|ai|ar|be|bl|bs|fr|ge|gl|gr|ju|lu|ne|nw|ow|sg|sh|so|sz|tg|ti|ur|vd|vs|zg|zh) \d{3} \d{3}"  # CH
    r"|[a-z]{3}-?\d[a-j]\d\d"  # BR
    r"|[a-z]{2}[ \-]?\d\d?[ \-]?[a-z]{1,3}[ \-]?\d{4}"  # IN
)
_SPACED = (
    r"[a-z]{2} \d\d [a-z]{3}|[a-z]\d{1,3} ?[a-z]{3}"  # UK with a space more, and before 2001
    rf"|{_L}{{1,3}}(?:[ \-·.]{_L}{{1,3}})?{_SEP}\d[a-z0-9]{{0,6}}(?: \d{{3}})?"
    r"|\d{1,3}-?[a-z]{2,4}-?\d{1,4}|\d{3,4} [a-z]{2,3} \d\d|\d{3} [a-z]{3}|[a-z]{1,2} \d[a-z]\d{3}[a-z]"
)
"""Other forms of plates, which count only right beside a word for a plate."""
_LEAST, _MOST = 5, 10  # letters and digits
_REACH = 48
_NEAR = 16  # letters before a word
_FILLER = (
    r"(?:is|s|was|are|no|nr|num|number|nummer|numéro|numero|número|plate|plates|licence|license|registration|reg|my|the|car|van|auto|"
    r"ist|lautet|war|vom|mein|meine|meines|wagens|autos|es|era|el|la|de|mi|del|coche|vehículo|furgoneta|c'est|est|était|le|ma|du|"
    r"d'immatriculation|immatriculation|voiture|véhicule|belge|è|era|della|mia|macchina|é|do|da|o|a|meu|minha|carro|van|mijn|met|"
    r"het|to|samochodu|rejestracyjny|bil|california|texas|uk)"
)
_DIRECT = lazily(
    rf"(?:[\s\x1f:=#\-–.,(\"'’]{{0,3}}(?<![^\W\d_]){_FILLER}(?![^\W\d_])){{0,6}}[\s\x1f:=#\-–.,(\"'’]{{0,3}}"
    rf"(?<!\w)(?P<plate>{_NATIONAL}|{_SPACED})(?![\w]|-\w)"
)
_APART = lazily(rf"(?<![\w\-/#])(?P<plate>{_NATIONAL}|{_L}{{1,3}} {_L}{{2}} \d{{2,4}})(?![\w]|-\w)")
# "The old plate of ours": other words, then a plate in capitals.
_LATER = lazily(rf"(?: [^\W\d_]{{2,14}}){{1,2}} (?P<plate>{_NATIONAL})(?![\w]|-\w)")
_BEFORE = lazily(
    rf"(?<![\w\-/#])(?P<plate>{_NATIONAL}|{_SPACED})"
    r" ?(?:is|ist|es|est|è|é|to|,? that's|,? das ist|=|\(|,)(?: ?(?:my|the|our|mein|das|unser|mi|la|ma|mia|minha|a|mijn|car|car's|van's|number|licen[cs]e|"
    r"reg|registration|numer|plaque|d'|numberplate|vehicle)){0,4} ?$"
)
_NOT_AFTER = lazily(
    r"(?:order|orders|pedido|bestellung|bestelling|commande|ordine|encomenda|zamówienie|invoice|item|items|article|artikel|artículo|articolo|"
    r"artigo|sku|code|c[óo]digo|codice|ref|model|modell|modelo|modèle|modello|part|serial|size|voucher|coupon|flight|room|tracking)"
    r"(?: (?:no|nr|number|nummer|id|is|code|n[º°]))?[ .:#]{0,3}$"
)
_PLATE_WORDS = frozenset(
    """kennzeichen autokennzeichen nummernschild autonummer kontrollschild plaque immatriculation immatriculée immatriculé
    matrícula matricula targa targata targato placa kenteken nummerplaat registreringsnummer regnr rejestracja rejestracyjny rejestracyjne
    immat plaat placas versicherungskennzeichen wunschkennzeichen chapa
    plate plates numberplate registration reg tag tags""".split()
)
_VEHICLES = frozenset(
    """car van truck lorry vehicle motorbike parked clamped auto wagen pkw lkw geparkt voiture camion véhicule garée coche furgoneta
    vehículo aparcado macchina veicolo furgone carro carrinha veículo estacionado vrachtwagen busje geparkeerd bil samochód
    garé parcheggiato parcheggiata aparcada estacionada steh stehe trailer anhänger remorque rimorchio remolque reboque aanhanger
    moto scooter ciclomotor motorrad motorino brommer motor golf polo punto panda fiesta corsa clio yaris""".split()
)
_WORDS = _PLATE_WORDS | _VEHICLES
_NAMED = lazily(
    r"(?:licen[cs]e|number|private|personal|texas|california|florida|irish|german|french|reg|registration|car|car's|van|van's|vehicle|my|his|her|our|me) $"
)
_NUMBER = lazily(r" (?:number|no\.?|nr\.?|#)(?!\w)")
_VAN = lazily(r"(?:my|a|the|our|your|his|her|white|black|blue|red|grey|silver) $")
# Short common words, which the letters of a plate in lower case might be.
_COMMON = frozenset(
    """am um im in on at by for bis von zu is it an le la el de il del of to no the per der die das les des por até om op en et und and
    or has war are was hat ist est son due may""".split()
)
_LETTERS = re.compile(r"[^\W\d_]+")
_GOODS = frozenset({Topic.ORDER, Topic.TRACKING, Topic.CATALOGUE, Topic.THING})


def mask_plates(sheet: Sheet) -> None:
    """Mask whole vehicle plates, found beside a word; codes of goods, which may look alike, stay."""
    claim_all(sheet, _claims(sheet))


def _claims(sheet: Sheet) -> Iterator[Claim]:
    for word in words_in(sheet, _WORDS):
        match, sign = _beside(sheet.low, word) if _is_meant(sheet, word) else (None, Sign.FORM)
        if match is not None and _is_plate(sheet, match, is_direct=sign is Sign.WORD_BEFORE):
            yield Claim(*match.span("plate"), Kind.PLATE, MASK, (sign,))


def _is_meant(sheet: Sheet, word: Announcer) -> bool:
    """Whether a word with other meanings, such as "tag" or "van", means a plate or a vehicle here."""
    low, near = sheet.low, max(0, word.start - _NEAR)
    match word.text:
        case "plate" | "plates":
            is_named = _NAMED().search(low, near, word.start) is not None
            return is_named or _NUMBER().match(low, word.end) is not None
        case "tag" | "tags":
            return not _VEHICLES.isdisjoint(sheet.vocabulary)
        case "van":  # Dutch for "of"
            return _VAN().search(low, near, word.start) is not None
    return True


def _beside(low: str, word: Announcer) -> tuple[re.Match[str] | None, Sign]:
    """The match of a plate before or after a word for a plate or a vehicle; None for none.

    With it, the sign (a reason with a weight) that says whether the word is right beside or only near.
    """
    if word.text in _PLATE_WORDS:
        match = _DIRECT().match(low, word.end, word.end + _REACH)
        if match is None:
            match = _LATER().match(low, word.end, word.end + _REACH)
            if match is not None:
                return match, Sign.WORD_NEAR
            match = _BEFORE().search(low, max(0, word.start - _REACH), word.start)
        if match is not None:
            return match, Sign.WORD_BEFORE
    return _APART().search(low, word.end, word.end + _REACH), Sign.WORD_NEAR


def _is_plate(sheet: Sheet, match: re.Match[str], *, is_direct: bool) -> bool:
    start, end = match.span("plate")
    shown = sheet.cased[start:end]
    kept = sum(map(str.isalnum, shown))
    if not _LEAST <= kept <= _MOST or not any(map(str.isdigit, shown)):
        return False
    if not shown.isupper():
        groups = _LETTERS.findall(match["plate"])
        if not is_direct or not _COMMON.isdisjoint(groups):
            return False
    if _NOT_AFTER().search(sheet.low, max(0, start - 24), start):
        return False
    near = sheet.context_before(start)
    return is_direct or not (near.topic in _GOODS and near.governs)
