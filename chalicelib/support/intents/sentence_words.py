"""A message's sentences, and what each of their words may be read as; pure."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from chalicelib.support.intents.grammar import QUESTION_MARK, Grammar, Symbols, grammars
from chalicelib.support.intents.spelling import is_listed, is_real
from chalicelib.support.intents.words import SHORTHAND

NAME, INITIAL, OWN, NUMBER = "<name>", "<initial>", "<own>", "<n>"
_LEAST_OWN = 3
_LEAST_NUMBER = 3
_LONGEST_NAME = 7
"""The longest name that ends like a Spanish command, such as Estela; a longer such word is a command."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a sentence.

    Attributes:
        word: the word in lower case, without accents and apostrophes; or its kind, such as ``<n>``.
        is_capitalised: the word begins with a capital letter and is not all capitals.
    """

    word: str
    is_capitalised: bool = False


def paragraphs_of(own: str) -> list[list[str]]:
    """The paragraphs of a text, each as a list of its lines, which may each hold only part of a sentence."""
    text = html.unescape(own)
    blocks = re.split(r"\n\s*\n", text.replace("\r", ""))
    return [[line for line in block.split("\n") if line.strip()] for block in blocks]


def sentences_of(text: str) -> list[str]:
    """The sentences of a text that has one or several lines."""
    found, start = [], 0
    for end in _END.finditer(text):
        before = text[start : end.start()]
        last = before.rsplit(maxsplit=1)[-1].lower() if before.strip() else ""
        if end.group().strip() == "." and (last in _SHORTENED or len(last) == 1):
            continue
        found.append(text[start : end.end()])
        start = end.end()
    found.append(text[start:])
    return [sentence.strip() for sentence in found if _SAYS.search(sentence)]


def tokens_of(sentence: str) -> list[Token]:
    """The words of a sentence; numbers, dates and addresses are replaced by their kinds, such as ``<n>``.

    What no row of the grammar can match, such as a price, a link or an angry face, is ``<unread>``.
    """
    found = []
    for match in _TOKEN.finditer(_plain(sentence)):
        kind = match.lastgroup or ""
        if kind == "word":
            shown = match.group()
            is_capitalised = shown[0].isupper() and (len(shown) == 1 or not shown.isupper())
            words = _CONTRACTED.get(shown.lower(), (shown.lower(),))
            found += [Token(word, is_capitalised) for word in words]
        elif kind == "code":
            found.append(Token(_code(match.group())))
        else:
            found.append(Token(f"<{kind}>"))
    if sentence.rstrip(" )\"'").endswith("?"):
        found.append(Token(QUESTION_MARK))
    return found


def symbols_of(tokens: Sequence[Token], grammar: Grammar) -> Symbols:
    """For each word of a sentence, what a grammar may read it as: the word, a correction, a name ..."""
    return [_symbols(token, grammar, is_first=number == 0) for number, token in enumerate(tokens)]


def _symbols(token: Token, grammar: Grammar, *, is_first: bool) -> frozenset[str]:
    word = token.word
    if word in SHORTHAND:
        return frozenset({word, SHORTHAND[word]})
    if token.is_capitalised and len(word) == 1:
        return frozenset({word, INITIAL})
    is_known = is_listed(word) or is_real(word)
    is_command = (is_first or len(word) > _LONGEST_NAME) and _COMMAND.search(word)
    may_be_name = token.is_capitalised and not is_known and not is_command
    if word.startswith("<") or any(word in language.vocabulary for language in grammars()):
        # A word of another language's rows is not corrected into one of this: "hello" is not "sello".
        return frozenset({word, NAME}) if may_be_name else frozenset({word})
    if is_known:
        return frozenset({word})
    mended = grammar.corrections(word)
    found = {word, *mended}
    if may_be_name:
        found |= {NAME, OWN}
    elif not mended and len(word) >= _LEAST_OWN and not word.endswith(("ed", "ing")):
        found.add(OWN)
    return frozenset(found)


def _code(shown: str) -> str:
    """The symbol for a code such as an order number: `NUMBER` if it has enough digits, else ``<d>``."""
    return NUMBER if sum(character.isdigit() for character in shown) >= _LEAST_NUMBER else "<d>"


def _plain(text: str) -> str:
    """The text without accents and apostrophes."""
    return unicodedata.normalize("NFD", text).translate(_DROPPED)


_DROPPED = dict.fromkeys(
    [0x27, 0x60, 0xB4, 0x2018, 0x2019, *range(0x300, 0x370), 0xAA, 0xBA, 0xB0, 0xFE0F, 0x200D]
)
_END = re.compile(
    r"[.!?;\u2026\u00bf\u00a1]+(?=\s|$|[\"')])|[\u00bf\u00a1]+|[!?]+|\s[-\u2013\u2014]+\s|\n"
)
_SAYS = re.compile("[^\\W_]|[\U0001f620\U0001f621\U0001f624\U0001f92c\U0001f595]")
_COMMAND = re.compile(r"[aeiou]n?(?:me|nos)?(?:l[aeo]s?|me|nos)$")
"""A Spanish command with its object, "cancelenlo", which is no name even if capitalised."""
_CONTRACTED = {
    f"{who}{short}": (who, long)
    for who in ("they", "it", "that", "you", "who", "should", "would", "could")
    for short, long in (("ll", "will"), ("re", "are"), ("ve", "have"), ("d", "would"))
    if f"{who}{short}" != "who"
}
"""Contractions that no row writes as one word."""
_SHORTENED = frozenset(
    "no nr num nro mr mrs ms dr st sr sra ref conf prof tel ing lic ped approx".split()  # noqa: SIM905
)
_TOKEN = re.compile(
    r"(?P<mail>[\w.+-]{1,64}@[\w-]{1,60}(?:\.[\w-]{1,60}){1,4})"
    r"|(?P<unread>https?://\S+|[$\u20ac\u00a3]\s?\d[\d.,]*|\d[\d.,]*\s?(?:[%$\u20ac\u00a3]|usd|eur)"
    r"|[\U0001f620\U0001f621\U0001f624\U0001f92c\U0001f595\U0001f494\U0001f912\U0001f915\U0001f691"
    r"\U0001f525\U0001f480\U0001fa78\u2620\U0001f52a\U0001f4a3\U0001f52b\u26a0])"
    r"|(?P<th>\b\d{1,2}(?:st|nd|rd|th)\b)"
    r"|(?P<date>\b\d{4}-\d\d?-\d\d?\b|\b\d{1,2}[/.]\d{1,2}(?:[/.]\d{2,4})?\b)"
    r"|(?P<clock>\b\d{1,2}(?::\d\d)?\s?(?:am|pm)\b|\b\d{1,2}:\d\d\b)"
    r"|(?P<code>\b[A-Za-z]{0,4}-?\d[\dA-Za-z]*(?:[-/]\d[\dA-Za-z]*)*(?:-[A-Za-z]\b)?)"
    r"|(?P<word>[^\W\d_]+)",
    re.IGNORECASE,
)
