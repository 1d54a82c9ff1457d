"""Card check numbers, PINs and one-time codes, before or after their word."""

from chalicelib.redaction.evidence import Sign
from chalicelib.redaction.patterns import Hints, lazily
from chalicelib.redaction.sheet import Kind, Sheet

MASK = "***"

_IS = r"(?: (?:code|the|is|was|it's|its|es|ist|lautet|war|est|è|é|era|for my card|for the card|of my card|of the card|de la tarjeta|de mi tarjeta|number|nummer|meiner karte))*"
_CODES = lazily(
    r"(?<!\w)(?:cvv2?|cvc2?|csc|cvn2?|cid|security (?:code|number)|card (?:verification|check)(?: (?:code|number|value))?|"
    r"verification value|c[óo]digo de (?:seguridad|verificaci[óo]n)|(?:karten)?prüf(?:ziffer|nummer)|"
    r"pr(?:ue|u)fziffer|sicherheits(?:code|nummer)|cryptogramme|code de s[ée]curit[ée]|codice di sicurezza|"
    r"c[óo]digo de segurança|pin(?:[ \-]?(?:code|nummer|number|n[úu]mero))?|geheim(?:zahl|nummer)|code secret|c[óo]digo secreto|codice segreto|clave (?:secreta|din[áa]mica)|"
    r"(?:verification|confirmation|auth(?:entication|ori[sz]ation)?|activation|recovery|door|gate|entry|login|log-in|sign-?in|access|one[ -]time|2fa|mfa|sms)"
    r" ?(?:code|password|passcode|pin|token)|"
    r"(?P<plain>(?:your|my|the|ihr|dein|mein|der|tu|su|mi|el|votre|mon|le|meu|o|il mio|il) (?:code|c[óo]digo|codice))"
    r"(?=(?: (?:is|ist|lautet|es|est|è|é))? ?[:=]| (?:is|ist|lautet|es|est|è|é) | \d{4})|"
    r"otp(?: code)?|passcode|c[óo]digo (?:de acceso|de un solo uso|sms)|"
    r"(?:best[äa]tigungs|einmal|zugangs|verifizierungs|freischalt|sms-?)(?:code|passwort|kennwort)|tan|code de (?:v[ée]rification|connexion|confirmation)|c[óo]digo de (?:verifica[çc][ãa]o|acesso|confirma\w+)|codice (?:di verifica|di accesso|otp|pin))"
    rf"(?!\w){_IS}[ \x1f]{{0,2}}[:=#\-–]?[ \x1f\"'(]{{0,3}}(?P<secret>\d{{3,4}}(?: \d{{3,4}}|-\d{{3,4}})?|\d{{5,8}}|\d\d(?: \d\d){{1,3}}|\d(?: \d){{2,3}}"
    r"|[a-z]-\d{6}|(?=[a-z]*-?[a-z]*\d)[a-z0-9]{3,4}-[a-z0-9]{3,4}|(?=[a-z]{0,7}\d)[a-z0-9]{6,8})"
    r"(?![\w]|[.,\-/]\d| \d)"
)
_CODES_BEFORE = lazily(
    r"(?<![\w#/.,\-])(?P<secret>\d{4,8}|\d{3}[ \-]\d{3})(?: (?:is|was|as|es|era|ist|war|lautet|als|como|comme|come|est|è|é)|,? (?:that's|das ist|c'est|het is)| ?[:=\-–(])"
    r" ?(?:(?:my|the|your|mi|el|tu|su|mein|der|dein|ihr|mon|le|votre|ton|il|mio|tuo|o|meu|seu|que|that|was|me|you|i|got|received) ?){0,3}"
    r"(?:(?:verification|confirmation|security|login|access|one[ -]time|2fa|sms|auth\w*|pin|otp) ?){0,2}"
    r"(?:code|pin|otp|passcode|cvv|cvc|tan|c[óo]digo(?: (?:de \w+|sms|pin))?|codice(?: di \w+)?|code de \w+|"
    r"(?:best[äa]tigungs|sicherheits|einmal|zugangs|verifizierungs|sms-?)code)(?!\w)(?! (?:postal|postale))"
)
# "I got a text with code 558201": six digits some words after it.
_CODE_APART = lazily(
    r"(?<!\w)(?:(?P<about>[^\W\d_]+) )?(?:code|c[óo]digo|codice)(?!\w)(?P<of>(?: (?:de|do|di) [^\W\d_]+)?)"
    r"(?:[ ,:]{1,2}[^\W\d_]+){0,6}?[ ,:]{1,2}(?P<secret>\d{6}|\d{3} \d{3})(?![\w]|[.,\-/]\d| \d)"
    r"|(?<!\w)(?:(?P<about2>[^\W\d_]+) )?(?:code|c[óo]digo|codice):? (?P<secret2>\d{4})(?![\w]|[.,\-/]\d| \d)"
)
_DOOR = (
    r"(?:al+arm\w*|t[üu]r|haust[üu]r|tor|door|gate|garage|building|porta|porte|portail|puerta|portal|port[ãa]o|portone|immeuble|edificio|"
    r"deur|voordeur|poort|keysafe|key ?(?:safe|box)|lock ?box|safe|entrance|entrada|entrée|ingresso|ingang|eingang|cancello)"
)
_SAFES = (
    r"(?:key ?(?:safe|box)|lock ?box|caja de (?:las )?llaves|boîte à clés|schlüssel(?:kasten|box|tresor|safe)|caixa das chaves|"
    r"cassetta delle chiavi|sleutel(?:kluis|kastje|box)|digicode|keypad|padlock|candado|cadenas|lucchetto|cadeado|hangslot)"
)
_ENTRY = r"\d(?:-\d){3,5}|\d{4,8}|(?=[a-z]{0,4}\d)(?=\d*[a-z])[a-z0-9]{4,8}"
_END = r"(?![\w]|[.,\-/:]\d| ?(?:€|\$|£|km|kg|g|cm|mm)(?!\w))"
# Codes of doors and alarms, and a PIN some words after its name.
_ENTRIES = lazily(
    rf"(?<!\w)(?:(?:code|c[óo]digo|codice|clave|combina\w+)(?: (?:de|del|da|do|della|dell['’]|der|du|van|of|for|the|la|el|le|l['’]|d['’]|to|on|vom|zur|für)){{0,3}}[ '’]?{_DOOR}"
    rf"|{_DOOR}[ \-]?(?:code|pin)|alarm(?:anlagen)?code|t[üu]rcode|deurcode|alarmcode|toegangscode|{_SAFES})(?!\w)[^\d.?!\n\x00]{{0,30}}?(?<![\w\-])(?P<secret>{_ENTRY}){_END}"
    rf"|(?<!\w)(?:pin|pin[ \-]?code|pincode|nip)(?!\w)(?: (?!order|pedido|parcel)[^\W\d_]+(?:['’][^\W\d_]*)?){{0,5}} ?[:=]? ?(?P<secret2>\d{{4}}|\d{{6}}){_END}"
    rf"(?:[^\d\n\x00]{{0,24}}(?:mine|mía|meine|la mienne|la mia|a minha|de mijne) (?:is|es|ist|est|è|é) (?P<secret3>\d{{4}}|\d{{6}}){_END})?"
)
_OTHER_CODES = frozenset(
    """error status http response exit return reason dial discount promo voucher coupon postal zip area country item product sort bar color colour dress gift article
    artículo producto produto artigo articolo descuento remise barras barre sconto desconto""".split()
)
_CODE_HINTS = Hints(
    "csc", "cvn", "cid ", "código", "codigo", "codice", "pin ", "pin:", " pin", "otp", "geheimzahl", "clave ", "tan ", "tan:",
    "cryptogramme", "security num", "verification va", "sicherheitsn", "card check",
    "nip", "alarm", "allarm", "combin", "caja", "boîte", "schlüssel", "caixa", "cassetta", "sleutel", "keypad", "padlock",
    "candado", "cadenas", "lucchetto", "cadeado", "hangslot",
    anywhere=("keysafe", "key safe", "keybox", "key box", "lockbox", "lock box", "code", "cvv", "cvc", "prüf", "fziffer", "passwor", "kennwort", "token"),
)  # fmt: skip


def mask_security_codes(sheet: Sheet) -> None:
    """Mask card check numbers, PINs, one-time codes and codes of doors by the words beside them."""
    if not sheet.holds(_CODE_HINTS):
        return
    for match in _ENTRIES().finditer(sheet.low):
        for group in ("secret", "secret2", "secret3"):
            if match[group]:
                sheet.claim(*match.span(group), Kind.SECRET, MASK, (Sign.WORD_BEFORE,))
    sheet.settle()
    for pattern in (_CODES(), _CODES_BEFORE(), _CODE_APART()):
        for match in pattern.finditer(sheet.low):
            named = match.groupdict()
            about = {
                named.get("about"),
                named.get("about2"),
                (named.get("of") or "").rpartition(" ")[2],
            }
            group = "secret" if named["secret"] else "secret2"
            if named.get("plain") and any(map(str.isalpha, named["secret"])):
                continue  # "your code is SAVE10" may name a voucher
            if _OTHER_CODES.isdisjoint(about):
                sheet.claim(*match.span(group), Kind.SECRET, MASK, (Sign.WORD_BEFORE,))
        sheet.settle()
