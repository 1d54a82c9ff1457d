"""Patterns kept as compiled, so that a container's first message does not wait half a second for them.

`bench.consent` makes `wordings.bin`.  A file of another table or another Python is not used: the patterns
are compiled then, which is slower and hears the same.
"""

from __future__ import annotations

import json
import re
import sys
import zlib
from array import array
from collections.abc import Sequence
from importlib import import_module

from chalicelib.tables import beside

FILE = beside(__file__, "wordings.bin")
_ENGINE = import_module("_sre")
"""Python's own; a code that is none is refused by it."""
_LETTERS = "I"
"""Of a code: four bytes, in the order of every processor that Lambda has."""


def packed(sources: Sequence[str], made_from: str) -> bytes:
    """The file of some patterns, which name no groups.

    Args:
        sources: the expressions.
        made_from: a digest of the table.
    """
    compiler = import_module("re._compiler")
    head, codes = [], array(_LETTERS)
    for source in sources:
        parsed = import_module("re._parser").parse(source)
        code = array(_LETTERS, map(int, compiler._code(parsed, 0)))  # noqa: SLF001 - no other way
        head.append((len(code), parsed.state.flags, parsed.state.groups))
        codes += code
    known = json.dumps({"made_from": made_from, "engine": _ENGINE.MAGIC, "patterns": head})
    return zlib.compress(known.encode() + b"\n" + codes.tobytes(), 9)


def shipped(made_from: str) -> tuple[re.Pattern[str], ...] | None:
    """The patterns of this release; None where the file is of another table or another Python.

    Args:
        made_from: a digest of the table.
    """
    if not FILE.exists() or sys.byteorder != "little":
        return None
    head, _, codes = zlib.decompress(FILE.read_bytes()).partition(b"\n")
    known = json.loads(head)
    if (known["made_from"], known["engine"]) != (made_from, _ENGINE.MAGIC):
        return None
    every, at, made = array(_LETTERS, codes).tolist(), 0, []
    for size, flags, groups in known["patterns"]:
        code = every[at : at + size]
        made.append(_ENGINE.compile("", flags, code, groups - 1, {}, (None,) * groups))
        at += size
    return tuple(made)
