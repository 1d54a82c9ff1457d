"""Whether a recipient asks if a machine or a person writes; pure.

A sentence asks that in one of four ways: a word for machine or human is beside words that make it
about the writer ("are you" ... "bot", "a human" ... "reading this"); it offers both ("human or
machine"); it is hardly more than the word; or it has a phrase that asks it alone ("do you exist").
The words are in `machine_question.toml`.  Recall matters more than precision: a needless answer is
one true sentence too many, but silence on such a question is a lie.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from chalicelib.outreach.wishes.question_words import (
    QuestionLanguage,
    folded_question,
    question_languages,
    with_mended_nouns,
)

MOST_CHARACTERS = 600
_MOST_BEFORE, _MOST_AFTER, _MOST_APART, _MOST_BARE = 4, 2, 9, 3
_MOST_STATED = 20
"""Up to so many words, a sentence that names a human asks without question mark, "or" or "whether"."""
_ENDS = re.compile(r"(?<=[.!?;\u037e\u3002\u061f\u0964])\s*|\n+")
_ASKS = re.compile(r"[?;\u037e\u061f]\W*$")
_CLAUSES = re.compile("[,:\u3001\u060c()]")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Sentence:
    """One sentence of a recipient's message, without its parts about other things.

    It finds in its text the words that ask whether a machine writes.
    """

    text: str
    language: QuestionLanguage

    @property
    def words(self) -> int:
        """The number of the sentence's words; in a script without spaces an estimate."""
        return len(self.text.split()) if self.language.spaced else len(self.text) // 2

    @property
    def is_question(self) -> bool:
        """Whether the sentence has a question's form, or is short enough to be one without it."""
        has_mark = _ASKS.search(self.text) or self.language.patterns.either.search(self.text)
        return bool(has_mark) or self.words <= _MOST_STATED

    def nouns(self, row: str) -> list[Span]:
        """The positions of the words of a row of ``machine_question.toml`` in the sentence.

        Words after one like "your" ("your bot") are left out.
        """
        owned = self.language.patterns.owned
        return [span for span in self.spans(row) if not owned.search(self.text[: span[0]])]

    def spans(self, row: str) -> list[Span]:
        """The positions in the sentence of the words of a row of ``machine_question.toml``."""
        return [match.span() for match in getattr(self.language.patterns, row).finditer(self.text)]

    def between(self, start: int, end: int) -> int:
        """The number of words between two positions of the sentence; 0 in a script without spaces."""
        return len(re.findall(r"\w[^\s]*", self.text[start:end])) if self.language.spaced else 0

    def clause(self, place: int) -> int:
        """The position in the text at which the clause around `place` begins: after a comma, else 0."""
        return self.text.rfind(",", 0, place) + 1

    def outside(self, noun: Span) -> int:
        """The number of words from the start of a noun's clause to the sentence's end, the noun left out.

        In a script without spaces it is a third of the number of letters.
        """
        rest = self.text[self.clause(noun[0]) : noun[0]] + self.text[noun[1] :]
        return len(rest.split()) if self.language.spaced else len(rest) // 3

    def is_near(self, first: Span, second: Span, most: int) -> bool:
        """Whether at most `most` words are between two spans of the sentence, whichever comes first."""
        return self.between(min(first[1], second[1]), max(first[0], second[0])) <= most


def asks_whether_a_machine(message: str) -> bool:
    """Whether a recipient's message asks whether a machine or a person writes, in any language."""
    return bool(_heard_by(message))


def answer_to(message: str) -> str:
    """The answer to "is this a machine?" in the language of the question, with ``{company}`` to fill in.

    Empty where the message does not ask that, or where `texts.toml` has the answer of a language in
    which it asks.
    """
    answers = [language.answer for language in _heard_by(message)]
    return answers[0] if all(answers) and answers else ""


def _heard_by(message: str) -> list[QuestionLanguage]:
    """The languages in which a message asks whether a machine or a person writes; none if it is too long."""
    if len(message) > MOST_CHARACTERS:
        return []
    said = [
        sentence.strip() for sentence in _ENDS.split(folded_question(message)) if sentence.strip()
    ]
    return [
        language
        for language in question_languages()
        if (not language.letters or language.letters.search(message)) and _is_asked(said, language)
    ]


def _is_asked(said: list[str], language: QuestionLanguage) -> bool:
    patterns = language.patterns
    of_machine = False
    for sentence in said:
        kept = [part for part in _CLAUSES.split(sentence) if not patterns.elsewhere.search(part)]
        text = with_mended_nouns(",".join(kept), language)
        left = _Sentence(patterns.cut.sub(" ... ", text), language)
        of_machine = bool(left.nouns("machine")) or (of_machine and len(kept) > 0)
        has_doubt = of_machine and patterns.doubt.search(left.text)
        if has_doubt or patterns.asks.search(left.text) or _asks(left):
            return True
    return False


def _asks(said: _Sentence) -> bool:
    machine, human = said.nouns("machine"), said.nouns("human")
    if machine and said.spans("either") and (human or said.spans("someone")):
        return True
    if any(_is_about_writer(said, noun, _MOST_BEFORE) for noun in machine):
        return True
    if not said.is_question:
        return False
    return (
        any(_is_about_writer(said, noun, _MOST_AFTER) for noun in human)
        or _is_writing(said, said.spans("someone"), _MOST_BARE)
        or any(
            start >= end
            and said.between(end, start) <= _MOST_BARE
            and said.between(stop, len(said.text)) <= _MOST_AFTER
            for start, stop in said.spans("real")
            for _, end in said.spans("you")
        )
    )


def _is_about_writer(said: _Sentence, noun: Span, most: int) -> bool:
    start, end = noun
    after = said.between(end, len(said.text))
    if _ASKS.search(said.text) and said.outside(noun) <= 1:
        return True
    for you, stop in said.spans("you"):
        if stop <= start and said.between(stop, start) <= most:
            return True
        is_last = not said.between(stop, len(said.text))
        if you >= end and is_last and said.between(end, you) <= _MOST_AFTER:
            return True
    is_it = any(
        stop <= start
        and said.between(stop, start) <= _MOST_BARE
        and after <= 1
        and (" " in said.text[it:stop] or said.between(said.clause(it), it) <= 1)
        for it, stop in said.spans("it")
    )
    return is_it or _is_writing(said, [noun], _MOST_APART) or bool(said.spans("texts"))


def _is_writing(said: _Sentence, nouns: list[Span], most: int) -> bool:
    return any(said.is_near(noun, verb, most) for noun in nouns for verb in said.spans("writes"))
