"""Phone numbers: which groups of digits form one, and its mask."""

from chalicelib.redaction.evidence import Sign
from chalicelib.redaction.patterns import lazily
from chalicelib.redaction.sheet import Kind, Sheet

DIGITS = range(7, 16)

_EXTENSION = lazily(
    r"[ \t\x1f,;]{0,2}(?:(?P<open>\()?(?:extension|extn|ext|durchwahl|anexo|interno|int|poste|app|dw|x)"
    r"[ .:#\x1f]{0,3}|#)\d{1,6}(?(open)\))(?![a-z0-9])"
)

# Lengths of the groups of national numbers written without `+`, `0` or brackets in front.
_SHAPES = frozenset({
    (3, 3, 4), (1, 3, 3, 4), (1, 3, 7), (3, 7), (6, 4), (1, 10), (3, 4, 4), (3, 3, 3), (3, 2, 2, 2),
    (3, 3, 2, 2), (1, 3, 3, 2, 2), (2, 4, 4), (2, 5, 4), (5, 5), (4, 3, 3), (4, 6), (5, 6),
    (3, 3, 5), (3, 4, 3), (2, 3, 4), (2, 3, 2, 2), (2, 2, 3, 4), (2, 3, 3, 4), (2, 10), (3, 2, 3, 2),
    (2, 3, 3, 3), (3, 8), (4, 4, 3), (2, 2, 4, 4), (2, 2, 5, 4), (4, 7), (3, 5),
    (2, 8), (2, 7), (3, 6), (2, 1, 2, 2, 2, 2), (2, 3, 7), (3, 3, 2, 3), (2, 5, 5), (2, 3, 6),
    (1, 4, 4), (1, 3, 2, 2, 2), (2, 4, 3, 3), (2, 3, 4, 4),
})  # fmt: skip
# Such groups with a digit lost or doubled: a mistyped number is still a number.
_TYPO_SHAPES = frozenset(
    {(3, 3, 5), (3, 4, 4), (4, 3, 4), (3, 2, 5), (2, 3, 4), (3, 3, 6), (3, 5, 4)}
)
_ONLY_DASHED = frozenset({(3, 4), (4, 4), (3, 3, 3), (3, 3, 2), (2, 3, 4), (3, 5), (2, 7), (3, 6),
                          (2, 8), (4, 3), (3, 8), (2, 5, 5), (1, 4, 4)})  # fmt: skip


def mask(digits: str) -> str:
    """The mask of a phone number: `***-***-` and its last four digits."""
    return "***-***-" + digits[-4:]


def is_shape(lengths: tuple[int, ...], separators: tuple[str, ...]) -> bool:
    """Whether groups of these lengths and separators look like a phone number, whatever is beside them."""
    if lengths in _ONLY_DASHED:
        is_dashed = all(s.strip() == "-" for s in separators)
        return is_dashed or (lengths == (3, 3, 3) and set(separators) <= {" ", ".", "\x1f"})
    if lengths == (4, 4):
        return False
    return lengths in _SHAPES or lengths in _TYPO_SHAPES


def claim(
    sheet: Sheet, start: int, end: int, digits: str, evidence: tuple[Sign, ...] = (Sign.GROUPS,)
) -> int:
    """Mask a phone number with its `+`, bracket and extension; returns the offset at which it ends."""
    low = sheet.low
    extension = _EXTENSION().match(low, end)
    inside = low[start:end]
    is_open = inside.count(")") > inside.count("(")
    while start and (low[start - 1] == "+" or (low[start - 1] in "([" and is_open)):
        is_open = is_open and low[start - 1] == "+"
        start -= 1
    if low[end : end + 1] == ")" and "(" in inside and ")" not in inside:
        end += 1
        extension = extension or _EXTENSION().match(low, end)
    if extension:
        end = extension.end()
    sheet.claim(start, end, Kind.PHONE, mask(digits), evidence)
    return end
