"""Builds the clients of Twilio and SES, and the companies' shares of the lanes that call them."""

from __future__ import annotations

from functools import cache, cached_property

from chalicelib.once.lanes import Lane
from chalicelib.once.share import LaneShare
from chalicelib.outreach.lane_shares import LaneShares
from chalicelib.outreach.ses import client as ses
from chalicelib.outreach.twilio import client as twilio
from chalicelib.outreach.twilio import credentials as of
from chalicelib.outreach.twilio.client import Credentials, Twilio
from chalicelib.shared import Shared, new_owner
from chalicelib.vendors.http import VendorClient

TWILIO_REQUESTS_PER_30_S = 300
"""Our limit of requests to Twilio, per account and container; Twilio queues more."""


class OutreachCarriers:
    """Builds the clients of the carriers to recipients, for the worker, the sweep and desks' notices."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    @cached_property
    def twilio(self) -> Twilio:
        """The client of Twilio; a company's secret name selects the account and its HTTP client."""
        shared = self._shared

        def credentials(name: str, refresh: bool) -> Credentials:  # noqa: FBT001 - called by position
            return of.of_company(shared.secrets.text(name, refresh=refresh))

        def client(name: str) -> VendorClient:
            return shared.vendor(
                twilio.PROVIDER,
                shared.settings.twilio_base_url,
                lambda refresh: twilio.basic_auth_header(credentials(name, refresh)),
                requests_per_window=TWILIO_REQUESTS_PER_30_S,
                error_code_at=twilio.ERROR_CODE_AT,
            )

        return Twilio(credentials, client)

    def ses(self) -> ses.Ses:
        """A new client of SES; botocore's own retries are off (`SES_CONFIG`)."""
        shared = self._shared
        client = shared.client("sesv2", ses.SES_CONFIG)
        return ses.Ses(
            client=client,
            configuration_set=shared.settings.ses_configuration_set or None,
            region=str(client.meta.region_name),
            clock=shared.clock,
            log=shared.log,
        )

    @cached_property
    def lane_shares(self) -> LaneShares:
        """Limits how many of a lane's workers one company may hold with slow calls."""
        shared = self._shared
        table = shared.table(shared.settings.idempotency_table)

        @cache
        def share(lane: Lane) -> LaneShare:
            workers = shared.settings.lane_concurrency
            return LaneShare(
                table=table,
                lane=lane.name,
                workers=workers,
                clock=shared.clock,
                new_owner=new_owner,
            )

        return LaneShares(share, shared.current_job)
