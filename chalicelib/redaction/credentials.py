"""Secrets that people paste: passwords, keys and tokens of vendors, security and one-time codes.

Each is masked whole. A pass begins with a cheap look for the words and prefixes, so that a text
without any costs next to nothing.
"""

from chalicelib.redaction.patterns import holds_any, lazily
from chalicelib.redaction.sheet import Kind, Sheet

MASK = "***"

_IS = r"(?: (?:is|was|it's|its|es|ist|lautet|war|est|for my card|of my card|de mi tarjeta|number|nummer|meiner karte))*"
_CODES = lazily(
    r"(?<!\w)(?:cvv2?|cvc2?|csc|cvn2?|cid|security (?:code|number)|card (?:verification|check)(?: (?:code|number|value))?|"
    r"verification value|c[óo]digo de (?:seguridad|verificaci[óo]n)|(?:karten)?prüf(?:ziffer|nummer)|"
    r"pr(?:ue|u)fziffer|sicherheits(?:code|nummer)|cryptogramme|code de s[ée]curit[ée]|codice di sicurezza|"
    r"c[óo]digo de segurança|pin(?: code)?|geheimzahl|clave (?:secreta|din[áa]mica)|"
    r"(?:verification|confirmation|authentication|login|log-in|sign-?in|access|one[ -]time|2fa|mfa|sms)"
    r" ?(?:code|password|passcode|pin|token)|"
    r"(?:your|ihr|dein|tu|su|votre) (?:code|c[óo]digo)(?=(?: (?:is|ist|lautet|es|est))? ?[:=]| (?:is|ist|lautet|es|est) )|"
    r"otp(?: code)?|passcode|c[óo]digo (?:de acceso|de un solo uso|sms)|"
    r"(?:best[äa]tigungs|einmal|zugangs|verifizierungs|freischalt|sms-?)(?:code|passwort|kennwort)|tan|code de v[ée]rification)"
    rf"(?!\w){_IS}[ \x1f]{{0,2}}[:=#\-–]?[ \x1f\"'(]{{0,3}}(?P<secret>\d{{3,4}}(?: \d{{3,4}}|-\d{{3,4}})?|\d{{5,8}}|[a-z]-\d{{6}})"
    r"(?![\w]|[.,\-/]\d| \d)"
)
_PASSWORDS = lazily(
    r"(?<![^\W_])(?:password|passwd|pwd|passwort|kennwort|passphrase|contrase[ñn]a|clave|mot de passe|senha|"
    r"api[ _\-]?key|client[ _\-]?secret|secret(?:[ _\-]?(?:access[ _\-]?)?key)?|access[ _\-]?token)(?!\w)"
    r"(?P<sign>(?: (?:is|was|es|ist|lautet|war|est)(?: now)?)?[ \x1f]{0,2}[:=]|(?: (?:is|was|es|ist|lautet|war|est))(?: now)?)"
    r"[ \x1f]{0,2}[\"'`]?(?P<secret>[^\s\x00\x1f\"'`<>]{4,128})"
)
_SHAPES = lazily(
    r"(?<![a-z0-9_\-])(?:bearer[ \x1f]{1,2}(?P<token>[a-z0-9._~+/\-]{16,4096}=*)"
    r"|(?P<key>(?:akia|asia|abia|acca)[a-z0-9]{16}(?![a-z0-9])"
    r"|(?:sk|pk|rk|whsec)[_\-](?:live|test|proj|ant|or|v1)?[_\-]?[a-z0-9_\-]{20,200}"
    r"|gh[pousr]_[a-z0-9]{30,255}|github_pat_[a-z0-9_]{20,255}|glpat-[a-z0-9_\-]{20,64}"
    r"|xox[abeoprs]-[a-z0-9\-]{10,250}|shp(?:at|ca|pa|ss)_[a-f0-9]{32}|aiza[a-z0-9_\-]{35}|ya29\.[a-z0-9_\-]{20,}"
    r"|sg\.[a-z0-9_\-]{16,32}\.[a-z0-9_\-]{16,64}|key-[a-f0-9]{32}|npm_[a-z0-9]{36}|pat-[a-z]{2}\d-[a-f0-9\-]{36}"
    r"|eyj[a-z0-9_\-]{8,}\.eyj[a-z0-9_\-]{8,}\.[a-z0-9_\-]*"
    r"|wamid\.[a-z0-9+/_\-]{12,}=*))"
)
_PRIVATE_KEY = lazily(
    r"-----begin [a-z ]{0,20}private key-----[a-z0-9+/=\s\\]{0,8000}(?:-----end [a-z ]{0,20}private key-----)?"
)

_CODE_HINTS = (
    "code", "cvv", "cvc", "csc", "cvn", "cid ", "código", "codigo", "codice", "prüf", "fziffer", "pin ", "pin:", "otp",
    "geheimzahl", "clave ", "passwor", "kennwort", "token", "tan ", "tan:", "cryptogramme", "security num", "verification va",
    "sicherheitsn", "card check",
)  # fmt: skip
_PASSWORD_HINTS = (
    "passw", "pwd", "kennwort", "passphrase", "contrase", "clave", "mot de passe", "senha", "key", "secret", "token",
)  # fmt: skip
_SHAPE_HINTS = (
    "bearer", "akia", "asia", "abia", "acca", "k_", "k-", "whsec", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_", "glpat", "xox",
    "shpat", "shpca", "shppa", "shpss", "aiza", "ya29", "sg.", "key-", "npm_", "pat-", "eyj", "wamid.",
)  # fmt: skip


def may_hold_password(low: str) -> bool:
    """Whether a secret without any digit may be in a text of small letters; cheap."""
    return holds_any(low, _PASSWORD_HINTS) or "bearer" in low or "wamid." in low


def mask_credentials(sheet: Sheet) -> None:
    """Claim passwords after their word, keys and tokens by their shape, codes after their word."""
    low = sheet.low
    for match in _PRIVATE_KEY().finditer(low) if "private key-" in low else ():
        sheet.claim(*match.span(), Kind.SECRET, MASK)
    sheet.settle()
    low = sheet.low
    for match in _SHAPES().finditer(low) if sheet.holds("key shape", _SHAPE_HINTS) else ():
        name = "token" if match["token"] else "key"
        if _is_random(match[name]):
            sheet.claim(*match.span(name), Kind.SECRET, MASK)
    sheet.settle()
    low = sheet.low
    for match in _PASSWORDS().finditer(low) if sheet.holds("password", _PASSWORD_HINTS) else ():
        start, end = match.span("secret")
        end -= len(match["secret"]) - len(match["secret"].rstrip(".,;:!?)]}"))
        if end > start and _is_password(sheet.cased[start:end], match["sign"]):
            sheet.claim(start, end, Kind.SECRET, MASK)
    sheet.settle()


def mask_security_codes(sheet: Sheet) -> None:
    """Claim card check numbers, PINs and one-time codes after their word."""
    if not sheet.holds("code word", _CODE_HINTS):
        return
    for match in _CODES().finditer(sheet.low):
        sheet.claim(*match.span("secret"), Kind.SECRET, MASK)
    sheet.settle()


def _is_random(key: str) -> bool:
    """A key holds a digit; `sk-learn-something-with-words` does not."""
    return any(map(str.isdigit, key))


def _is_password(word: str, sign: str) -> bool:
    """After a colon any word is the password; after "is" one that no sentence holds."""
    if "*" in word or word.startswith(("http://", "https://")):
        return False
    if sign.rstrip().endswith((":", "=")):
        return not word.endswith(":")
    has_mixed_case = word[1:].lower() != word[1:] and not word.isupper()
    return (
        any(map(str.isdigit, word)) or has_mixed_case or any(c in "!@#$%^&+=_" for c in word[:-1])
    )
