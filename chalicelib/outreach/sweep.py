"""Builds outreach's part of the sweep: the search for lost texts at Twilio, and the rebuilding of jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from chalicelib.once.recovery.rebuilders import Rebuilder
from chalicelib.once.recovery.sweep import SweepPart
from chalicelib.outreach.build import Outreach
from chalicelib.outreach.carriers import OutreachCarriers
from chalicelib.outreach.events.company_event import TellRebuilder
from chalicelib.outreach.hearing.lost_replies import LostReplies
from chalicelib.outreach.hearing.lost_texts import LostTexts, TextLists
from chalicelib.outreach.keys import EventKind
from chalicelib.outreach.resume import ResumeRebuilder, StartRebuilder
from chalicelib.outreach.sending import notices
from chalicelib.outreach.twilio.client import Twilio
from chalicelib.shared import Shared


class OutreachSweep:
    """Builds outreach's part of the sweep (scheduled recovery): finds lost texts, makes lost jobs again."""

    def __init__(self, *, shared: Shared, outreach: Outreach, carriers: OutreachCarriers) -> None:
        self._shared = shared
        self._outreach = outreach
        self._carriers = carriers

    @cached_property
    def rebuilders(self) -> Mapping[str, Rebuilder]:
        """The functions that rebuild an event's job, by the first two parts of the event's key."""
        shared, conversations = self._shared, self._outreach.conversations
        resume = ResumeRebuilder(conversations)
        return {
            **{f"evt:{kind}": resume for kind in EventKind},
            f"evt:{EventKind.START}": StartRebuilder(
                conversations=conversations, parcels=self._outreach.parcels
            ),
            f"evt:{EventKind.MESSAGE}": LostReplies(
                conversations=conversations,
                twilio=self.twilio,
                opaque=shared.opaque,
                log=shared.log,
            ),
            f"evt:{EventKind.COMPANY_EVENT}": TellRebuilder(),
            f"evt:{EventKind.NOTICE}": notices.rebuilt,
        }

    @cached_property
    def sweeps(self) -> Sequence[SweepPart]:
        """The searches that a sweep runs: for texts that Twilio received and no webhook brought."""
        shared, outreach = self._shared, self._outreach
        found = LostTexts(
            lists=TextLists(companies=outreach.companies, twilio=self.twilio, sweeps=shared.sweeps),
            conversations=outreach.conversations,
            ledger=shared.ledger,
            opaque=shared.opaque,
            clock=shared.clock,
            log=shared.log,
        )
        return (found,)

    @property
    def twilio(self) -> Twilio:
        """The client of Twilio, which lists received texts; a company's secret name selects the account."""
        return self._carriers.twilio
