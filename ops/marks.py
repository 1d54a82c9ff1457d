"""Text in which nothing hides: control and direction marks are written out; pure.

A right-to-left mark in a message, a name or a reason could otherwise show an address or an amount
backwards, and an escape colours a terminal.  What a command prints passes `visible`, every value that a
page prints passes `shown`; a value that a form gives back unchanged is printed as it is, by the filter
``e``.
"""

from __future__ import annotations

_HARMLESS = frozenset("\n\t\r\u200d\u200c\ufe0f\u00a0\u202f\u2009\u3000")
"""Line ends, joiners within emoji and scripts, and spaces of other widths."""


def visible(text: str) -> str:
    """The text, each mark that changes how the others are seen as ``⟨U+202E⟩``."""
    return text if text.isprintable() else "".join(map(_visible, text))


def shown(value: object) -> object:
    """What a template prints: text is made visible, markup of ours is as it is."""
    return visible(value) if type(value) is str else value


def _visible(one: str) -> str:
    return one if one.isprintable() or one in _HARMLESS else f"⟨U+{ord(one):04X}⟩"
