"""Builds what informs companies: hand-offs and their notices, tool calls, the lane of events.

Most messages lead to none of these, so `work` does not load them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from chalicelib.once.flow import Flow
from chalicelib.once.keyring import KeyPurpose
from chalicelib.outreach.build import Outreach
from chalicelib.outreach.carriers import OutreachCarriers
from chalicelib.outreach.company_events.endpoint import Endpoint, secret_id
from chalicelib.outreach.company_events.teller import EndpointAccess, Teller
from chalicelib.outreach.events.company_event import TellFlow
from chalicelib.outreach.events.notice import NoticeFlow
from chalicelib.outreach.sending.hand_off import HandOffs
from chalicelib.outreach.sending.notices import Notices
from chalicelib.outreach.sending.tool_calls import ToolCalls
from chalicelib.shared import Shared
from chalicelib.vendors import posting


class OutreachTelling:
    """Builds what hands conversations to companies' persons, and what informs companies of events."""

    def __init__(self, *, shared: Shared, outreach: Outreach, carriers: OutreachCarriers) -> None:
        self._shared = shared
        self._outreach = outreach
        self._carriers = carriers

    @cached_property
    def flows(self) -> Mapping[str, Flow]:
        """The flows for notices of hand-offs and for events to companies, by kind of job."""
        shared, outreach = self._shared, self._outreach
        return {
            "handoff_notice": NoticeFlow(
                conversations=outreach.conversations,
                current=outreach.current_settings,
                clock=shared.clock,
            ),
            "tell_company": TellFlow(
                events=outreach.company_events,
                endpoint=self._endpoint,
                clock=shared.clock,
                log=shared.log,
            ),
        }

    @cached_property
    def teller(self) -> Teller:
        """Posts the events of conversations to the companies' endpoints."""
        shared, outreach = self._shared, self._outreach
        stage, loopback = shared.settings.stage, shared.settings.company_webhooks_on_loopback

        def secret(company_id: str, refresh: bool) -> str:  # noqa: FBT001 - called by position
            return shared.secrets.text(secret_id(stage, company_id), refresh=refresh)

        return Teller(
            rows=outreach.company_events.rows,
            conversations=outreach.conversations,
            access=EndpointAccess(
                endpoint=self._endpoint,
                secret=secret,
                post=lambda signed_post: posting.post(signed_post, allows_loopback=loopback),
                shares=self._carriers.lane_shares,
            ),
            signing=shared.keys_of(KeyPurpose.TOOL_RESULTS),
            clock=shared.clock,
            log=shared.log,
        )

    @cached_property
    def notices(self) -> Notices:
        """Queues the e-mails to companies about hand-offs, and sends them."""
        shared, outreach = self._shared, self._outreach
        return Notices(
            conversations=outreach.conversations,
            ses=self._carriers.ses,
            current=outreach.current_settings,
            ledger=shared.ledger,
            put_later=shared.put_later,
            clock=shared.clock,
        )

    @cached_property
    def hand_offs(self) -> HandOffs:
        """Hands conversations over to the companies' persons."""
        outreach = self._outreach
        return HandOffs(
            conversations=outreach.conversations,
            events=outreach.company_events,
            notices=self.notices,
        )

    @cached_property
    def tool_calls(self) -> ToolCalls:
        """Calls the companies' tools, by events that the companies are sent."""
        shared, outreach = self._shared, self._outreach
        return ToolCalls(
            conversations=outreach.conversations,
            events=outreach.company_events,
            ledger=shared.ledger,
            current=outreach.current_settings,
            clock=shared.clock,
        )

    def _endpoint(self, company_id: str, project_id: str) -> Endpoint | None:
        project = self._outreach.companies.project(company_id, project_id)
        loopback = self._shared.settings.company_webhooks_on_loopback
        return project.endpoint(allows_loopback=loopback) if project else None
