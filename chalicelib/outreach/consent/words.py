"""What a recipient says about being contacted: STOP, START and HELP in seven languages; pure.

A keyword is a whole message, whatever its case, accents, punctuation, emoji and courtesies.  A plain
wish ("don't text me again") counts as STOP.  A message that may be one, or may be about something
else, is in doubt and belongs to a person; so does one in which a small model suspects a wish.
English, Spanish, French, Portuguese, German, Italian and Dutch; the languages are not distinguished,
as a keyword of one is no word of another.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum

from chalicelib.outreach.consent import unwanted, wordings


class Word(StrEnum):
    """What was said."""

    STOP = "stop"
    START = "start"
    HELP = "help"
    DOUBT = "doubt"


@dataclass(frozen=True, slots=True)
class Heard:
    """A message as understood.

    Attributes:
        word: None where it says nothing about being contacted.
        language: of a HELP in a language other than English, e.g. ``es``.
        is_carriers: a keyword that Twilio answers itself, if its own handling is on.
        is_yes: START by a word that means "yes" as well, so only from somebody who has said STOP.
    """

    word: Word | None = None
    language: str | None = None
    is_carriers: bool = False
    is_yes: bool = False


CARRIERS = {
    **dict.fromkeys(
        ("stop", "stopall", "unsubscribe", "cancel", "end", "quit", "revoke", "optout"), Word.STOP
    ),
    **dict.fromkeys(("start", "yes", "unstop"), Word.START),
    **dict.fromkeys(("help", "info"), Word.HELP),
}
"""Twilio's default keywords (https://help.twilio.com/articles/223134027)."""


def _words(text: str) -> frozenset[str]:
    return frozenset(one.strip() for one in text.split(","))


_STOP = _words("""\
stop, stopall, stop all, unsubscribe, cancel, end, quit, revoke, optout, opt out, remove me, stop it,
yes stop, stop texting, stop messaging, stop messages, unsubscribe me, opt me out,
alto, parar, para, pare, paren, detener, detente, baja, darme de baja, dar de baja, darse de baja,
cancelar, basta, salir, no mas, no mas mensajes, desuscribir, desuscribirme, cancelar suscripcion,
arret, arrete, arreter, arretez, stoppez, desabonner, desabonnement, me desabonner, desinscrire,
desinscription, me desinscrire, resilier, annuler, fin, assez,
sair, remover, descadastrar, cancelar inscricao, me remova, pare de enviar, chega,
stopp, stoppen, halt, abmelden, abmeldung, abbestellen, abbestellung, kundigen, kuendigen, austragen,
beenden, ende, schluss, aufhoren, aufhoeren, widerruf, widerrufen,
ferma, fermare, fermati, annulla, cancella, cancellami, disiscrivi, disiscrivimi, disiscrizione,
smetti, smettila, rimuovimi,
afmelden, uitschrijven, annuleren, opzeggen, einde, ophouden, schrijf me uit, meld me af,
remove, delete me""")
_START = _words("""\
start, unstop, subscribe, resume, opt in, optin, inicio, iniciar, empezar, comenzar, alta, reanudar,
demarrer, commencer, reprendre, comecar, retomar, starten, anfangen, anmelden, inizia, avvia,
beginnen, aanmelden""")
_YES = _words("yes, y, si, oui, sim, ja, yes start")
_HELP = {
    **dict.fromkeys(("help", "info", "infos"), None),
    **dict.fromkeys(("ayuda", "informacion"), "es"),
    "aide": "fr",
    **dict.fromkeys(("ajuda", "informacao"), "pt"),
    "hilfe": "de",
    **dict.fromkeys(("aiuto", "informazioni"), "it"),
    **dict.fromkeys(("hulp", "informatie"), "nl"),
}
"""With their language, where it is not English or several have it."""
_COURTESY = _words("""\
please, pls, plz, thanks, thx, thank you, thank you very much, many thanks, please and thank you,
kindly, asap, ffs, por favor, porfavor,
porfa, xfa, xfavor, gracias, muchas gracias, s il vous plait, s il te plait, svp, stp, merci, merci beaucoup,
por gentileza, obrigado, obrigada, bitte, danke, vielen dank, per favore, per piacere, grazie,
graag, alstublieft, alsjeblieft, aub, ajb, dank je, dank u, bedankt, now, right now, immediately, just, ok,
okay, hi, hello, hey, hola, bonjour, ola, hallo, ciao, ahora, ya, maintenant, agora, jetzt, sofort,
adesso, subito, nu, sorry, sir, madam, enough, lo siento, desole, mi dispiace""")
_SIGNS = {"\N{OCTAGONAL SIGN}": " stop ", "\N{NO ENTRY}": " stop "}
_MARKS = re.compile(r"[^\w]+|_+")
_SIGNATURE = re.compile(
    r"\n+\s*(?:sent from|get outlook for|enviado desde|envoyé de|gesendet von) .*",
    re.IGNORECASE | re.DOTALL,
)
_SPELT = re.compile(r"(?:\b\w\b ?){4,}")
_COURTESIES = re.compile(
    r"\b(?:" + "|".join(sorted(map(re.escape, _COURTESY), key=len, reverse=True)) + r")\b"
)
_AGAIN = re.compile(r"\b(\w+)(?: \1)+\b")

_LONGEST_WISH = 160
"""Characters of a plain wish; a bound also on the time that one takes."""
_MOST_CLAUSES = 20
_SLIPPED = 9
"""Letters of a keyword that is also recognised with a slip: a shorter one is near another word."""
_SLIP = 0.88
"""How alike, as `difflib` counts."""
_LONG = [one for one in _STOP if len(one) >= _SLIPPED]
_MOST_CHARACTERS = 1000
"""Of a longer message only so much is looked at; a longer one is no STOP, or quotes a text."""


def heard(text: str) -> Heard:
    """What a message says about being contacted."""
    raw = " ".join(text.strip().lower().split()).strip(" .!\"'")
    text = _SIGNATURE.sub("", text[:_MOST_CHARACTERS])
    said = _plain_text(text)
    if raw in CARRIERS:
        return Heard(CARRIERS[raw], is_carriers=True, is_yes=raw in _YES)
    if _is_keyword(said) and not _is_soft(text):
        return Heard(Word.STOP)
    if said in _START or wordings.AGAIN.fullmatch(said):
        return Heard(Word.START)
    if said in _HELP:
        return Heard(Word.HELP, language=_HELP[said])
    if said in _YES and not _is_soft(text):
        return Heard(Word.START, is_yes=True)
    return Heard(_wish(text, said))


def _wish(text: str, said: str) -> Word | None:
    """Whether a message that is no keyword wishes no further one, or may wish it.

    A wish may stand in one of several clauses, beside a reason for it; not beside its limits.
    """
    if wordings.NEGATED.search(said):
        rest = wordings.NEGATED.sub(" ", said)
        is_doubtful = wordings.DOUBT.search(rest) or wordings.WHENCE.search(said)
        return Word.DOUBT if is_doubtful else None
    if _is_plain(said):
        return Word.STOP
    clauses = [one for one in wordings.CLAUSES.split(text.casefold()) if bare(one)][:_MOST_CLAUSES]
    plain = [_is_plain(_plain_text(one)) for one in clauses]
    soft = [_is_soft(one) for one in clauses]
    stops = [_is_keyword(_plain_text(one)) for one in clauses]
    is_strong = any(
        is_one and not wordings.WEAK.fullmatch(_plain_text(one))
        for one, is_one in zip(clauses, plain, strict=True)
    )
    has_limits = wordings.ELSE.search(said) is not None
    if wordings.COMPLAINED.search(said) or (is_strong and not has_limits):
        return Word.STOP
    is_all = all(map(any, zip(plain, soft, stops, strict=True)))
    if is_all and any(stops):
        return Word.STOP
    is_unclear = _is_soft(text) or (is_all and any(soft)) or any(plain)
    if is_unclear or wordings.DOUBT.search(said) or wordings.WHENCE.search(said):
        return Word.DOUBT
    return Word.DOUBT if unwanted.is_suspected(bare(text).split()) else None


def _is_keyword(said: str) -> bool:
    """A keyword of STOP, also a long one with a slip in it."""
    if said in _STOP:
        return True
    if len(said) < _SLIPPED or said in _START:
        return False
    near = [one for one in _LONG if one[:2] == said[:2]]  # "subscribe" is no "unsubscribe"
    return bool(get_close_matches(said, near, 1, _SLIP))


def _is_soft(text: str) -> bool:
    said = bare(text)
    return len(said) <= _LONGEST_WISH and wordings.SOFT.fullmatch(said) is not None


def _is_plain(said: str) -> bool:
    if len(said) > _LONGEST_WISH:
        return False
    asked = wordings.ASKED.sub("", said)
    return any(one.fullmatch(said) or one.fullmatch(asked) for one in wordings.PLAIN)


def _plain_text(text: str) -> str:
    """Lower case without accents, marks, emoji and courtesies; a word repeated is one."""
    words = bare(text)
    kept = " ".join(_COURTESIES.sub(" ", words).split())
    return _AGAIN.sub(r"\1", kept or words)


def bare(text: str) -> str:
    """Lower case without accents, marks and emoji."""
    for sign, word in _SIGNS.items():
        text = text.replace(sign, word)
    apart = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(one for one in apart if not unicodedata.combining(one))
    words = _MARKS.sub(" ", bare).strip()
    words = _SPELT.sub(lambda found: found[0].replace(" ", "") + " ", words).strip()
    return " ".join(wordings.SPELLINGS.get(one, one) for one in words.split())
