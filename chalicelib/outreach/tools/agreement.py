"""Whether a message agrees to an irreversible tool: lists of words in seven languages.

A message agrees only as a whole: each of its words must agree, ask for the act, be polite or thank.
One more word ("yes, tomorrow", "ok but first") makes it another message, and the recipient may be
asked again.  Thanks agree only beside a clear yes: "ok thanks" may only mean that the question was
read.
"""

from __future__ import annotations

import re
import unicodedata

_YES = """
yes, yep, yup, yessir, absolutely, definitely, certainly, of course, for sure,
si, sip, claro que si, que si, por supuesto, desde luego,
sim, com certeza, claro que sim, oui, bien sur, bien entendu,
ja, jep, jawohl, ja klar, naturlich, auf jeden fall, certo che si, assolutamente, jazeker, ja hoor
"""
"""A clear yes, even with polite words after it."""
_WEAK = """
y, yea, yeah, ok, okay, oki, okey, sure, sure thing, confirm, confirmed, agreed, sounds good,
claro, vale, dale, de acuerdo, obvio, sale pues, orale, orale va, isso, beleza,
ouais, d accord, dac, volontiers, gerne, einverstanden, klar, in ordnung, passt, jo, jo passt,
va bene, certo, volentieri, d accordo, graag, akkoord
"""
"""A yes that polite words may surround, and no more.  No entry has another meaning in another language, as
"prima" or "mande" would.
"""
_DO = """
do it, do so, do that, please do, go ahead, go for it, proceed, submit, submit it, submit that, send,
send it, send it off, submit my application, send my application, fire away,
adelante, hazlo, hagalo, proceda, procede, envia, enviala, enviela, envialo, envielo, mandala,
mandela, mandalo, que la envies, pode enviar, pode mandar, envie, manda, manda bala, faca isso,
allez y, vas y, fais le, faites le, envoie, envoyez, envoyez la,
mach, mach das, mach mal, machen sie das, tun sie das, abschicken, einreichen, schick ab, schick es ab,
schicken sie ab, schicken sie sie ab, reichen sie ein, reich ein, raus damit,
faccia pure, fai pure, procedi, invia, invia pure, invii, invii pure,
doe maar, ga je gang, stuur maar, stuur maar op, verstuur maar, dien maar in, dient u hem maar in
"""
"""A request to do it."""
_POLITE = """
please, pls, plz, por favor, porfa, porfavor, s il vous plait, s il te plait, svp, stp,
bitte, per favore, per piacere, graag, alsjeblieft, alstublieft, pode, do
"""
_THANKS = """
thanks, thank you, thx, ty, thanks a lot, thank you very much, many thanks, gracias, muchas gracias,
obrigado, obrigada, obg, merci, merci beaucoup, merci bcp, danke, vielen dank, danke schon,
grazie, grazie mille, dank je, dank u, dank u wel, bedankt
"""
_WHEN = """
now, right now, right away, ya, ahora, ahora mismo, agora, ja agora, maintenant, jetzt, gleich,
sofort, ora, subito, adesso, nu, meteen
"""
"""At once: counts only beside a request, as "ok now" may begin anything."""
_OTHER = re.compile(
    "[^a-z\\s.,!'\u2019\U0001f44d\U0001f44c\U0001f64f\u2705\U0001f60a\U0001f642\ufe0f\U0001f3fb-\U0001f3ff-]"
)
"""Any character but letters, punctuation and friendly signs: a question mark, a digit."""
_REPEATED = re.compile(r"(.)\1+")
_WORD = re.compile(r"[a-z]+")


def _once(words: str) -> str:
    return _REPEATED.sub(r"\1", words)


def _class_of() -> dict[str, str]:
    classes = {"S": _YES, "W": _WEAK, "D": _DO, "P": _POLITE, "T": _THANKS, "N": _WHEN}
    found: dict[str, str] = {}
    for name, listed in classes.items():
        for phrase in listed.replace("\n", " ").split(","):
            found.setdefault(_once(phrase.strip()), name)
    return found


_CLASSES = _class_of()
_PHRASE = re.compile(f"({'|'.join(sorted(_CLASSES, key=len, reverse=True))})(?: |$)")


def is_yes(text: str) -> bool:
    """Whether a whole message is a plain yes; with a question mark or a digit it is not.

    Accents, capitals and letters written twice ("siii") make no difference.  A message of signs
    alone, such as a thumb, is no yes: it may only say that something was read.  "Ja ja" is none
    either: in German and Dutch it may be ironic.
    """
    decomposed = unicodedata.normalize("NFKD", text.lower())
    bare = "".join(one for one in decomposed if not unicodedata.combining(one))
    rest, classes = _once(" ".join(_WORD.findall(bare))), ""
    if _OTHER.search(bare) or rest == "ja ja":
        return False
    while rest:
        phrase = _PHRASE.match(rest)
        if phrase is None:
            return False
        classes += _CLASSES[phrase[1]]
        rest = rest[phrase.end() :]
    if "D" in classes:
        return True
    return "N" not in classes and ("S" in classes or re.fullmatch("P?WP?", classes) is not None)
