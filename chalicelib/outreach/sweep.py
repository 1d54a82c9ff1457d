"""The sweep's part of outreach, built: what it looks for at Twilio, and how jobs are made again."""

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
    """What finds lost messages again."""

    def __init__(self, *, shared: Shared, outreach: Outreach, carriers: OutreachCarriers) -> None:
        self._shared = shared
        self._outreach = outreach
        self._carriers = carriers

    @cached_property
    def rebuilders(self) -> Mapping[str, Rebuilder]:
        """By the first two parts of an event key; the other kinds resume."""
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
        """What reconciliation looks for at Twilio."""
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
        """Where lost messages are looked for, by the name of a company's secret."""
        return self._carriers.twilio
