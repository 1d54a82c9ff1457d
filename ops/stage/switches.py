"""Reads and sets the four switches of a stage in SSM."""

from __future__ import annotations

from chalicelib.aws.switches import NAMES
from chalicelib.once.ports import parsed_flag
from ops.session import OpsError, Session


def read(session: Session) -> dict[str, str | None]:
    """Every switch; None if it is missing, which stops every effect."""
    prefix = session.services.settings.switch_prefix
    answer = session.client("ssm").get_parameters(Names=[f"{prefix}/{name}" for name in NAMES])
    found = {one["Name"].rpartition("/")[2]: one["Value"] for one in answer["Parameters"]}
    return {name: found.get(name) for name in NAMES}


def write(session: Session, name: str, value: str) -> None:
    """Set a switch; it takes effect within 30 seconds.

    Raises:
        OpsError: no such switch, or the value is not a boolean.
    """
    if name not in NAMES:
        raise OpsError(f"no such switch: {name}; the switches are {', '.join(NAMES)}", code=2)
    flag = parsed_flag(value)
    if flag is None:
        raise OpsError(f"{value} is neither true nor false", code=2)
    session.client("ssm").put_parameter(
        Name=f"{session.services.settings.switch_prefix}/{name}",
        Value="true" if flag else "false",
        Type="String",
        Overwrite=True,
    )
