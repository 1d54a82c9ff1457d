"""What companies are sent, built: the lane of events to their endpoints, and notices to their desks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property

from chalicelib.once.flow import Flow
from chalicelib.once.lanes import Lane
from chalicelib.once.share import LaneShare
from chalicelib.outreach.build import Outreach
from chalicelib.outreach.company_events.endpoint import Endpoint, secret_id
from chalicelib.outreach.company_events.teller import EndpointAccess, Teller
from chalicelib.outreach.events.company_event import TellFlow
from chalicelib.outreach.events.notice import NoticeFlow
from chalicelib.outreach.lane_shares import LaneShares
from chalicelib.outreach.sending.notices import Notices
from chalicelib.outreach.ses import client as ses
from chalicelib.shared import Shared, new_owner
from chalicelib.vendors import posting


class OutreachTelling:
    """What tells companies of their conversations."""

    def __init__(self, shared: Shared, outreach: Outreach) -> None:
        self._shared = shared
        self._outreach = outreach

    @cached_property
    def flows(self) -> Mapping[str, Flow]:
        """By kind of job."""
        shared, outreach = self._shared, self._outreach
        return {
            "handoff_notice": NoticeFlow(
                outreach.conversations, outreach.current_settings, shared.clock
            ),
            "tell_company": TellFlow(
                outreach.company_events, self._endpoint, shared.clock, shared.log
            ),
        }

    @cached_property
    def teller(self) -> Teller:
        """Posts events to the companies' endpoints."""
        shared, outreach = self._shared, self._outreach
        stage, loopback = shared.settings.stage, shared.settings.company_webhooks_on_loopback

        def secret(company_id: str, refresh: bool) -> str:  # noqa: FBT001 - as it is asked
            return shared.secrets.text(secret_id(stage, company_id), refresh=refresh)

        return Teller(
            rows=outreach.company_events.rows,
            conversations=outreach.conversations,
            access=EndpointAccess(
                endpoint=self._endpoint,
                secret=secret,
                post=lambda one: posting.post(one, allows_loopback=loopback),
                shares=self.lane_shares,
            ),
            opaque=shared.opaque,
            clock=shared.clock,
            log=shared.log,
        )

    @cached_property
    def notices(self) -> Notices:
        """Asks for the notices of hand-offs, and sends them."""
        shared, outreach = self._shared, self._outreach
        return Notices(
            outreach.conversations,
            self.ses,
            outreach.current_settings,
            shared.ledger,
            shared.put_later,
            shared.clock,
        )

    @cached_property
    def lane_shares(self) -> LaneShares:
        """How a lane's workers are shared between companies."""
        shared = self._shared
        table = shared.table(shared.settings.idempotency_table)

        @cache
        def share(lane: Lane) -> LaneShare:
            workers = shared.settings.lane_concurrency
            return LaneShare(table, lane.name, workers, shared.clock, new_owner)

        return LaneShares(share, shared.current_job)

    def ses(self) -> ses.Ses:
        """SES, under its own settings of the client."""
        shared = self._shared
        client = shared.client("sesv2", ses.SES_CONFIG)
        return ses.Ses(
            client,
            configuration_set=shared.settings.ses_configuration_set or None,
            region=str(client.meta.region_name),
            clock=shared.clock,
            log=shared.log,
        )

    def _endpoint(self, company_id: str, project_id: str) -> Endpoint | None:
        project = self._outreach.companies.project(company_id, project_id)
        loopback = self._shared.settings.company_webhooks_on_loopback
        return project.endpoint(allows_loopback=loopback) if project else None
