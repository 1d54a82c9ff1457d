"""Dates of birth: a date that a word for birth announces or follows."""

from chalicelib.redaction.patterns import Hints, lazily
from chalicelib.redaction.sheet import Kind, Sheet

MASK = "***"

_HINTS = Hints(
    "born", "dob", "d.o.b", "birth", "gebor", "geburt", "geb.", "nací", "naci", "né le", "née le",
    "naiss", "nato il", "nata il", "nasc", "bday", "nac.", "nac ", "cumplea", "aniversário",
    "anniversaire", "compleanno", anywhere=("b-day",),
)  # fmt: skip
_WORDS = (
    r"(?:was born|born|dob|d\.o\.b\.?|date of birth|birth ?date|birth ?day|b-?day|geboren|geburtsdatum|geburtstag|geb\.(?:-?datum)?|f\.? ?nac\.?|fecha nac\.?|cumplea[ñn]os|naci[óo]|nac[íi]|"
    r"nacid[oa]|fecha de nacimiento|nacimiento|née? le|date de naissance|naissance|nat[oa] il|data di nascita|nascita|"
    r"nasci(?:d[oa])?|data de nascimento|nascimento|data nasc\.?|anivers[áa]rio|anniversaire|compleanno)"
)
_MONTHS = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|dic|mär|mai|okt|dez|gen|mag|giu|lug|set|ott|fev|fév|avr|"
    r"juin|juil|août|aou|déc|out)[^\W\d_]{0,9}"
)
_DATE = (
    r"(?:\d{1,2}[ ]?[/.\-][ ]?\d{1,2}[ ]?[/.\-][ ]?\d{2,4}|\d{4}[/.\-]\d{1,2}[/.\-]\d{1,2}|\d{8}|\d{6}"
    rf"|\d{{1,2}}(?:st|nd|rd|th|er|\.)?(?: (?:de|of))? {_MONTHS}\.?,?(?: (?:de|del|of))? \d{{2,4}}"
    rf"|{_MONTHS}\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|\d{{1,2}} \d{{1,2}} \d{{2,4}})(?![\w]|[/.\-]\d)"
)
_FILLER = r"(?: (?:is|was|on|in|the|my|her|his|am|ist|war|der|den|el|es|fue|en|día|dia|le|est|il|è|é|em|a|of|as|date|mm/dd/yyyy|dd/mm/yyyy))"
_THAT_IS = r" (?:it's|its|it is|that's|that is|c'est|das ist|es ist|ist|es|è|é)"
_ANNOUNCED = lazily(
    rf"(?<!\w){_WORDS}(?!\w){_FILLER}{{0,3}}[ \x1f]{{0,2}}[:=\-–(,]?(?:{_THAT_IS})?[ \x1f]{{0,2}}(?P<date>{_DATE})"
)
_FOLLOWED = lazily(
    rf"(?<![\w/.\-])(?P<date>{_DATE})(?:[ ,]{{1,2}}(?:is|was|es|ist|est|è|é|\()[ ]?(?:my |mi |mein |meine |ma |la mia |a minha |the |her |his )?{_WORDS}"
    r"| geboren)(?!\w)"
)


def mask_births(sheet: Sheet) -> None:
    """Claim dates of birth whole; other dates stay."""
    if not sheet.holds(_HINTS):
        return
    for pattern in (_ANNOUNCED(), _FOLLOWED()):
        for match in pattern.finditer(sheet.low):
            sheet.claim(*match.span("date"), Kind.BIRTH, MASK)
        sheet.settle()
