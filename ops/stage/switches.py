"""Reads and sets the four switches of a stage in SSM, and shows the changes of each.

A switch's changes come from its parameter's history, of which SSM keeps a hundred.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.aws.switches import NAMES
from chalicelib.clock import iso
from chalicelib.redaction.redactor import redact
from ops.identity import Identity
from ops.session import OpsError, Session

TIGHT = {"kill_switch": True, "safe_mode": True, "automation_enabled": False, "shadow_mode": True}
"""The value of each switch that stops more."""


MOST_DESCRIBED = 1024
"""The longest description, in characters, that SSM accepts."""


@dataclass(frozen=True, slots=True)
class SwitchChange:
    """One change of a switch.

    Attributes:
        value: the stored text; an invalid one stops every effect.
        at: ISO-8601 UTC.
        by: a person's name, as in `ops.identity`.
    """

    value: str
    at: str
    by: str


def read(session: Session) -> dict[str, str | None]:
    """Every switch; None if it is missing, which stops every effect."""
    answer = session.client("ssm").get_parameters(Names=[_path(session, name) for name in NAMES])
    found = {
        parameter["Name"].rpartition("/")[2]: parameter["Value"]
        for parameter in answer["Parameters"]
    }
    return {name: found.get(name) for name in NAMES}


def story(session: Session, name: str) -> list[SwitchChange]:
    """A switch's changes, newest first; empty if it is missing.

    Raises:
        ClientError: the caller may not read the history.
    """
    ssm = session.client("ssm")
    try:
        changes = list(_changes(ssm, _path(session, name)))
    except ssm.exceptions.ParameterNotFound:
        return []
    return changes[::-1]


def in_force(changes: list[SwitchChange]) -> SwitchChange | None:
    """The change that gave a switch its present value; setting the same value again does not count."""
    since = None
    for change in changes:
        if change.value != changes[0].value:
            break
        since = change
    return since


def since_when(session: Session) -> dict[str, SwitchChange | None]:
    """By switch, the change that gave it its present value; None if unreadable."""
    found: dict[str, SwitchChange | None] = {}
    for name in NAMES:
        try:
            found[name] = in_force(story(session, name))
        except (ClientError, BotoCoreError):  # the values matter more and are shown anyway
            found[name] = None
    return found


VALUES = {"true": True, "on": True, "false": False, "off": False}
"""The accepted words for a switch; others, such as yes, are refused."""


def is_tightening(name: str, value: str) -> bool:
    """Whether a value is the switch's tighter one, which stops more.

    Raises:
        OpsError: no such switch, or the value is not a boolean.
    """
    return _flag(name, value) == TIGHT[name]


def write(session: Session, name: str, value: str, *, because: str = "") -> None:
    """Set a switch in one call; it takes effect within 30 seconds.

    Args:
        session: the stage.
        name: the switch.
        value: true or false.
        because: the reason; SSM keeps it with the change, and the sweep copies it into the journal.

    Raises:
        OpsError: no such switch, or the value is not a boolean.
    """
    session.client("ssm").put_parameter(
        Name=_path(session, name),
        Value="true" if _flag(name, value) else "false",
        Type="String",
        Description=redact(because)[:MOST_DESCRIBED],
        Overwrite=True,
    )


def _flag(name: str, value: str) -> bool:
    if name not in NAMES:
        raise OpsError(f"no such switch; the switches are {', '.join(NAMES)}", code=2)
    if value.lower() not in VALUES:
        raise OpsError("a switch is true or false, or on or off", code=2)
    return VALUES[value.lower()]


def _path(session: Session, name: str) -> str:
    return f"{session.services.settings.switch_prefix}/{name}"


def _changes(ssm: Any, path: str) -> Iterator[SwitchChange]:  # noqa: ANN401 - boto3 builds clients at run time
    for page in ssm.get_paginator("get_parameter_history").paginate(Name=path):
        for parameter in page["Parameters"]:
            who = str(parameter.get("LastModifiedUser", ""))
            by = Identity(account="", arn=who).name if who.startswith("arn:") else who
            yield SwitchChange(str(parameter["Value"]), iso(parameter["LastModifiedDate"]), by)
