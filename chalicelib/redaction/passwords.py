"""Passwords in a sentence: "my password is apple", "hunter2 is my password", "le mot de passe c'est ..."."""

import re
from collections.abc import Iterator

from chalicelib.redaction.announced import Announcer, claim_all, words_in
from chalicelib.redaction.evidence import Sign
from chalicelib.redaction.patterns import lazily
from chalicelib.redaction.sheet import Claim, Kind, Sheet

MASK = "***"

WORDS = frozenset(
    """password passwords passwd pwd pw passcode passphrase contraseña contrasena contra clave passwort kennwort
    passe mdp parola senha wachtwoord ww hasło haslo lösenord lösenordet""".split()
)
_NEEDS_BEFORE = {
    "contra": lazily(r"(?:la|mi|tu|su) $"),
    "passe": lazily(r"(?:mots? de |palavra[ \-])$"),
    "parola": lazily(r"(?:la|mia) $"),
}
# "The key is patience": words that also mean a key mean a password only after "my" or "your".
_ALSO_A_KEY = frozenset({"clave", "contra", "parola"})
_OWN = lazily(r"(?:mi|tu|su|mia|tua|sua) $")
_IS = (
    r"(?:['’]s|is|was|used to be|is now|now is|should be|are|es|era|fue|ahora es|ist|war|lautet|lautete|heißt|ist jetzt|est|était|c['’]est|"
    r"c['’]était|è|era|é|is nu|to|är|jest)(?:(?: (?:now|always|still|immer|jetzt|siempre|toujours|sempre|ahora|nu|altijd|el|le|die|der|il|o|la|a)(?!\w)))?"
)
_ABOUT = (
    r"(?: d['’]ordine)?(?: (?:for|to|of|on|i|that|which|we|you|we've|für|zu|zum|vom|von|que|de|del|para|pour|qui|du|des|di|per|che|do|da|voor|van|dat|die|op)"
    r"(?!\w)(?: [^\W\d_]+){1,5}?)?"
)
_VALUE = r"(?:[\"“„«'`](?P<quoted>[^\"”“»'`\n\x00]{3,64})[\"”“»'`]|(?P<word>[^\s\x00\x1f\"'`<>“”„«»]{3,64}))"
_AFTER = lazily(
    rf"{_ABOUT}(?P<is>,? ?(?:it['’]s|that['’]s|es ist|das ist)|[ ]?{_IS})(?!\w)[ \x1f]{{0,2}}:?[ \x1f]{{0,2}}{_VALUE}"
)
_NOW = lazily(
    rf"[^.?!\n\x00]{{0,40}}[, ](?:now|ahora|jetzt|maintenant|adesso|agora|nu),? (?:it['’]?s|it is|is|es|ist|c['’]est|è|é) {_VALUE}"
)
_MINE = lazily(
    rf"[^.?!\n\x00:=]{{0,40}}[ ,](?:mine|my one|m[íi]a|meins|mienne|mia|minha|mijne)(?: is| es| ist| est| è| é)? ?[:=] ?{_VALUE}"
)
_BEFORE = lazily(
    rf"(?<!\S){_VALUE},? (?P<is>is|as|ist|als|es|como|est|comme|è|come|é|jest|that['’]s|das ist)"
    r"(?: (?:my|the|our|a|mein|das|mi|la|mon|le|il|mia|mio|minha|a minha|mijn|het|moje|mitt))?(?: mot de| palavra)?[ \-]?$"
)
_USES = lazily(
    r"(?:use|used|using|put|set|chose|have|uso|puse|puesto|utilizo|benutze|nutze|verwende|habe|utilise|mis|utilizzo|messo|coloquei|gebruik)"
    r" (?:always |immer )?$"
)
_CHANGED = lazily(
    r"(?:chang\w+|set|reset\w*|switch\w*|update\w*)(?: [^\W\d_]+){0,2} (?:my|the|our|your) $"
)
_IN_FORM = lazily(  # directly after the word, after "new", "typed", or a change to it
    r"(?:(?: (?:wifi|wlan|wi-fi|de acceso|de acesso|d'accès|di accesso|antigua|vieja|antiga|antigo|ancien|vecchia|velha|oud|alt))?"
    r"(?: (?:is|was|es|era|est|était|è|é|ist|war))?[ \x1f]?[:=]?"
    r"|[^?!\n\x00]{0,60}?[ ,](?:new|nuev[ao]|neu(?:es)?|nouveau|nouvelle|nuov[ao]|nov[ao]|nieuwe?|typed|entered|tried|tapé|saisi|escrib[íi]|"
    r"tecle[éo]|eingegeben|getippt|digitato|inserito|digitei|ingetypt|ingevoerd)"
    r"(?: (?:one|it))?(?: (?:is|es|est|è|é|ist))?:?| (?:to|in|auf|zu|en|para|por|naar|con)) "
    r"(?P<quoted>(?!))?(?P<word>[^\s\x00\x1f\"'`<>“”„«»]{6,64})"
)
_WORDS_AND_DIGITS = lazily(
    r"(?: (?:wifi|wlan|(?:for|de|du|da|do|del|della|für|van|voor)(?: [^\W\d_]+){1,3}))?(?P<colon> ?: ?| )"
    r"(?P<quoted>(?!))?(?P<word>[^\W\d_]{3,12}(?: [^\W\d_]{3,12}){1,2} \d{1,4})(?=$|[,.;!?\n]| (?:and|y|et|und|e|en) )"
)
_CLAUSE_END = lazily(
    r"[\"'”»)\]]?(?:\s*$|\s*[,.;!?)\n\x00]|\s+(?:and|but|or|thanks|please|und|aber|oder|bitte|y|pero|gracias|por favor|et|mais|merci|e|ma|mas|"
    r"grazie|en|maar|obrigad[oa]|dank|if|so|yesterday|now)(?!\w))"
)
_SIGNS = frozenset("!@#$%^&+=_*?")
_LEAST_PLAIN = 4
_POINTS = ".,;:!?)]}"
_NEAR = 12  # letters before a word
# Words that describe a password.
_NO_PASSWORD = frozenset(
    """wrong correct right incorrect invalid valid missing gone lost old new fine good okay safe secure unsafe weak strong long short empty
    blank same different case sensitive required optional mandatory necessary here there below above attached unknown secret private
    personal stolen broken forgotten hidden still always never also just really very too what where which whose this that these those mine yours
    ours the their your his her its being not now again working enter login change reset recover confirm sent done work open ready available
    case-sensitive temporary back same-as impossible useless annoying silly stupid crap nonsense
    incorrecta incorrecto correcta correcto errónea erróneo mala bueno buena válida válido inválida inválido nueva nuevo vieja viejo segura seguro
    larga corta misma mismo igual necesaria necesario obligatoria obligatorio imposible diferente demasiado siempre muy esta este esa ese aquí mía tuya
    falsch richtig korrekt ungültig gültig weg neu alt sicher unsicher lang kurz gleich dasselbe derselbe nötig notwendig pflicht erforderlich leer
    kaputt bekannt unbekannt geheim immer noch nicht nie auch schon wieder jetzt hier das der die mein dein ihr zu sehr schwach stark
    faux fausse correcte bon bonne mauvais mauvaise invalide valide nouveau nouvelle vieux vieille sûr sûre long longue court courte même
    nécessaire obligatoire impossible toujours pas très trop perdu perdue ici celui celle vide faible fort
    sbagliata sbagliato errata errato giusta giusto corretta corretto valida valido nuova nuovo vecchia vecchio sicura sicuro lunga corta stessa stesso
    obbligatoria necessaria impossibile sempre molto troppo qui persa perso debole forte
    incorreta incorreto correta correto errada errado certa certo inválida válida nova novo velha velho longa curta mesma mesmo obrigatória
    necessária impossível muito aqui fraca forte minha sua
    fout onjuist juist verkeerd goed ongeldig geldig nieuw oud veilig onveilig lang kort hetzelfde dezelfde nodig verplicht onmogelijk vergeten kwijt
    verlopen altijd niet nog steeds zeer te hier zwak sterk
    złe poprawne nieprawidłowe fel rätt felaktigt""".split()
)
_STATES = re.compile(
    r"(?:.{3,}(?:ed|ing|ado|ada|ido|ida|ato|ata|ito|uto|uta|able|ible|bar|iert|é|ée|és|ées)|(?:ge|ver|ab|be|zurück|an|aus|er|ent)\w+(?:t|en))$"
)


def mask_passwords(sheet: Sheet) -> None:
    """Mask passwords that a word such as "password" announces in a sentence; the sentence stays."""
    claim_all(sheet, _claims(sheet))


def _claims(sheet: Sheet) -> Iterator[Claim]:
    for word in words_in(sheet, WORDS):
        needs = _NEEDS_BEFORE.get(word.text)
        if needs and needs().search(sheet.low, max(0, word.start - _NEAR), word.start) is None:
            continue
        for match in _passwords(sheet, word):
            group = "quoted" if match["quoted"] else "word"
            start = match.start(group)
            end = start + len(match[group].rstrip(_POINTS))
            yield Claim(start, end, Kind.SECRET, MASK, (Sign.WORD_BEFORE,))


def _passwords(sheet: Sheet, word: Announcer) -> Iterator[re.Match[str]]:
    """The matches, in the text beside a word such as "password", whose value is the announced password."""
    low = sheet.low
    is_own = word.text not in _ALSO_A_KEY or bool(
        _OWN().search(low, max(0, word.start - _NEAR), word.start)
    )
    match = _AFTER().match(low, word.end)
    is_change = match is not None and match["is"].strip() == "to"
    if is_change and _CHANGED().search(low, max(0, word.start - 40), word.start) is None:
        match = None
    if match is not None and _is_password(sheet, match, is_own=is_own):
        yield match
    for pattern in (_NOW, _MINE):
        match = pattern().match(low, word.end)
        if match is not None and _is_password(sheet, match):
            yield match
    match = _IN_FORM().match(low, word.end)
    if match is not None and _is_mixed(_cased(sheet, match)):
        yield match
    match = _WORDS_AND_DIGITS().match(low, word.end)
    if match is not None and (":" in match["colon"] or word.text == "clave"):
        yield match
    match = _BEFORE().search(low, max(0, word.start - 90), word.start)
    if match is not None:
        is_used = _USES().search(low, max(0, match.start() - 24), match.start()) is not None
        if _is_password(sheet, match, is_own=is_used):
            yield match


def _is_password(sheet: Sheet, match: re.Match[str], *, is_own: bool = True) -> bool:
    """Whether the value of a match is a password.

    It is one if it is quoted, or has letters beside digits or signs and is no link.  With `is_own`, a
    plain word at the end of its clause is one too.
    """
    if match["quoted"]:
        return True
    word = _cased(sheet, match)
    if _is_strong(word):
        return not word.startswith(("http://", "https://"))
    return is_own and _is_plain(word) and _is_last(sheet, match, word)


def _is_plain(word: str) -> bool:
    """Whether a value is a word of letters that does not describe a password; "wrong" describes one."""
    low = word.lower()
    is_word = len(word) >= _LEAST_PLAIN and word.isalpha()
    return is_word and low not in _NO_PASSWORD and _STATES.match(low) is None


def _is_last(sheet: Sheet, match: re.Match[str], word: str) -> bool:
    """Whether a password's value ends its clause; always True for a value before "is my password"."""
    if match.re is _BEFORE():
        return True
    return _CLAUSE_END().match(sheet.low, match.start("word") + len(word)) is not None


def _cased(sheet: Sheet, match: re.Match[str]) -> str:
    """The value of a match in its own case, without punctuation after it; empty for a quoted value."""
    if match["word"] is None:
        return ""
    return sheet.cased[slice(*match.span("word"))].rstrip(_POINTS)


def _is_mixed(word: str) -> bool:
    """Whether a word has small letters beside digits; an order number has capitals."""
    return _is_strong(word) and any(map(str.isdigit, word)) and any(map(str.islower, word))


def _is_strong(word: str) -> bool:
    """Whether a word can only be a password: letters beside digits, or with signs inside the word."""
    has_letter = any(map(str.isalpha, word))
    return has_letter and (any(map(str.isdigit, word)) or not _SIGNS.isdisjoint(word[1:-1]))
