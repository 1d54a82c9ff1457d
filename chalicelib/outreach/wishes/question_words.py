"""The words by which people ask whether a machine or a person writes, as patterns by language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache

from chalicelib.tables import beside, read

FILE = beside(__file__, "machine_question.toml")
_LEAST_FUZZY = 5
_PLAIN = str.maketrans({"\u0131": "i", "\u0142": "l", "\u00f8": "o", "\u00e6": "ae", "\u0111": "d"})
_LAST_ACCENTED = "\u0500"
"""Letters before this one lose their accents: Latin, Greek and Cyrillic ones."""
_CAPITALS = re.compile(r"(?<!\w)(AI|IA|KI|MI|SI|UI)(?!\w)")
_MARKS = re.compile(r" \(([^()]*)/\)(?=$|[|) ])|\(([^()]*)/\) |( ~ |[ ~*(/?.+,])")
_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """One language's words to ask who writes; the head of ``machine_question.toml`` explains each row."""

    machine: str
    human: str
    you: str
    writes: str
    either: str
    asks: str
    cut: str
    elsewhere: str
    owned: str
    it: str = ""
    someone: str = ""
    real: str = ""
    texts: str = ""
    doubt: str = ""
    answer: str = ""
    letters: str = ""


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """The content of ``machine_question.toml``: words to ask whether a machine writes, by language."""

    machine: str
    languages: Mapping[str, QuestionWords]


@dataclass(frozen=True, slots=True)
class QuestionPatterns:
    """The rows of a language's `QuestionWords` as compiled patterns, under the same names."""

    machine: re.Pattern[str]
    human: re.Pattern[str]
    you: re.Pattern[str]
    writes: re.Pattern[str]
    either: re.Pattern[str]
    asks: re.Pattern[str]
    cut: re.Pattern[str]
    elsewhere: re.Pattern[str]
    owned: re.Pattern[str]
    it: re.Pattern[str]
    someone: re.Pattern[str]
    real: re.Pattern[str]
    texts: re.Pattern[str]
    doubt: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class QuestionLanguage:
    """One language: the patterns of the question whether a machine writes, and the answer to it."""

    patterns: QuestionPatterns
    answer: str
    letters: re.Pattern[str] | None
    long: Mapping[str, tuple[str, ...]]
    """By first letter, the nouns that are long enough to be recognised when misspelt."""

    @property
    def spaced(self) -> bool:
        """Whether the language puts spaces between words."""
        return self.letters is None


@cache
def question_languages() -> list[QuestionLanguage]:
    """Every language of ``machine_question.toml``, with its words compiled."""
    file = read(FILE, QuestionFile)
    return [_language(rows, file.machine) for rows in file.languages.values()]


def _language(rows: QuestionWords, shared: str) -> QuestionLanguage:
    machine = f"{rows.machine}|{shared}"
    spaced = not rows.letters
    found = {
        field.name: _pattern(getattr(rows, field.name), machine, rows.human, spaced=spaced)
        for field in fields(QuestionPatterns)
    }
    found["machine"] = _pattern(machine, spaced=spaced)
    after = r"\s+(?:\S+\s+)?$" if spaced else r"\s*$"
    found["owned"] = re.compile(found["owned"].pattern + after)
    return QuestionLanguage(
        QuestionPatterns(**found),
        rows.answer,
        None if spaced else re.compile(rows.letters),
        _long_words(machine, rows.human),
    )


def _long_words(*rows: str) -> Mapping[str, tuple[str, ...]]:
    words = [word for row in rows for word in folded_question(row).replace("*", "").split("|")]
    long = [word for word in words if word.isalpha() and len(word) >= _LEAST_FUZZY]
    return {
        first: tuple(word for word in long if word[0] == first)
        for first in {word[0] for word in long}
    }


def with_mended_nouns(text: str, language: QuestionLanguage) -> str:
    """A text with misspelt nouns ("robto") corrected: one letter missing, added or wrong, or two swapped."""

    def right(found: re.Match[str]) -> str:
        word = found[0]
        near = language.long.get(word[0], ()) if len(word) >= _LEAST_FUZZY - 1 else ()
        return next((listed for listed in near if _is_near(word, listed)), word)

    return re.sub(r"\w+", right, text)


def _is_near(word: str, right: str) -> bool:
    if abs(len(word) - len(right)) > 1:
        return False
    start = next((n for n, (a, b) in enumerate(zip(word, right, strict=False)) if a != b), -1)
    if start < 0:
        return True
    a, b = word[start:], right[start:]
    swapped = a[1:2] + a[:1] + a[2:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or swapped == b


def _pattern(row: str, machine: str = "", human: str = "", *, spaced: bool) -> re.Pattern[str]:
    """Compile a row of ``machine_question.toml`` to a pattern; the file's head explains the notation.

    An empty row gives a pattern that never matches.
    """
    if not row:
        return _NEVER
    text = folded_question(row.replace("{m}", f"({machine})").replace("{h}", f"({human})"))
    gap = r"\s+" if spaced else r"\s*"
    marks = {" ": gap, "~": ".{0,30}?", "*": r"\w*", "(": "(?:", "/": "|"}

    def written(found: re.Match[str]) -> str:
        first, last, mark = found.groups()
        if mark == " ~ ":
            return rf"(?:\s.{{0,30}}?)?{gap}"
        if mark:
            return marks.get(mark) or re.escape(mark)
        inner = _MARKS.sub(written, first or last)
        return f"(?:{gap}(?:{inner}))?" if first else f"(?:(?:{inner}){gap})?"

    pattern = f"(?:{_MARKS.sub(written, text)})"
    return re.compile(rf"(?<!\w){pattern}(?!\w)" if spaced else pattern)


def folded_question(text: str) -> str:
    """A text as the patterns of a question expect it: lower case, no accents, marks of a word as blanks.

    A letter written three times or more is written once.  A capital "AI" becomes ``ai_``, unless the
    whole text is in capitals.
    """
    plain = text if text.isupper() else _CAPITALS.sub(r"\1_", text)
    low = unicodedata.normalize("NFKC", re.sub("['\u2019`\u00b4-]", " ", plain)).casefold()
    return re.sub(r"([^\W\d])\1{2,}", r"\1", "".join(map(_letter, low)).translate(_PLAIN))


def _letter(letter: str) -> str:
    pieces = unicodedata.normalize("NFD", letter)
    is_plain = pieces[0] < _LAST_ACCENTED or "\u0600" <= pieces[0] <= "\u06ff"
    return pieces[0] if is_plain else letter
