"""Builds what worker, sweep and operators need of Richpanel and of table B.

`work` builds what decides and answers; `sweep` builds what the sweep looks for.
"""

from __future__ import annotations

from datetime import timedelta
from functools import cached_property

from chalicelib.shared import Shared
from chalicelib.support.configuration.cached import CachedRules
from chalicelib.support.configuration.versions import Versions
from chalicelib.support.richpanel.calls import PROVIDER, REQUESTS_PER_30_S, key_header
from chalicelib.support.richpanel.client import Richpanel
from chalicelib.support.state import States
from chalicelib.vendors.http import VendorClient
from chalicelib.vendors.rate_limit import split
from chalicelib.vendors.shared_level import SharedLevel

READER_REQUESTS_PER_30_S = 8.0
"""Pace of a person's reads; the rest of the tenant's limit is for the workers and other clients."""


class Support:
    """Builds what the worker, the sweep and the operators' commands need of Richpanel and of table B."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    @cached_property
    def richpanel(self) -> Richpanel:
        """The client of Richpanel's API, at the pace that all workers and the sweep share."""
        shared = self._shared
        tag_mode = shared.settings.richpanel_tag_mode
        return Richpanel(client=self.richpanel_client, clock=shared.clock, tag_mode=tag_mode)

    @cached_property
    def state(self) -> States:
        """Table B, the store of conversations' states."""
        shared, settings = self._shared, self._shared.settings
        return States(
            table=shared.table(settings.state_table),
            clock=shared.clock,
            retention=timedelta(days=settings.state_retention_days),
        )

    @cached_property
    def versions(self) -> Versions:
        """The store of the versions of the settings document."""
        shared = self._shared
        return Versions(table=shared.table(shared.settings.idempotency_table), clock=shared.clock)

    @cached_property
    def rules(self) -> CachedRules:
        """The settings document as flows read it, cached in memory."""
        return CachedRules(versions=self.versions, clock=self._shared.clock, log=self._shared.log)

    @cached_property
    def richpanel_reader(self) -> Richpanel:
        """A client of Richpanel for a function that may read no table, with a slow pace of its own."""
        shared, settings = self._shared, self._shared.settings
        secret_id = settings.richpanel_api_key_secret_id
        client = shared.vendor(
            PROVIDER,
            settings.richpanel_base_url,
            key_header(lambda refresh: shared.secrets.text(secret_id, refresh=refresh)),
            requests_per_window=READER_REQUESTS_PER_30_S,
        )
        return Richpanel(client=client, clock=shared.clock, tag_mode=settings.richpanel_tag_mode)

    @cached_property
    def richpanel_level(self) -> SharedLevel:
        """How full Richpanel's rate limit is, stored in table A and shared by all workers and the sweep."""
        shared = self._shared
        return SharedLevel(
            table=shared.table(shared.settings.idempotency_table),
            provider=PROVIDER,
            clock=shared.clock,
        )

    @cached_property
    def richpanel_client(self) -> VendorClient:
        """The HTTP client of Richpanel's API, which keeps to our share of the tenant's rate limit."""
        shared, settings = self._shared, self._shared.settings
        secret_id = settings.richpanel_api_key_secret_id
        pace = split(
            settings.richpanel_requests_per_30_s,
            limit=REQUESTS_PER_30_S,
            shares=settings.worker_concurrency,
        )
        return shared.vendor(
            PROVIDER,
            settings.richpanel_base_url,
            key_header(lambda refresh: shared.secrets.text(secret_id, refresh=refresh)),
            requests_per_window=pace.requests_per_window,
            burst=pace.burst,
            levels=self.richpanel_level,
            containers=settings.worker_concurrency,
        )
