"""A parser of what others write: its samples, how they are written down, its bound and its own errors."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from chalicelib.errors import RequestError
from tests.fuzz.mutation import changed_text, changed_value

NAME, SECRET = "Quillfeather", "wren7sparrow7finch"
"""A customer's word and a credential: samples hold them, and no error may."""


@dataclass(frozen=True, kw_only=True)
class Parser:
    """One entry point.

    Attributes:
        whose: who writes what it reads.
        parse: takes one written input.
        samples: real inputs: texts, or values that `write` writes down.
        write: None where the parser takes the value itself.
        refuses: its own errors.
        limit: characters or bytes that it takes; the growth is measured up to it.
        units: what a large hostile input repeats, beside the pieces of the samples.
    """

    name: str
    whose: str
    parse: Callable[[Any], object]
    samples: Callable[[], Sequence[Any]]
    write: Callable[[Any], Any] | None = None
    refuses: tuple[type[Exception], ...] = (RequestError,)
    limit: int = 8192
    units: tuple[str, ...] = ()

    def input(self, sample: Any, chance: random.Random) -> Any:
        """A hostile input from a sample."""
        if isinstance(sample, str | bytes):
            return _changed(sample, chance)
        value = changed_value(sample, chance) if chance.random() < 0.8 else sample
        if self.write is None:
            return value
        written = self.write(value)
        is_text = isinstance(written, str | bytes)
        return _changed(written, chance) if is_text and value is sample else written


def as_json(value: Any) -> bytes:
    """A body of JSON, with characters as they are where they can be written so."""
    return json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass")


def as_json_text(value: Any) -> str:
    """The same as a text."""
    return json.dumps(value, default=str)


def as_form(value: Any) -> bytes:
    """A form, whatever its values are."""
    fields = value if isinstance(value, dict) else {"value": value}
    return urlencode([(name, value) for name, value in fields.items()], errors="replace").encode()


def _changed(sample: str | bytes, chance: random.Random) -> str | bytes:
    if isinstance(sample, str):
        return changed_text(sample, chance)
    return as_bytes(changed_text(sample.decode("utf-8", "surrogateescape"), chance))


def as_bytes(text: str) -> bytes:
    """A text as bytes, which need not be UTF-8 where it holds halves of pairs."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
