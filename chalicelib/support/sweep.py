"""Builds the sweep's part of support: what it looks for at Richpanel, and how it rebuilds jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from chalicelib.once.recovery.rebuilders import Rebuilder
from chalicelib.once.recovery.sweep import SweepPart
from chalicelib.shared import Shared
from chalicelib.support.build import Support
from chalicelib.support.follow_ups import ShadowFollowUps
from chalicelib.support.jobs import ticket_job
from chalicelib.support.lost_tickets import LostTickets


class SupportSweep:
    """Builds what the sweep needs to find lost tickets and to rebuild lost jobs."""

    def __init__(self, *, shared: Shared, support: Support) -> None:
        self._shared = shared
        self._support = support

    @property
    def rebuilders(self) -> Mapping[str, Rebuilder]:
        """The functions that make a lost job from its stored event, each by the prefix of its event keys."""
        return {"evt:rp": ticket_job}

    @cached_property
    def sweeps(self) -> Sequence[SweepPart]:
        """The parts of the sweep that concern tickets.

        They look for tickets whose webhook never arrived, and follow up decisions in shadow
        (judged, not sent).
        """
        shared, support = self._shared, self._support
        found = LostTickets(
            tickets=support.richpanel,
            ledger=shared.ledger,
            state=support.state,
            sweeps=shared.sweeps,
            clock=shared.clock,
            log=shared.log,
        )
        return (found, ShadowFollowUps(state=support.state, clock=shared.clock))
