"""The four switches of a stage, as they stand in SSM."""

from __future__ import annotations

from chalicelib.aws.switches import NAMES
from chalicelib.settings import parsed_flag
from ops.session import OpsError, Session


def read(session: Session) -> dict[str, str | None]:
    """Every switch; None where it is missing, which stops everything."""
    prefix = session.services.settings.switch_prefix
    answer = session.client("ssm").get_parameters(Names=[f"{prefix}/{name}" for name in NAMES])
    found = {one["Name"].rpartition("/")[2]: one["Value"] for one in answer["Parameters"]}
    return {name: found.get(name) for name in NAMES}


def write(session: Session, name: str, value: str) -> None:
    """Set one; takes effect within 30 seconds.

    Raises:
        OpsError: no such switch, or the value is no boolean.
    """
    if name not in NAMES:
        raise OpsError(f"no such switch: {name}; there are {', '.join(NAMES)}", code=2)
    flag = parsed_flag(value)
    if flag is None:
        raise OpsError(f"{value} is neither true nor false", code=2)
    session.client("ssm").put_parameter(
        Name=f"{session.services.settings.switch_prefix}/{name}",
        Value="true" if flag else "false",
        Type="String",
        Overwrite=True,
    )
