"""What a person newly wrote in a mail, without quoted history and signature; pure.

Mail programs mark history in four ways: quoted lines, a line that names who wrote when, a block of
headers, or a separator; an HTML mail has their own elements (`reply_html`).  A sentence that merely
looks like one ("From: Tulsa", "On Monday I wrote:") stays: a block needs a date among three headers,
and a line of attribution needs a date and an end.

Two texts come out.  A person reads `visible`, which loses only what is certain: history, what is
below ``-- ``, and a telephone's footer.  A machine reads `said`, which loses greeting and signature too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from chalicelib.vendors import reply_marks as marks
from chalicelib.vendors import reply_signatures as signatures
from chalicelib.vendors.reply_html import AFTER, QUOTED, SIGNED, marked_text

MAX_CHARACTERS = 200_000
MAX_LINES = 2000
_ATTRIBUTION_LINES = 4
"""The most lines that say who wrote the quoted mail, as mail programs wrap them."""
_MAX_ATTRIBUTION = 320
_HEADER_LINES = 9
_ENOUGH_HEADERS = 3
_WRAPPED_HEADERS = 2
_MAX_FOOTER = 100
_DASHED_LINES = 15
"""The most lines of a signature below ``-- ``; more is a text that goes on."""
_NOTES_LINES = 16
_OUTLOOK_RULE = 20
"""Below a line of at least so many underscores, one header is enough to begin the history."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A mail in its parts: new text, quoted history and signature.

    Attributes:
        visible: the newly written text, as a person should see it.
        said: `visible` without greeting and signature; never empty where `visible` is not.
        quotation: the lines that were cut as history.
        signature: the lines that are in neither `said` nor the quotation, greeting included.
    """

    visible: str
    said: str
    quotation: str
    signature: str

    @property
    def has_quotation(self) -> bool:
        """Whether the mail contains quoted history."""
        return bool(self.quotation)


def parse(text: str, *, name: str = "", is_html: bool = False) -> Reply:
    """The parts of a mail, found in time linear in its length.

    Where everything would be cut, the lines that are not quoted, anywhere in the mail, are visible.

    Args:
        text: the body.
        name: the writer's, as their mail program gives it; alone on a line, it is a signature.
        is_html: the body is HTML.
    """
    text = text[:MAX_CHARACTERS]
    whole = marked_text(text) if is_html else text
    lines = [_without_invisible(line) for line in whole.splitlines()[:MAX_LINES]]
    kept, cut, certain = _split(lines)
    if not any(line.strip() for line in kept) and cut:
        kept = _between(lines)
    drawn = [line.removeprefix(SIGNED) for line in kept]
    plain = next((n for n, line in enumerate(kept) if line.startswith(SIGNED)), len(kept))
    visible = "\n".join(drawn).strip()
    names = re.findall(r"\w+", name.lower())
    head = signatures.greeting_end(drawn[:plain])
    tail = signatures.signature_start(drawn[:plain], names)
    said = "\n".join(drawn[head:tail]).strip()
    if not said:
        said, head, tail = visible, 0, len(drawn)
    around = [*drawn[:head], *drawn[tail:], *certain]
    return Reply(visible, said, "\n".join(cut).strip(), "\n".join(around).strip())


def newly_written(text: str) -> str:
    """The new lines of a mail in plain text; empty where everything is quoted."""
    lines = [_without_invisible(line) for line in text[:MAX_CHARACTERS].splitlines()[:MAX_LINES]]
    return "\n".join(_split(lines)[0]).strip()


def _split(lines: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """The new lines of a mail, the lines of quoted history, and the lines of marked signatures.

    A signature is marked by a line ``--`` above it, or is a footer such as "Sent from my iPhone".
    Any other signature stays among the new lines.
    """
    kept: list[str] = []
    cut: list[str] = []
    signed: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at].strip()
        if not line:
            kept.append("")
            at += 1
        elif (end := _after_dashes(lines, at)) > at:
            signed += lines[at:end]
            cut += lines[end:]
            break
        elif _history_begins(lines, at):
            cut += lines[at:]
            break
        elif (length := _attribution_length(lines, at)) > 0:
            cut += lines[at : at + length]
            at += length
            if not _quote_follows(lines, at):
                cut += lines[at:]
                break
        elif line.startswith((">", QUOTED)):
            cut.append(line)
            at += 1
        elif _is_footer(line):
            signed.append(line)
            at += 1
        else:
            kept.append(lines[at])
            at += 1
    return kept, cut, signed


def _between(lines: Sequence[str]) -> list[str]:
    """The lines of a mail without quoted lines, the lines that mark history, and footers.

    Marks of history are headers, separators and lines such as "Jo wrote:".
    """
    kept: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at].strip()
        length = _attribution_length(lines, at) if line else 0
        is_mark = (
            line.startswith((">", QUOTED, AFTER))
            or marks.separator().match(line)
            or marks.RULE.fullmatch(line)
            or (line and marks.header().match(line))
            or _is_footer(line)
        )
        if not length and not is_mark:
            kept.append(lines[at])
        at += length or 1
    return kept


def _after_dashes(lines: Sequence[str], at: int) -> int:
    """The index after the signature that a line ``--`` at `at` begins.

    `at` itself where the line is no ``--``, or more lines follow than a signature has.
    """
    if lines[at].removeprefix(SIGNED).rstrip() != "--":
        return at
    length = 0
    for number in range(at + 1, len(lines)):
        line = lines[number].strip()
        if not line:
            continue
        if (
            line.startswith((">", QUOTED))
            or _history_begins(lines, number)
            or _attribution_length(lines, number)
        ):
            return number
        length += 1
        if length > _DASHED_LINES:
            return at
    return len(lines)


def _history_begins(lines: Sequence[str], at: int) -> bool:
    """Whether a separator or a block of mail headers begins at this line: nothing below it is new."""
    line = lines[at].strip()
    if not line:
        return False
    if line.startswith(AFTER) or marks.separator().match(line):
        return True
    if marks.NOTES_LINE.match(line) or _is_notes_block(lines, at):
        return True
    is_bare = marks.bare_separator().fullmatch(line) is not None
    if is_bare or marks.RULE.fullmatch(line) or marks.FRAMED.match(line):
        below = next((n for n in range(at + 1, min(at + 3, len(lines))) if lines[n].strip()), at)
        is_long = is_bare or (len(line) >= _OUTLOOK_RULE and set(line) == {"_"})
        begins = _is_header_block(lines, below) or (
            is_long and marks.header().match(lines[below].strip()) is not None
        )
        return below > at and begins
    return _is_header_block(lines, at)


def _is_header_block(lines: Sequence[str], at: int) -> bool:
    """Whether a block of mail headers begins at this line: three kinds or more, a date among them."""
    header = marks.header()
    if not header.match(lines[at].strip()):
        return False
    kinds: set[str] = set()
    has_date, wrapped = False, 0
    for line in lines[at : at + _HEADER_LINES]:
        found = header.match(line.strip())
        if found is None:
            wrapped += 1
            if not line.strip() or wrapped > _WRAPPED_HEADERS:
                break
            continue
        kinds.add(str(found.lastgroup))
        has_date |= found.lastgroup == "date" and re.search(r"\d", line) is not None
    return has_date and len(kinds) >= _ENOUGH_HEADERS


def _is_notes_block(lines: Sequence[str], at: int) -> bool:
    """Whether a Lotus Notes header begins at this line.

    A date is in the next two lines, and the labels "To" and "Subject" are alone on lines below.
    """
    if not any(_NUMERIC_DATE.match(line.strip()) for line in lines[at + 1 : at + 3]):
        return False
    found = [marks.label().fullmatch(line.strip()) for line in lines[at + 2 : at + _NOTES_LINES]]
    return {"to", "subject"} <= {str(match.lastgroup) for match in found if match}


def _attribution_length(lines: Sequence[str], at: int, *, is_dated: bool = False) -> int:
    """How many lines from this one say who wrote the quoted mail and when; 0 for none.

    With `is_dated` a date must be among them, so that the rest of a wrapped line does not count.
    """
    first = lines[at].strip().strip("*_ ")
    if first.startswith((">", QUOTED)):
        return 0
    joined = ""
    for number, line in enumerate(lines[at : at + _ATTRIBUTION_LINES], start=1):
        part = line.strip().strip("*_ ")
        if not part:
            return 0
        joined = f"{joined} {part}".strip()
        if len(joined) > _MAX_ATTRIBUTION:
            return 0
        if not _MAY_END.search(joined):
            continue
        if marks.attribution().match(joined):
            return number
        if marks.undated_attribution().match(joined) and _quote_follows(lines, at + number):
            return number
        if number == 1 and not is_dated and marks.addressed_attribution().match(joined):
            return number
        if marks.dated_attribution().match(joined) and not (
            number > 1 and _attribution_length(lines, at + 1, is_dated=True)
        ):
            return number
    return 0


def _quote_follows(lines: Sequence[str], at: int) -> bool:
    following = next((line for line in lines[at : at + 4] if line.strip()), "")
    return following.strip().startswith((">", QUOTED))


def _is_footer(line: str) -> bool:
    line = line.removeprefix(SIGNED).strip()
    return len(line) <= _MAX_FOOTER and bool(marks.footer().match(line))


def _without_invisible(line: str) -> str:
    """A line without the invisible characters that mail programs leave: byte order, direction, width."""
    shown = line.replace("\u00a0", " ").replace("\u202f", " ")
    if shown.isascii():
        return shown
    shown = unicodedata.normalize("NFC", shown)
    return "".join(character for character in shown if unicodedata.category(character) != "Cf")


_NUMERIC_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\s+\d{1,2}[:.]\d{2}")
_MAY_END = re.compile(
    r"[:\uff1a]\s*(?:$|>|\s{2,}\S)|(?:wrote|skrev|schrieb|\bescribi.)\s*$", re.IGNORECASE
)
