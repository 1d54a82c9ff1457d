"""How many SMS a text is sent as: GSM 03.38 with seven bits a character, else UCS-2.

No library in the deployed package counts them.  The two character sets are those of 3GPP TS 23.038.
"""

from __future__ import annotations

_BASIC = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
_EXTENDED = frozenset("\f^{}\\[~]|€")
"""Each of these takes two places: an escape and itself, which are never split."""
_GSM = (160, 153)
_UCS2 = (70, 67)
"""Places of a single SMS, and of each part of a longer text."""


def is_gsm(text: str) -> bool:
    """Whether every character of an SMS is in GSM's seven-bit sets."""
    return all(character in _BASIC or character in _EXTENDED for character in text)


def segments(text: str) -> int:
    """The number of SMS that a text is billed as; at least one."""
    if is_gsm(text):
        sizes, (single, part) = [1 + (character in _EXTENDED) for character in text], _GSM
    else:
        sizes, (single, part) = (
            [len(character.encode("utf-16-le")) // 2 for character in text],
            _UCS2,
        )
    if sum(sizes) <= single:
        return 1
    count, left = 1, part
    for size in sizes:  # no character is split between two SMS
        if size > left:
            count, left = count + 1, part
        left -= size
    return count


def capacity(text: str, count: int) -> int:
    """About how many characters like those of a text fit into `count` SMS."""
    single, part = _GSM if is_gsm(text) else _UCS2
    return single if count == 1 else part * count
