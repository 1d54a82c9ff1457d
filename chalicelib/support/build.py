"""Support, built: what worker, sweep and operators need of Richpanel and of table B.

How a message is decided and answered is `work`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import cached_property

from chalicelib.once.recovery.rebuilders import Rebuilder
from chalicelib.once.recovery.sweep import SweepPart
from chalicelib.shared import Shared
from chalicelib.support.configuration.cached import CachedRules
from chalicelib.support.configuration.versions import Versions
from chalicelib.support.jobs import ticket_job
from chalicelib.support.lost_tickets import LostTickets
from chalicelib.support.richpanel.calls import PROVIDER, REQUESTS_PER_30_S, key_header
from chalicelib.support.richpanel.client import Richpanel
from chalicelib.support.state import States
from chalicelib.vendors.http import VendorClient
from chalicelib.vendors.rate_limit import split
from chalicelib.vendors.shared_level import SharedLevel


class Support:
    """Richpanel tickets."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    @property
    def rebuilders(self) -> Mapping[str, Rebuilder]:
        """By the first two parts of an event key."""
        return {"evt:rp": ticket_job}

    @cached_property
    def sweeps(self) -> Sequence[SweepPart]:
        """What reconciliation looks for at Richpanel."""
        shared = self._shared
        found = LostTickets(
            self.richpanel, shared.ledger, self.state, shared.sweeps, shared.clock, shared.log
        )
        return (found,)

    @cached_property
    def richpanel(self) -> Richpanel:
        """The ticket system."""
        shared = self._shared
        tag_mode = shared.settings.richpanel_tag_mode
        return Richpanel(self.richpanel_client, shared.clock, tag_mode=tag_mode)

    @cached_property
    def state(self) -> States:
        """Table B."""
        shared, settings = self._shared, self._shared.settings
        return States(
            shared.table(settings.state_table),
            shared.clock,
            retention=timedelta(days=settings.state_retention_days),
        )

    @cached_property
    def versions(self) -> Versions:
        """The stored versions of the settings document."""
        shared = self._shared
        return Versions(shared.table(shared.settings.idempotency_table), shared.clock)

    @cached_property
    def rules(self) -> CachedRules:
        """The settings document as flows read it."""
        return CachedRules(self.versions, self._shared.clock, self._shared.log)

    @cached_property
    def richpanel_level(self) -> SharedLevel:
        """What all workers and the sweep together have left of Richpanel's limit."""
        shared = self._shared
        return SharedLevel(shared.table(shared.settings.idempotency_table), PROVIDER, shared.clock)

    @cached_property
    def richpanel_client(self) -> VendorClient:
        """Under our share of the tenant's rate limit, which workers and sweep have in common."""
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
