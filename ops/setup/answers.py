"""What the operator wants of a stage: from a TOML file, or asked for one by one.

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
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from chalicelib.settings import variable_names
from ops.session import EXIT_UNUSABLE, OpsError

System = Literal["support", "outreach", "facts"]
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,63}")


class Answers(BaseModel):
    """Everything that setup does not find out by itself."""

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
        """A value in the file would stay in it; only the variable that has the value is named."""
        wrong = sorted(name for name, held in value.items() if not _VARIABLE.fullmatch(held))
        if wrong:
            raise ValueError(f"name an environment variable, not a value: {', '.join(wrong)}")
        return value


def read(path: Path) -> Answers:
    """The answers of a file.

    Raises:
        OpsError: it cannot be read, or an answer is wrong; names it and shows no value.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
        found = Answers.model_validate(raw)
    except OSError as error:
        raise OpsError(f"{path} cannot be read: {error.strerror}", code=EXIT_UNUSABLE) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        raise OpsError(f"{path} is not TOML", code=EXIT_UNUSABLE) from None
    except ValidationError as error:
        faults = [
            f"{'.'.join(str(part) for part in one['loc'])}: {one['msg'].removeprefix('Value error, ')}"
            for one in error.errors()
        ]
        raise OpsError(f"{path}: {'; '.join(sorted(faults))}", code=EXIT_UNUSABLE) from None
    if found.company is not None and not found.company.is_absolute():
        return found.model_copy(update={"company": path.parent / found.company})
    return found
