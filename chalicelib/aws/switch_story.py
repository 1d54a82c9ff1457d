"""Copies the switches' changes from SSM's own history into the journal, where they are kept longer.

A part of the sweep.  A run without a change costs one call to SSM and one read.  Copying a change twice
writes one entry, as the entry's id contains the parameter's version.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from chalicelib.aws.callers import name_of
from chalicelib.aws.switches import NAMES
from chalicelib.clock import iso
from chalicelib.once.journal import Act, Journal
from chalicelib.once.recovery.cursor import SweepCursor, Sweeps
from chalicelib.once.recovery.sweep import SweepActions

LIST = "switches"
UNNAMED = "unknown"


class SwitchStory:
    """The sweep's part that copies changes of the switches from SSM's history into the journal."""

    def __init__(
        self,
        *,
        ssm: Any,  # noqa: ANN401 - boto3 builds clients at run time
        prefix: str,
        journal: Callable[[], Journal],
        sweeps: Sweeps,
    ) -> None:
        self._ssm = ssm
        self._prefix = prefix
        self._journal = journal
        self._sweeps = sweeps

    def run(self, cursor: SweepCursor, sweep: SweepActions, *, since: datetime) -> SweepCursor:
        """Copy every change of a switch since the last copied one, however old; a dry run copies none.

        Returns the sweep's cursor unchanged.
        """
        del since
        names = [f"{self._prefix}/{name}" for name in NAMES]
        stored = self._ssm.get_parameters(Names=names)["Parameters"]
        seen = self._sweeps.positions([LIST])[LIST].seen_until
        changed = [change for change in stored if _is_later(change, seen)]
        if not changed or sweep.dry_run:
            return cursor
        for parameter in changed:
            for act in self._changes(parameter["Name"], seen):
                self._journal().enter(act)
        self._sweeps.save_position(LIST, max(change["LastModifiedDate"] for change in stored))
        return cursor

    def _changes(self, path: str, seen: datetime | None) -> Iterator[Act]:
        name = path.rpartition("/")[2]
        before = None
        for page in self._ssm.get_paginator("get_parameter_history").paginate(Name=path):
            for parameter in page["Parameters"]:
                if _is_later(parameter, seen):
                    yield _act(name, parameter, before)
                before = parameter["Value"]


def _is_later(version: Mapping[str, Any], seen: datetime | None) -> bool:
    """Whether a version of a switch is newer than the last one copied; times are compared in milliseconds."""
    return seen is None or iso(version["LastModifiedDate"]) > iso(seen)


def _act(name: str, version: Mapping[str, Any], before: str | None) -> Act:
    return Act(
        what="switch set",
        key=f"switch:{name}",
        actor=name_of(str(version.get("LastModifiedUser") or UNNAMED)),
        result=str(version["Value"]),
        reason=str(version.get("Description", "")),
        evidence={"before": before, "version": version["Version"]},
        act_id=f"{name}:{version['Version']}",
        at=version["LastModifiedDate"],
    )
