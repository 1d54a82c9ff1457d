"""The operator's answers about a stage: from a TOML file, or typed one by one.

::

    systems = ["support", "outreach", "facts"]
    way = "stack"                       # of the functions; or "direct": `chalice deploy`
    account = "123456789012"            # refuse any other
    alarm_email = "night@example.com"
    company = "company.json"            # the first company-data item, for outreach
    test_ticket = "1042"                # for support; without it the newest open ticket

    [variables]                         # go into `.chalice/config.json`
    POWERBI_TENANT_ID = "..."

    [secrets]                           # the environment variable that holds each, never a value
    "richpanel/api_key" = "RICHPANEL_API_KEY"
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from chalicelib.settings import variable_names
from ops.session import EXIT_UNUSABLE, OpsError

System = Literal["support", "outreach", "facts"]
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,63}")


class Answers(BaseModel):
    """Everything that setup cannot find out by itself."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    systems: tuple[System, ...] = Field(min_length=1)
    way: Literal["stack", "direct"] = "stack"
    account: str = Field(default="", pattern=r"^(\d{12})?$")
    alarm_email: str = Field(default="", pattern=r"^([^@\s]+@[^@\s]+)?$")
    company: Path | None = None
    test_ticket: str = ""
    variables: dict[str, str] = {}
    secrets: dict[str, str] = {}

    @field_validator("variables")
    @classmethod
    def _known(cls, value: dict[str, str]) -> dict[str, str]:
        unknown = sorted(value.keys() - variable_names())
        if unknown:
            raise ValueError(f"unknown: {', '.join(unknown)}")
        return value

    @field_validator("secrets")
    @classmethod
    def _named(cls, value: dict[str, str]) -> dict[str, str]:
        """Accept only names of environment variables, so that no secret's value is in the file."""
        wrong = sorted(name for name, held in value.items() if not _VARIABLE.fullmatch(held))
        if wrong:
            raise ValueError(f"name an environment variable, not a value: {', '.join(wrong)}")
        return value


SHAPES = {
    "systems": "names one at least of support, outreach, facts",
    "way": "is stack or direct",
    "account": 'is twelve digits in quotes: "123456789012"',
    "alarm_email": "is one e-mail address",
    "company": "is the name of a file",
    "test_ticket": 'is a ticket\'s number in quotes: "1042"',
    "variables": "is a table of names and texts in quotes",
    "secrets": "is a table of names, each with an environment variable's name",
}
"""What each answer must be, to complete an error's sentence."""


def read(path: Path) -> Answers:
    """Read the answers of a file.

    Raises:
        OpsError: the file cannot be read, or an answer is wrong; names the answer and shows no
            value.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
        found = Answers.model_validate(raw)
    except OSError as error:
        raise OpsError(f"{path} cannot be read: {error.strerror}", code=EXIT_UNUSABLE) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        raise OpsError(f"{path} is not TOML", code=EXIT_UNUSABLE) from None
    except ValidationError as error:
        raise OpsError(f"{path}: {_faults(error)}", code=EXIT_UNUSABLE) from None
    if found.company is not None and not found.company.is_absolute():
        return found.model_copy(update={"company": path.parent / found.company})
    return found


def validate_typed(given: Mapping[str, object]) -> Answers:
    """Validate the answers that were typed.

    Raises:
        OpsError: an answer is wrong; names it and shows no value.
    """
    try:
        return Answers.model_validate(given)
    except ValidationError as error:
        raise OpsError(_faults(error), code=EXIT_UNUSABLE) from None


def _faults(error: ValidationError) -> str:
    """The errors in our own words, each once, by the answer's name."""
    return "; ".join(
        sorted({_fault(fault["loc"], fault["type"], fault["msg"]) for fault in error.errors()})
    )


def _fault(place: tuple[int | str, ...], kind: str, message: str) -> str:
    field = str(place[0])
    named = ".".join(str(part) for part in place if isinstance(part, str))
    if field not in SHAPES:
        return f"{named}: no such answer; there are {', '.join(SHAPES)}"
    said = message.removeprefix("Value error, ")
    return f"{named}: {said if kind == 'value_error' else SHAPES[field]}"
