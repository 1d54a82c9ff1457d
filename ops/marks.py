"""Writes out control and direction marks in text, so that nothing hides in it; pure.

A right-to-left mark in a message, a name or a reason could show an address or an amount backwards,
and an escape sequence can colour a terminal.  Commands print through `visible`, pages through
`shown`.  A value that a form must send back unchanged is printed by the filter ``e`` instead.
"""

from __future__ import annotations

_HARMLESS = frozenset("\n\t\r\u200d\u200c\ufe0f\u00a0\u202f\u2009\u3000")
"""Line ends, joiners within emoji and scripts, and spaces of other widths."""


def visible(text: str) -> str:
    """The text with each invisible mark written as, for example, ``⟨U+202E⟩``."""
    return text if text.isprintable() else "".join(map(_visible, text))


def shown(value: object) -> object:
    """A template's value: text is made visible; our own markup stays."""
    return visible(value) if type(value) is str else value


def _visible(mark: str) -> str:
    return mark if mark.isprintable() or mark in _HARMLESS else f"⟨U+{ord(mark):04X}⟩"
