"""Dates of birth: a date that a word for birth announces or follows."""

from chalicelib.redaction.patterns import Hints, lazily
from chalicelib.redaction.sheet import Kind, Sheet

MASK = "***"

_HINTS = Hints(
    "born", "dob", "d.o.b", "birth", "gebor", "geburt", "geb.", "niver", "cumple", "jahrgang", "sono del", "soy del", "sou d", "ben van", "es del", "é de", "est du", "bin vom", "nací", "naci", "né le", "née le", "né un", "née un", "ddn",
    "naiss", "nato", "nata", "nasc", "bday", "nac.", "nac ", "cumplea", "aniversário", "geboort", "verjaardag", "urodz", "född", "födelse",
    "anniversaire", "compleanno", "b. ", anywhere=("b-day", "b'day", "b’day"),
)  # fmt: skip
_NOUNS = (
    r"dob|d\.o\.b\.?|date of birth|birth ?date|geburtsdatum|geb\.-?datum|fecha (?:de )?nac(?:imiento|\.)?|date de naissance|ddn|"
    r"data di nascita|data (?:de nascimento|nasc\.?)|geboortedatum|data urodzenia|födelsedatum|geb\.? ?-?dat\.?"
)
_WORDS = (
    rf"(?:was born|born|{_NOUNS}|birth ?day|b[\-'’]?day|geboren|geburtstag|geb\.|f\.? ?nac(?:imiento)?\.?|cumple(?:a[ñn]os)?|niver|naci[óo]|nac[íi]|"
    r"nacid[oa]|nacimiento|née? (?:le|un)|naissance|nat[oa](?: an?(?: [^\W\d_]+){1,2})? (?:il|l['’])|nascita|"
    r"nasci(?:d[oa])?|nascimento|anivers[áa]rio|anniversaire|compleanno|verjaardag|urodzon[ya]|född)"
)
_MONTHS = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|dic|mär|mai|mei|maa|mrt|okt|dez|gen|mag|giu|lug|set|ott|fev|fév|avr|"
    r"juin|juil|août|aou|déc|out)[^\W\d_]{0,9}"
)
_DATE = (
    r"(?:\d{1,2}[ ]?[/.\-][ ]?\d{1,2}[ ]?[/.\-][ ]?\d{2,4}|\d{4}[/.\-]\d{1,2}[/.\-]\d{1,2}|\d{8}|\d{6}"
    rf"|\d{{1,2}}(?:st|nd|rd|th|er|\.)?(?: (?:de|of))? {_MONTHS}\.?,?(?: (?:de|del|of))? \d{{2,4}}"
    rf"|{_MONTHS}\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|\d{{1,2}} \d{{1,2}} \d{{2,4}}|\d{{1,2}}/(?:19|20)\d\d)(?![\w]|[/.\-]\d)"
)
_FILLER = (
    r"(?: (?:is|was|de|mi|hija|hijo|da|do|minha|meu|filha|filho|on|in|the|my|her|his|am|ist|war|der|den|el|es|fue|en|día|dia|le|est|il|è|é|em|a|of|as|date|un|op|wurde|ich|bin|to|w dniu|"
    r"dd?/mm?/yyyy|mm?/dd?/yyyy))"
)
_THAT_IS = (
    r" (?:it's|its|it is|that's|that is|c'est|das ist|es ist|ist|es|è|é)(?: (?:the|le|der|el|il))?"
)
_ANNOUNCED = lazily(
    rf"(?<!\w){_WORDS}(?!\w)(?:['’]s)?(?: ?\(?(?:dd?|mm?)[/.\-](?:dd?|mm?)[/.\-]yy(?:yy)?\)?)?{_FILLER}{{0,3}}[ \x1f]{{0,2}}[:=\-–(,.]?(?:{_THAT_IS})?"
    rf"[ \x1f]{{0,2}}(?P<date>{_DATE}|[^\W\d_]{{2,16}}(?: de)? {_MONTHS}(?: de)? (?:19|20)\d\d(?!\w))"
)
_OTHER_DAYS = "deliver|liefer|entreg|livrai|conseg|order|bestell|pedid|command|appoint|termin|cita |rendez|arriv|versand|ship|bezorg|encomend"
# "The birth date that you have is wrong, should be ...": the noun marks a date in its sentence.
_MEANT = lazily(
    rf"(?<!\w)(?:{_NOUNS})(?!\w)(?:(?!{_OTHER_DAYS})[^\d.!?\n\x00]){{1,50}}(?<![\w/.\-])(?P<date>{_DATE})"
    r"|(?<!\w)b\. ?(?P<short>\d{1,2}[/.\-]\d{1,2}[/.\-](?:19\d\d|20[01]\d))(?![\w]|[/.\-]\d)"
)
_YEAR = lazily(
    r"(?<!\w)(?:year of birth|birth ?year|geburtsjahr|jahrgang|año de nacimiento|année de naissance|anno di nascita|ano de nascimento|geboortejaar)"
    r"(?: (?:is|was|ist|es|est|è|é))?[ :=]{1,2}(?P<date>(?:19|20)\d\d)(?!\w)"
)
_FOLLOWED = lazily(
    rf"(?<![\w/.\-])(?P<date>{_DATE})(?:[ ,]{{1,2}}(?:is|was|es|ist|est|è|é|\()[ ]?(?:my |mi |mein |meine |ma |la mia |a minha |mijn |su |sua |seu |sein |ihr |the |her |his )?{_WORDS}"
    rf"| geboren|(?: (?:in|à|a|en|em|te) [^\W\d_]{{2,20}})?, (?:das ist|that's|c'est|es|è|é) (?:my|mein|ma|mi|la mia|a minha) (?:{_NOUNS}))(?!\w)"
)

# "My grandmother is of 12 January 37": a person, and a day in a past year.
_OF_A_PERSON = lazily(
    r"(?<!\w)(?:soy|sono|sou|je suis|ik ben|ich bin|geworden,|(?:abuel[ao]|madre|padre|hij[ao]|mamie|papi|m[èe]re|p[èe]re|fil(?:le|s)|"
    r"nonn[ao]|figli[ao]|av[óô]|m[ãa]e|pai|filh[ao]|oma|opa|moeder|vader|dochter|zoon) (?:es|est|è|é|is|ist)) (?:nat[oa] |né |née )?"
    rf"(?:del|de|du|van|vom|d'|em|am) (?P<date>(?:\d{{1,2}}|[^\W\d_]{{3,14}})(?:er|\.)?(?: de)? {_MONTHS}(?: del?)? (?:19\d\d|20[01]\d|\d\d)(?!\w)"
    r"|\d{1,2}[/.\-]\d{1,2}[/.\-](?:19\d\d|20[01]\d))(?!\w)"
    rf"|(?<!\w)jahrgang (?:19|20)?\d\d,? (?:genau|am|vom)(?: dem)? (?P<exact>{_DATE})"
)


def mask_births(sheet: Sheet) -> None:
    """Mask each date of birth: a date that a word for birth announces or follows; other dates stay."""
    if not sheet.holds(_HINTS):
        return
    for pattern in (_ANNOUNCED(), _YEAR(), _FOLLOWED(), _MEANT(), _OF_A_PERSON()):
        for match in pattern.finditer(sheet.low):
            sheet.claim(*match.span(match.lastgroup or 0), Kind.BIRTH, MASK)
        sheet.settle()
