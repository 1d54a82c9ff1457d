"""Secrets that people paste: passwords, and keys and tokens of vendors.

Each is masked whole. A pass begins with a cheap look for the words and prefixes, so that a text
without any costs next to nothing.
"""

from chalicelib.redaction.evidence import Sign
from chalicelib.redaction.patterns import Hints, lazily
from chalicelib.redaction.sheet import Kind, Sheet

MASK = "***"

_PASSWORDS = lazily(
    r"(?<![^\W_])(?:password|passwd|pwd|pw|passcode|passwort|kennwort|passphrase|contrase[ñn]a|clave|mot de passe|mdp|senha|palavra[ \-]passe|parola d['’]ordine|wachtwoord|ww|hasło|lösenord(?:et)?|"
    r"api[ _\-]?key|client[ _\-]?secret|secret(?:[ _\-]?(?:access[ _\-]?)?key)?|access[ _\-]?token)(?!\w)"
    r"(?: (?:temporal|nueva|nuevo|provisional|actual|temporary|new|old|temporaire|provisoire|nouveau|temporanea|nuova|nova|tempor[áa]ria))?"
    r"(?P<sign>(?: (?:is|was|es|ist|lautet|war|est|è|é|era)(?: now)?)?[ \x1f]{0,2}[:=]|(?: (?:is|was|es|ist|lautet|war|est|è|é|era))(?: now)?)"
    r"[ \x1f]{0,2}[\"'`]?(?P<secret>[^\s\x00\x1f\"'`<>]{4,128})"
    r"|(?<![^\W_])(?:password|passwort|kennwort|contrase[ñn]a|clave|mdp|mot de passe|senha|wachtwoord|hasło|lösenord|pass|pw|pwd)[ \x1f]"
    r"(?P<apart>[^\s\x00\x1f\"'`<>]{6,64})"
    r"|(?<![^\W_])(?:user|username|login|usuario|benutzer|utilisateur|utente|usuário)[ :=][^\n:=]{1,40}[ ,;/]pass ?[:=] ?(?P<beside>[^\s\x00\x1f\"'`<>]{4,64})"
    r"|(?<![^\W_])(?:pass)(?:(?: (?:is|was))[ \x1f]|[ \x1f]?[:=])[ \x1f]{0,2}[\"'`]?(?P<word>[^\s\x00\x1f\"'`<>]{4,128})"
)
_MORE_DIGITS = lazily(r"(?:[ \-.)]{1,2}\d+)*")
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

_PASSWORD_HINTS = Hints(
    "pw:", "pw ", "pw=", "kennwort", "contrase", "clave", "senha", "mdp", "palavra", "parola", "wachtw", "ww:", "ww ", "hasło", "haslo", "lösenord", "contra ",
    anywhere=("pass", "pwd", "key", "secret", "token"),
)  # fmt: skip
_SHAPE_HINTS = Hints(
    "bearer", "akia", "asia", "abia", "acca", "whsec", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_", "glpat",
    "shpat", "shpca", "shppa", "shpss", "aiza", "ya29", "sg.", "npm_", "pat-", "wamid.",
    anywhere=("k_", "k-", "key-", "xox", "eyj"),
)  # fmt: skip


def may_hold_password(low: str) -> bool:
    """Whether a lower-case text may hold a password or token that has no digit; cheap."""
    return _PASSWORD_HINTS.may_be_in(low) or "bearer" in low or "wamid." in low


def mask_credentials(sheet: Sheet) -> None:
    """Mask private keys, keys and tokens by their form, and passwords and keys right after their word."""
    low = sheet.low
    for match in _PRIVATE_KEY().finditer(low) if "private key-" in low else ():
        sheet.claim(*match.span(), Kind.SECRET, MASK)
    sheet.settle()
    low = sheet.low
    for match in _SHAPES().finditer(low) if sheet.holds(_SHAPE_HINTS) else ():
        name = "token" if match["token"] else "key"
        if _is_random(match[name]):
            sheet.claim(*match.span(name), Kind.SECRET, MASK)
    sheet.settle()
    low = sheet.low
    for match in _PASSWORDS().finditer(low) if sheet.holds(_PASSWORD_HINTS) else ():
        # After "pass" a word without a digit may name a ski pass.
        group = next(
            name for name in ("word", "apart", "beside", "secret") if match[name] is not None
        )
        sign = {"secret": match["sign"], "beside": ":"}.get(group, "is")
        start, end = match.span(group)
        end -= len(match[group]) - len(match[group].rstrip(".,;:!?)]}"))
        word = sheet.cased[start:end]
        is_secret = _is_strong(word) if group == "apart" else _is_password(word, sign)
        if not word or not is_secret:
            continue
        last = word.rpartition(":")[2].rpartition("=")[2]
        if last.strip("+([„“«'\"").isdigit():  # a number that goes on after a space
            more = _MORE_DIGITS().match(low, end)
            end = more.end() if more else end
        sheet.claim(start, end, Kind.SECRET, MASK, (Sign.WORD_BEFORE,))
    sheet.settle()


def _is_random(key: str) -> bool:
    """Whether what looks like an API key holds a digit; `sk-learn-something-with-words` holds none."""
    return any(map(str.isdigit, key))


def _is_strong(word: str) -> bool:
    """Whether a word after "password" without "is" can only be a password: letters beside digits or signs."""
    has_letter = any(map(str.isalpha, word))
    return has_letter and (any(map(str.isdigit, word)) or any(c in "!@#$%^&+=_" for c in word[:-1]))


def _is_password(word: str, sign: str) -> bool:
    """Whether the word after "password" is one: after a colon any word, after "is" only an unusual one.

    An unusual word has a digit, a sign, or a capital after its first letter.
    """
    if "***" in word or word.startswith(("http://", "https://")):
        return False
    if sign.rstrip().endswith((":", "=")):
        return not word.endswith(":")
    has_mixed_case = word[1:].lower() != word[1:] and not word.isupper()
    return (
        any(map(str.isdigit, word)) or has_mixed_case or any(c in "!@#$%^&+=_" for c in word[:-1])
    )
