"""The text beside a number, as a reader of the masked text sees it.

Spans that are already claimed are read as their masks.  So a number is judged in the first reading as
in a second one, and masking a masked text changes nothing.
"""

from bisect import bisect_right, insort

from chalicelib.redaction.topics import REACH, NumberContext, after, before

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
        """Note that the characters `[start, end)` are masked: from now on the mask is read in their place."""
        insort(self._masks, (end, start, mask.lower()))

    def tail(self, start: int) -> str:
        """The text before an offset, as far back as a word could give a number at the offset its meaning."""
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

    def before(self, start: int) -> NumberContext:
        """The nearest word before an offset that gives a number its meaning, as a `NumberContext`."""
        tail = self.tail(start)
        context = self._known.get(tail)
        if context is None:
            context = self._known[tail] = before(tail)
        return context

    def near(self, start: int, end: int) -> NumberContext:
        """The nearest word beside a number that gives it its meaning, as a `NumberContext`.

        It is a word before the number, unless the words after the number name it: "is my order number".
        """
        context = self.before(start)
        if context.topic is not None and context.is_direct:
            return context
        follow = after(self._words[end : end + REACH])
        if follow.topic is None:
            return context
        return follow if follow.is_direct or context.topic is None else context
