"""The settings as the functions read them: the pointer every minute, a version once.

A document that this release cannot read never replaces a good one: the newest readable version before
it applies, and a metric reports it.
"""

from __future__ import annotations

import contextlib
from typing import Protocol

from chalicelib.once.ports import Clock, Log
from chalicelib.support.configuration.applied import BUILT_IN, Rules
from chalicelib.support.configuration.document import InvalidDocumentError, parse_document
from chalicelib.support.configuration.versions import Versions

REFRESH_SECONDS = 60.0
"""How long a container waits before it looks for a new version."""


class RulesPort(Protocol):
    """The port of the settings document, as flows read it; methods raise `TransientError`s of the table."""

    def current(self) -> Rules:
        """The version of the settings for new plans: the current one, or the one of at most a minute ago."""
        ...

    def of_version(self, version: int) -> Rules:
        """The settings in the version of this number, with which a stored plan was made."""
        ...


class CachedRules:
    """Reads the settings document's versions from table A, and keeps what it has read."""

    def __init__(self, *, versions: Versions, clock: Clock, log: Log) -> None:
        self._versions = versions
        self._clock = clock
        self._log = log
        self._known: dict[int, Rules] = {0: BUILT_IN}
        self._current: tuple[float, int] | None = None

    def current(self) -> Rules:
        """The version of the settings for new plans: the current one, or of `REFRESH_SECONDS` ago at most."""
        now = self._clock.monotonic()
        if self._current is None or now - self._current[0] >= REFRESH_SECONDS:
            self._current = (now, self._versions.current())
        return self.of_version(self._current[1])

    def of_version(self, version: int) -> Rules:
        """The settings in the version of this number.

        Where this release cannot read that version, the newest earlier version that it can read.
        """
        found = self._known.get(version)
        if found is None:
            found = self._known[version] = self._read(version)
        return found

    def _read(self, version: int) -> Rules:
        """Read the settings in the version of this number from the table.

        Where that version cannot be read, the newest earlier one that can, or the built-in
        settings.
        """
        for number in range(version, 0, -1):
            stored = self._versions.read(number)
            with contextlib.suppress(InvalidDocumentError):
                if stored is not None:
                    return Rules(number, parse_document(stored.document))
            self._log.event("support.settings_unreadable", version=number)
            self._log.metric("mw.support.settings_unreadable")
        return BUILT_IN


class FixedRules:
    """A `RulesPort` with one settings version for every use, for previews and stages without documents."""

    def __init__(self, rules: Rules = BUILT_IN) -> None:
        self._rules = rules

    def current(self) -> Rules:
        """The one version of the settings with which this object was made."""
        return self._rules

    def of_version(self, version: int) -> Rules:
        """The one version of the settings with which this object was made, whatever number is asked for."""
        del version
        return self._rules
