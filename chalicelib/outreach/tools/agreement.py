"""Whether a message agrees to an irreversible tool, by the words of ``agreement.toml`` in seven languages.

A message agrees only as a whole: each of its words must agree, ask for the act, be polite or thank.
One more word ("yes, tomorrow", "ok but first") makes it another message, and the recipient may be
asked again.  Thanks agree only beside a clear yes: "ok thanks" may only mean that the question was
read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from functools import cache

from chalicelib.tables import beside, read

FILE = beside(__file__, "agreement.toml")


@dataclass(frozen=True, slots=True)
class AgreementFile:
    """The content of ``agreement.toml``: of each kind its phrases, with commas or line ends between."""

    yes: str
    weak: str
    request: str
    polite: str
    thanks: str
    at_once: str


_OTHER = re.compile(
    "[^a-z\\s.,!'\u2019\U0001f44d\U0001f44c\U0001f64f\u2705\U0001f60a\U0001f642\ufe0f\U0001f3fb-\U0001f3ff-]"
)
"""Any character but letters, punctuation and friendly signs: a question mark, a digit."""
_REPEATED = re.compile(r"(.)\1+")
_WORD = re.compile(r"[a-z]+")


def _without_repeated_letters(words: str) -> str:
    return _REPEATED.sub(r"\1", words)


@cache
def _kind_by_phrase() -> Mapping[str, str]:
    """The kind of each phrase of the file: S yes, W weak, D request, P polite, T thanks, N at once."""
    rows = read(FILE, AgreementFile)
    listed = zip("SWDPTN", astuple(rows), strict=True)
    found: dict[str, str] = {}
    for kind, phrases in listed:
        for phrase in re.split(r"[,\n]", phrases.strip()):
            found.setdefault(_without_repeated_letters(phrase.strip()), kind)
    return found


@cache
def _phrase_pattern() -> re.Pattern[str]:
    return re.compile(f"({'|'.join(sorted(_kind_by_phrase(), key=len, reverse=True))})(?: |$)")


def is_yes(text: str) -> bool:
    """Whether a whole message is a plain yes; with a question mark or a digit it is not.

    Accents, capitals and letters written twice ("siii") make no difference.  A message of signs
    alone, such as a thumb, is no yes: it may only say that something was read.  "Ja ja" is none
    either: in German and Dutch it may be ironic.
    """
    decomposed = unicodedata.normalize("NFKD", text.lower())
    bare = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    rest, classes = _without_repeated_letters(" ".join(_WORD.findall(bare))), ""
    if _OTHER.search(bare) or rest == "ja ja":
        return False
    while rest:
        phrase = _phrase_pattern().match(rest)
        if phrase is None:
            return False
        classes += _kind_by_phrase()[phrase[1]]
        rest = rest[phrase.end() :]
    if "D" in classes:
        return True
    return "N" not in classes and ("S" in classes or re.fullmatch("P?WP?", classes) is not None)
