"""Builds what stores facts: the worker's recorder, the rows, the roster.

`posting.build` builds what posts stored facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from functools import cached_property
from typing import Any

from chalicelib.facts.jobs import KINDS
from chalicelib.facts.keeper import FactRecorder
from chalicelib.facts.ledger import ATTRIBUTES, FactLedger
from chalicelib.facts.mapping import configured_rules
from chalicelib.facts.model import Agent, Roster
from chalicelib.facts.roster import listed_agents, roster_of
from chalicelib.once.job import by_kind
from chalicelib.once.store import Store
from chalicelib.shared import Shared

ROSTER_REQUESTS_PER_MINUTE = 30


class Facts:
    """Builds the parts that store Aloware's and HubSpot's events as facts."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    @cached_property
    def keepers(self) -> Mapping[str, Callable[[Any], None]]:
        """The worker's handler for each kind of fact job; one `FactRecorder` handles them all."""
        shared, settings = self._shared, self._shared.settings
        recorder = FactRecorder(
            store=self.ledger,
            roster=self.roster,
            log=shared.log,
            rules=configured_rules(settings.hubspot_fact_rules),
            timezone=settings.facts_timezone,
        )
        return dict.fromkeys(by_kind(KINDS), recorder)

    @cached_property
    def ledger(self) -> FactLedger:
        """The store of facts, on the facts' table."""
        return FactLedger(table=self.table, clock=self._shared.clock, retention=self.retention)

    @cached_property
    def roster(self) -> Roster:
        """The roster of this deployment: the port that names the agents whose events count."""
        settings, shared = self._shared.settings, self._shared
        ask = self._members() if settings.aloware_ring_group_url else None
        return roster_of(listed_agents(settings.facts_roster), ask, shared.clock, shared.log)

    @cached_property
    def table(self) -> Store:
        """The facts' table QuillIdempotencyLedger; the settings name its address and region.

        The table of another stage is refused.
        """
        settings = self._shared.settings
        return self._shared.table_at(
            settings.facts_table,
            ATTRIBUTES,
            endpoint_url=settings.facts_endpoint,
            region_name=settings.facts_region,
        )

    @property
    def retention(self) -> timedelta:
        """How long the facts' table keeps a row before it expires."""
        return timedelta(days=self._shared.settings.facts_ttl_days)

    def _members(self) -> Callable[[], Iterable[Agent]]:
        # The imports are late: they load the HTTP client, which takes 60 ms of every first fact, and few
        # stages have a ring group.
        from chalicelib.facts import ring_group  # noqa: PLC0415 - see above
        from chalicelib.vendors.http import bearer_header, origin_and_path  # noqa: PLC0415 - see above

        shared, settings = self._shared, self._shared.settings
        origin, path = origin_and_path(settings.aloware_ring_group_url)
        secret_id = settings.aloware_api_secret_id
        client = shared.vendor(
            ring_group.PROVIDER,
            origin,
            bearer_header(lambda refresh: shared.secrets.text(secret_id, refresh=refresh)),
            requests_per_window=ROSTER_REQUESTS_PER_MINUTE,
            window_seconds=60.0,
        )
        return ring_group.RingGroup(client, path).members
