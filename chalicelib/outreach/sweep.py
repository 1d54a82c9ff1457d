"""The sweep's part of outreach, built: what it looks for at Twilio, and how jobs are made again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from chalicelib.once.recovery.rebuilders import Rebuilder
from chalicelib.once.recovery.sweep import SweepPart
from chalicelib.outreach.build import Outreach
from chalicelib.outreach.events.company_event import TellRebuilder
from chalicelib.outreach.hearing.lost_replies import LostReplies
from chalicelib.outreach.hearing.lost_texts import LostTexts, TextLists
from chalicelib.outreach.keys import EventKind
from chalicelib.outreach.resume import ResumeRebuilder, StartRebuilder
from chalicelib.outreach.sending import notices
from chalicelib.outreach.twilio import client as twilio
from chalicelib.outreach.twilio import credentials as of
from chalicelib.outreach.twilio.client import Credentials, Twilio
from chalicelib.shared import Shared
from chalicelib.vendors.http import VendorClient

TWILIO_REQUESTS_PER_30_S = 300
"""Per account and container; Twilio queues what exceeds a sender's own pace."""


class OutreachSweep:
    """What finds lost messages again."""

    def __init__(self, shared: Shared, outreach: Outreach) -> None:
        self._shared = shared
        self._outreach = outreach

    @cached_property
    def rebuilders(self) -> Mapping[str, Rebuilder]:
        """By the first two parts of an event key; the other kinds resume."""
        shared, conversations = self._shared, self._outreach.conversations
        resume = ResumeRebuilder(conversations)
        return {
            **{f"evt:{kind}": resume for kind in EventKind},
            f"evt:{EventKind.START}": StartRebuilder(conversations, self._outreach.parcels),
            f"evt:{EventKind.MESSAGE}": LostReplies(
                conversations, self.twilio, shared.opaque, shared.log
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

    @cached_property
    def twilio(self) -> Twilio:
        """Twilio by the name of a company's secret; one client each."""
        shared = self._shared

        def credentials(name: str, refresh: bool) -> Credentials:  # noqa: FBT001 - as it is asked
            return of.of_company(shared.secrets.text(name, refresh=refresh))

        def client(name: str) -> VendorClient:
            return shared.vendor(
                twilio.PROVIDER,
                shared.settings.twilio_base_url,
                lambda refresh: twilio.basic(credentials(name, refresh)),
                requests_per_window=TWILIO_REQUESTS_PER_30_S,
                error_code_at=twilio.ERROR_CODE_AT,
            )

        return Twilio(credentials, client)
