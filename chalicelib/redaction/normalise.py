"""The normalised view of a text, as a reader sees it, with offsets back to the original.

Patterns run on a view in which full-width digits are digits, `%40` and `&#64;` are `@`, and
zero-width characters are removed. A match is mapped back, so everything outside it stays byte for
byte. The mapping is a sparse list of the places where view and text differ in length; a plain ASCII
text has none and costs nothing.
"""

import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache
from typing import NamedTuple

MAX_TOKENS = 12_000  # escapes and invisible characters; a text with more is obfuscated
CAP_BYTES = 256 * 1024
_LOOK_AHEAD = 512  # so that an identifier cut by the cap is still read whole


class TooManyTokensError(ValueError):
    """A text has more escapes or invisible characters than any customer's message (`MAX_TOKENS`)."""


class View(NamedTuple):
    """A text as a reader sees it, in its own case and in lower case, with offsets back to the original."""

    cased: str
    low: str
    starts: tuple[int, ...]  # view offsets at which a segment begins
    segments: tuple[tuple[int, int], ...]  # offset in the text; length, if it is one token

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original text that this view shows as `[start, end)`; `end > start`."""
        if not self.starts:
            return start, end
        first, last = self._segment(start), self._segment(end - 1)
        offset, length = self.segments[first]
        text_start = offset if length else offset + start - self.starts[first]
        offset, length = self.segments[last]
        text_end = offset + (length or end - self.starts[last])
        return text_start, text_end

    def _segment(self, position: int) -> int:
        return bisect_right(self.starts, position) - 1


def within_cap(text: str) -> tuple[str, int]:
    """The part of a text that is read, and the offset at which the redacted text is cut.

    The offset is after 256 KB at most.  A little more than that is read, so that an identifier at the
    cut is read whole.
    """
    if len(text) * 4 <= CAP_BYTES:
        return text, len(text)
    raw = text[: CAP_BYTES + 1].encode("utf-8", "surrogatepass")
    if len(raw) <= CAP_BYTES:
        return text, len(text)
    size = CAP_BYTES
    while raw[size] & 0xC0 == 0x80:
        size -= 1
    end = len(raw[:size].decode("utf-8", "surrogatepass"))
    return text[: end + _LOOK_AHEAD], end


def has_no_markers(text: str) -> bool:
    """Whether a text has no digit, `@` or link in any notation; a cheap test, true of most texts."""
    if _MARKERS.search(text) or "://" in text or "&commat" in text:
        return False
    if text.isascii():
        return True
    return not any(_MARKERS.search(_plain(char)) for char in set(text) if char > "\x7f")


_MARKERS = re.compile(r"[\d@]|[wW]{3}\.")


def normalise(text: str) -> View:
    """The `View` of a text; every str is accepted, lone surrogates and NUL included.

    Raises:
        TooManyTokensError: the text has too many escapes or invisible characters.
    """
    strange = set() if text.isascii() else set(_NOT_AS_WRITTEN.findall(text))
    if not strange:
        odd, plain = "", text
    else:
        table = {ord(char): _plain(char) for char in strange}
        odd = "".join(sorted(chr(code) for code, shown in table.items() if len(shown) != 1))
        plain = text.translate({code: s for code, s in table.items() if len(s) == 1})
    tokens = _token_pattern(odd, plain)
    if tokens is None:
        return View(plain, plain.lower(), (), ())
    return _decode(plain, tokens)


# Any character but those, of European languages, that a view shows unchanged.
_NOT_AS_WRITTEN = re.compile(
    "[^\\x00-\\x7fáéíóúüñàèìòùâêîôûäöëïçãõåæøœßÁÉÍÓÚÜÑÀÈÌÒÙÂÊÎÔÛÄÖËÏÇÃÕÅÆØŒ¿¡€£§°«»“”„]"
)

_ESCAPES = (
    r"%(?:25){0,4}[0-7][0-9A-Fa-f]"
    r"|&(?:amp;){0,4}(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,8});"
    r"|\\\\{0,7}(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[nrt\"/])"
    r"|=(?:40|2E|2D)(?=[A-Za-z])|=\r?\n|<[wW][bB][rR] ?/?>"
)
_ESCAPE_HINTS = ("%", "&", "\\", "=", "<wbr", "<WBR")
_ENTITIES = {
    "commat": "@",
    "period": ".",
    "nbsp": "\x1f",
    "lt": "<",
    "gt": ">",
    "quot": '"',
    "apos": "'",
    "amp": "&",
    "num": "#",
    "plus": "+",
    "lpar": "(",
    "rpar": ")",
    "sol": "/",
    "colon": ":",
    "comma": ",",
    "lowbar": "_",
    "dash": "-",
    "hyphen": "-",
    "ndash": "-",
    "mdash": "-",
    "minus": "-",
    "ensp": "\x1f",
    "emsp": "\x1f",
    "thinsp": "\x1f",
    "shy": "",
    "zwj": "",
    "zwnj": "",
    "lrm": "",
    "rlm": "",
}


def may_hold_escapes(text: str) -> bool:
    """Whether a text may hold an escape such as `%40` or `&#64;`; cheap."""
    for hint in _ESCAPE_HINTS:  # noqa: SIM110 - twice as fast as any() here
        if hint in text:
            return True
    return False


def _token_pattern(odd: str, plain: str) -> re.Pattern[str] | None:
    escaped = may_hold_escapes(plain)
    if not odd:
        return _ESCAPE if escaped else None
    # A hostile text may hold thousands of such characters: one class, never an alternation.
    odd_class = "[" + re.escape(odd) + "]"
    return re.compile(f"{_ESCAPES}|{odd_class}" if escaped else odd_class)


_ESCAPE = re.compile(_ESCAPES)


def _decode(plain: str, tokens: re.Pattern[str]) -> View:
    pieces: list[str] = []
    starts: list[int] = [0]
    segments: list[tuple[int, int]] = [(0, 0)]
    size = done = 0
    for count, match in enumerate(tokens.finditer(plain)):
        if count == MAX_TOKENS:
            raise TooManyTokensError
        start, end = match.span()
        shown = _show(match.group())
        if shown is None:
            continue
        pieces.append(plain[done:start])
        size += start - done
        if shown:
            pieces.append(shown)
            starts.append(size)
            segments.append((start, end - start))
            size += len(shown)
        starts.append(size)
        segments.append((end, 0))
        done = end
    if len(starts) == 1:
        return View(plain, plain.lower(), (), ())
    pieces.append(plain[done:])
    cased = "".join(pieces)
    return View(cased, cased.lower(), tuple(starts), tuple(segments))


def _show(token: str) -> str | None:
    """The characters that an escape or an odd character stands for; None if it is shown as written.

    Empty for what a reader does not see.
    """
    head = token[0]
    if head == "%":
        return _shown_code(int(token[-2:], 16))
    if head == "&":
        name = token[1:-1].rpartition("amp;")[2]
        if name.startswith(("#x", "#X")):
            return _shown_code(int(name[2:], 16))  # noqa: FURB166 - `0x` is not in it
        if name.startswith("#"):
            return _shown_code(int(name[1:]))
        return _ENTITIES.get(name)
    if head == "\\":
        name = token.lstrip("\\")
        if len(name) > 1:
            return _shown_code(int(name[1:], 16))
        return name if name in '"/' else "\n"
    if head == "<":
        return ""
    if head == "=":
        return _shown_code(int(token[1:], 16)) if len(token) == len("=40") else ""
    return _plain(token)


def _shown_code(code: int) -> str | None:
    if code == ord(" "):
        return "\x1f"  # a space that does not end a link
    if code < ord(" "):
        return "\n"
    if code > 0x10FFFF:
        return None
    return chr(code) if code < ord("\x7f") else _plain(chr(code))


_DOTS = frozenset("․。｡·•‧∙⋅・")
_SLASHES = frozenset("⁄∕⧸")
_MINUS = frozenset("−⁃˗➖﹘ー")


@lru_cache(maxsize=4096)
def _plain(char: str) -> str:
    """A character as displayed: usually one character, none if invisible, several for a ligature."""
    category = unicodedata.category(char)
    if category in {"Cf", "Mn", "Me"} or char in "\u115f\u1160\u3164\uffa0":
        return ""
    if category == "Zs":
        # A thin space groups the digits of a count; one view character tells it from a space.
        return "\x1f" if char in "\u2009\u202f" else " "
    if category == "Pd" or char in _MINUS:
        return "-"
    if char in _DOTS:
        return "."
    if char in _SLASHES:
        return "/"
    if char in "‘’ʼ":
        return "'"
    digit = unicodedata.digit(char, None)
    if digit is not None:
        return str(digit)
    shown = unicodedata.normalize("NFKC", char)
    shown = "".join(c for c in shown if unicodedata.category(c) not in {"Mn", "Cf"})
    # The only letter whose lower case has another length.
    return shown.replace("\u0130", "I")
