"""The four switches of a stage, read from SSM and kept for at most 25 seconds.

Parameters: ``/rp-mw/<stage>/{kill_switch,safe_mode,automation_enabled,shadow_mode}``.  Environment
variables of the same names in upper case may only tighten them.  A missing or unreadable
parameter makes the whole set unreadable: then nothing starts and nothing is skipped.
"""

from __future__ import annotations

from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.errors import SwitchesUnreadableError
from chalicelib.once.ports import Clock, Switches, Tightening, parsed_flag
from chalicelib.once.reasons import SWITCH_UNREADABLE, SWITCHES_STALE, SWITCHES_UNREADABLE

NAMES = ("kill_switch", "safe_mode", "automation_enabled", "shadow_mode")
REFRESH_SECONDS = 15.0
"""Switches read less than this long ago are used without a call to SSM."""
STALE_SECONDS = 25.0
"""Switches read longer ago than this are never used, even when SSM cannot be reached: an action
that starts on them is sent within five seconds, so a switch takes effect within thirty."""


class SsmSwitches:
    """Reads the stage's switches from SSM parameters, as the port `once.ports.SwitchesPort`."""

    def __init__(self, ssm: Any, prefix: str, tighten: Tightening, clock: Clock) -> None:  # noqa: ANN401
        self._ssm = ssm
        self._prefix = prefix
        self._tighten = tighten
        self._clock = clock
        self._cached: tuple[float, Switches] | None = None

    def current(self) -> Switches:
        """The stage's switches, read from SSM less than `STALE_SECONDS` ago.

        Raises:
            SwitchesUnreadableError: they cannot be read, and none read since then are known.
        """
        now = self._clock.monotonic()
        if self._cached and now - self._cached[0] < REFRESH_SECONDS:
            return self._cached[1]
        unreadable = SwitchesUnreadableError(SWITCHES_STALE)
        try:
            self._cached = (now, self._read())
        except SwitchesUnreadableError as error:
            unreadable = error
        # The call takes time too, whether it succeeds or not.
        if self._cached and self._clock.monotonic() - self._cached[0] < STALE_SECONDS:
            return self._cached[1]
        raise unreadable

    def _read(self) -> Switches:
        names = [f"{self._prefix}/{name}" for name in NAMES]
        try:
            answer = self._ssm.get_parameters(Names=names)
        except (ClientError, BotoCoreError):
            raise SwitchesUnreadableError(SWITCHES_UNREADABLE) from None
        values = {
            parameter["Name"].rpartition("/")[2]: parsed_flag(parameter["Value"])
            for parameter in answer["Parameters"]
        }
        unreadable = [name for name in NAMES if values.get(name) is None]
        if unreadable:
            raise SwitchesUnreadableError(f"{SWITCH_UNREADABLE}{unreadable[0]}")
        return Switches(
            kill_switch=bool(values["kill_switch"]) or self._tighten.kill_switch,
            safe_mode=bool(values["safe_mode"]) or self._tighten.safe_mode,
            automation_enabled=(
                bool(values["automation_enabled"]) and not self._tighten.automation_off
            ),
            shadow_mode=bool(values["shadow_mode"]) or self._tighten.shadow_mode,
        )
