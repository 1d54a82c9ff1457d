"""The context of a number: the nearest word within 40 characters that gives it a type.

Spans that are already claimed are read as their masks.  So a number is judged in the first reading as
in a second one, and masking a masked text changes nothing.
"""

import re
from bisect import bisect_right, insort
from string import ascii_lowercase
from typing import NamedTuple

from chalicelib.redaction.patterns import words_of
from chalicelib.redaction.vocabulary import Topic, WordRole, vocabulary

REACH = 40
# "order no. 1001" continues after its full stop, "I placed an order. 1001" does not.
_SENTENCE_END = re.compile(
    r"[.?!](?:(?<=[?!])|(?<=[^\W\d_]{2}\.)(?<!tel\.)(?<!num\.)(?<!nro\.)(?<!ord\.)(?<!ref\.)(?<!inv\.)(?<!mob\.)"
    r"(?<!\bno\.)(?<!\bnr\.)(?<!\bst\.)(?<!\bid\.)(?<!núm\.)(?<!acc\.)(?<!acct\.)(?<!bestellg\.))\s"
)
_WORD = re.compile(r"[^\W\d_]+")


class NumberContext(NamedTuple):
    """The nearest word that gives a number its meaning (`topic`), and how the word is joined to it.

    `is_direct`: only filler words are between them. `is_marked`: a mark announces the number
    ("no.", "id", "#", a colon). `is_named`: a mark follows the word itself ("order number"), so the
    number is somewhere in the sentence. `governs`: the number is the word's own ("SKU 12345678",
    "item no. 12345678"): no other word and no comma is between them.
    """

    topic: Topic | None
    is_direct: bool
    is_marked: bool
    is_named: bool
    governs: bool = False

    @property
    def is_readable(self) -> bool:
        """Whether the number stays readable: a word for something harmless, such as SKU, names it."""
        return self.governs and self.topic in HARMLESS


NOTHING = NumberContext(None, is_direct=False, is_marked=False, is_named=False)
HARMLESS = frozenset({Topic.CATALOGUE, Topic.THING, Topic.COLOUR})
"""Meanings of words whose own number stays readable."""


def context_before(tail: str) -> NumberContext:
    """The nearest word before a number that gives it its meaning, found in the text before the number."""
    if _MAILBOX in tail:
        tail = tail.replace(_MAILBOX, "x@x")  # a word, as the address was
    if ". " in tail or "? " in tail or "! " in tail or ".\n" in tail:
        tail = _last_sentence(tail)
    is_marked = tail.rstrip(" \t\x1f([{\"'*-").endswith(("#", ":", "="))
    known = vocabulary()
    is_direct = governs = True
    is_linked = False
    following = ""
    for word in reversed(words_of(tail)):
        role = known.roles.get(word)
        if role is None:
            is_direct = governs = False
        elif role is WordRole.MARK:
            is_marked = True
        elif role is not WordRole.FILLER and (is_marked or _is_noun(tail, word)):
            topic = known.topics[word]
            if topic is Topic.ORDER:
                topic = _head(tail, word)
            governs = governs and not (topic is Topic.THING and is_linked)
            governs = governs and _is_joined(tail, word)
            is_named = following in known.marks or _is_number_of_a(tail, word)
            return NumberContext(topic, is_direct, is_marked or is_named, is_named, governs)
        elif word in known.copulas:
            is_linked = True
        else:
            governs = False
        following = word
    return NOTHING


_MAILBOX = "***@***"
_CLAUSE_END = re.compile(r"[^\W\d][\s]*[,;\n]")


def _is_noun(tail: str, word: str) -> bool:
    """Whether a word such as German "oder" (or) is a typing error of "order" here, as in "my oder".

    True for a word that has no other meaning.
    """
    if word not in vocabulary().needs_mark:
        return True
    return tail[: tail.rfind(word)].rstrip().endswith(("my", "our", "your", "the"))


def _is_number_of_a(tail: str, word: str) -> bool:
    """Whether a word such as "number", then "of", come before the word: "número de pedido"."""
    earlier = tail[: tail.rfind(word)].split()[-2:]
    known = vocabulary()
    return (
        len(earlier) == 2 and earlier[0] in known.marks and earlier[1].rstrip("'’") in known.links
    )


def _is_joined(tail: str, word: str) -> bool:
    """Whether no comma or line break separates a word from the number after it."""
    return _CLAUSE_END.search(tail, tail.rfind(word)) is None


def _last_sentence(tail: str) -> str:
    """The last sentence of the text before a number.

    The question before that sentence is included if it asks for a number and the sentence answers it.
    """
    found = _SENTENCE_END.split(tail)
    if len(found) == 1:
        return tail
    known = vocabulary()
    asked = _WORD.findall(found[-2])
    is_answer = all(word in known.fillers for word in _WORD.findall(found[-1]))
    if is_answer and "? " in tail and any(word in known.marks for word in asked[-4:]):
        return found[-2] + " " + found[-1]
    return found[-1]


def context_after(head: str) -> NumberContext:
    """The nearest word after a number that gives it its meaning, as in "48213 is my order number"."""
    known = vocabulary()
    first = _WORD.search(head)
    if (first is None or first.group() not in known.copulas) and _BRACKETS.isdisjoint(head[:3]):
        return NOTHING
    head = _SENTENCE_END.split(head, 1)[0]
    found = words_of(head)
    is_bracketed = head[:3].strip().startswith(("(", "=", "<-"))
    if not found or not (found[0] in known.copulas or is_bracketed):
        return NOTHING
    is_direct = is_bracketed
    for word in found:
        topic = known.topics.get(word)
        if topic is not None:
            is_named = _is_number_of(head, word)
            return NumberContext(topic, is_direct, is_named, is_named)
        if word not in known.fillers and word not in known.links:
            break
        is_direct = True
    return NOTHING


_BRACKETS = frozenset("(=<")


def may_be_direct(words: str, start: int, end: int) -> bool:
    """Whether a word right beside a number may give it its meaning; cheaper than `context_before`."""
    known = vocabulary()
    if _last_word(words[max(0, start - 24) : start]) in known.roles:
        return True
    head = words[end : end + 12].lstrip()
    if head[:1] in _BRACKETS:
        return True
    if head[:1] not in known.copula_initials:
        return False
    first = _WORD.match(head)
    return first is not None and first.group() in known.copulas


def _last_word(tail: str) -> str:
    """The last word of a lower-case text; the word "is" where the text has no word."""
    if tail.isascii():
        tail = tail.rstrip(_NO_LETTERS)
        return tail[len(tail.rstrip(ascii_lowercase)) :] or "is"
    # Matched backwards: a search for the end would begin at every character.
    found = _WORD_REVERSED.match(tail[::-1])
    return found[1][::-1] if found else "is"


_NO_LETTERS = "".join(char for char in map(chr, range(128)) if char not in ascii_lowercase)
_WORD_REVERSED = re.compile(r"[\W\d_]*+([^\W\d_]++)")


def _head(tail: str, word: str) -> Topic:
    """What "order" means after the words before it: in "tracking number for my order" it means tracking."""
    known = vocabulary()
    is_linked = False
    for earlier in reversed(words_of(tail[: tail.rfind(word)])):
        if earlier in known.links:
            is_linked = True
        elif earlier not in known.fillers:
            found = known.topics.get(earlier) is Topic.TRACKING
            return Topic.TRACKING if found and is_linked else Topic.ORDER
    return Topic.ORDER


def _is_number_of(head: str, word: str) -> bool:
    following = _WORD.search(head, head.find(word) + len(word))
    return following is not None and following.group() in vocabulary().marks


_TAIL = REACH + 16  # so that the first word within reach is whole


class Surroundings:
    """The text around any offset of one text, with the masks that it has so far.

    Args:
        words: the text in lower case.
    """

    __slots__ = ("_known", "_masks", "_words")

    def __init__(self, words: str) -> None:
        self._words = words
        self._masks: list[tuple[int, int, str]] = []  # ends, starts and masks, in order
        self._known: dict[str, NumberContext] = {}

    def mask(self, start: int, end: int, mask: str) -> None:
        """Read the characters `[start, end)` of the text as their mask from now on."""
        insort(self._masks, (end, start, mask.lower()))

    def text_before(self, start: int) -> str:
        """The text before an offset, as far as a word there could give a number its meaning."""
        words, masks, left = self._words, self._masks, _TAIL
        index = bisect_right(masks, (start, start, "")) - 1
        pieces: list[str] = []
        while index >= 0 and start - masks[index][0] < left:
            end, first, mask = masks[index]
            pieces += (words[end:start], mask)
            left -= start - end + len(mask)
            start = first
            index -= 1
            if left <= 0:
                return "".join(reversed(pieces))[-_TAIL:]
        rest = words[max(0, start - left) : start]
        return rest + "".join(reversed(pieces)) if pieces else rest

    def context_before(self, start: int) -> NumberContext:
        """The nearest word before an offset that gives a number its meaning, as a `NumberContext`."""
        tail = self.text_before(start)
        context = self._known.get(tail)
        if context is None:
            context = self._known[tail] = context_before(tail)
        return context

    def context_near(self, start: int, end: int) -> NumberContext:
        """The nearest word that gives a number its meaning, as a `NumberContext`.

        It is a word before the number, unless the words after it say "is my ...".
        """
        context = self.context_before(start)
        if context.topic is not None and context.is_direct:
            return context
        follow = context_after(self._words[end : end + REACH])
        if follow.topic is None:
            return context
        return follow if follow.is_direct or context.topic is None else context
