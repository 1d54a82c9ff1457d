"""Matches a company's regular expressions in time that is linear in the text.

They run in workers that companies share, so the engine is pydantic's, which never backtracks
(https://docs.rs/regex/latest/regex/#untrusted-input).  It has no look-around and no back-reference,
and limits the size of a compiled pattern.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

from pydantic import StringConstraints, TypeAdapter, ValidationError
from pydantic_core import SchemaError

LONGEST = 500
"""Maximum number of characters of a regular expression."""


def fault(pattern: object) -> str | None:
    """Why a value is no usable regular expression, without quoting it; None where it is one."""
    if not isinstance(pattern, str) or len(pattern) > LONGEST:
        return f"is no text of at most {LONGEST} characters"
    try:
        pattern.encode()  # half a character would compile, and match nothing that can be sent
        _compiled(pattern)
    except (SchemaError, UnicodeEncodeError):
        return "is no regular expression, or has a look-around or back-reference, or is too large"
    return None


def matches(pattern: str, text: str) -> bool:
    """Whether a regular expression matches anywhere in a text.

    Raises:
        SchemaError: the pattern is not usable; `fault` says why.
    """
    try:
        _compiled(pattern).validate_python(text)
    except ValidationError:
        return False
    return True


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> TypeAdapter[str]:
    return TypeAdapter(Annotated[str, StringConstraints(pattern=pattern)])
