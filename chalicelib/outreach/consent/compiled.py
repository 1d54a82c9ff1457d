"""Precompiled patterns: a container's first message need not wait half a second for their compilation.

`bench.consent` makes `wordings.bin`.  A file made from another table or by another Python is not used;
the patterns are then compiled from the table, with the same results.
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
"""Python's regular-expression engine; it refuses code that is not valid."""
_LETTERS = "I"
"""Array type of the engine's code: four bytes, little-endian as on every processor of Lambda."""


def packed(sources: Sequence[str], made_from: str) -> bytes:
    """The bytes of `wordings.bin`: the patterns as code of Python's engine; none may have named groups.

    Args:
        sources: the regular expressions of ``wordings.toml``.
        made_from: the digest of ``wordings.toml``, which is stored with them.
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
    """The compiled patterns in `wordings.bin`; None without the file, or if it is out of date.

    It is out of date where it was made from another ``wordings.toml`` or by another Python.

    Args:
        made_from: a digest of the current ``wordings.toml``.
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
