"""Aloware's and HubSpot's events: the doors, the handler that stores facts, the roster.

How stored facts are posted is `fact_posting`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from chalicelib.wiring.core import Core, new_id

if TYPE_CHECKING:
    from chalicelib.aws.dynamo import Table
    from chalicelib.facts.door import AlowareDoor, HubSpotDoor
    from chalicelib.facts.keeper import FactRecorder
    from chalicelib.facts.ledger import FactLedger
    from chalicelib.facts.model import Roster
    from chalicelib.facts.ring_group import RingGroup
    from chalicelib.once.door import Answer
    from chalicelib.once.intake import Intake

ROSTER_REQUESTS_PER_MINUTE = 30
_NO_CREDENTIAL = "no_credential_configured"


class Facts(Core):
    """Aloware's and HubSpot's events on their way to Power BI."""

    # --- the way in ---------------------------------------------------------------------------

    def aloware_webhook(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer Aloware."""
        return self._aloware_door.receive(headers, body)

    def hubspot_webhook(self, headers: Mapping[str, str], body: bytes, uri: str) -> Answer:
        """Answer HubSpot; `uri` is the requested address."""
        return self._hubspot_door.receive(headers, body, uri)

    @cached_property
    def _aloware_door(self) -> AlowareDoor:
        from chalicelib.facts.door import AlowareDoor

        name = self.settings.aloware_secret_id
        return AlowareDoor(
            self.fact_intake, lambda: self.secrets.tokens(name, missing=_NO_CREDENTIAL)
        )

    @cached_property
    def _hubspot_door(self) -> HubSpotDoor:
        from chalicelib.facts.door import HubSpotDoor

        name = self.settings.hubspot_secret_id
        return HubSpotDoor(
            self.fact_intake,
            lambda: self.secrets.tokens(name, missing=_NO_CREDENTIAL),
            self.settings.hubspot_webhook_url,
        )

    @cached_property
    def fact_intake(self) -> Intake:
        """The facts' door; never with a row at ingress, as the worker's one write is the row."""
        from chalicelib.once.intake import Intake

        return Intake(
            outbox=self.outbox,
            opaque=lambda: self.opaque_ids,
            clock=self.clock,
            log=self.log,
            new_id=new_id,
        )

    # --- storing ------------------------------------------------------------------------------

    def fact_keepers(self) -> Mapping[str, Callable[[], Callable[[Any], None]]]:
        """By kind of job."""
        return dict.fromkeys(("aloware_delivery", "hubspot_batch"), lambda: self.fact_keeper)

    @cached_property
    def fact_keeper(self) -> FactRecorder:
        """The worker's handler of facts."""
        from chalicelib.facts.keeper import FactRecorder
        from chalicelib.facts.mapping import configured_rules

        return FactRecorder(
            self.fact_ledger,
            self.roster,
            self.log,
            rules=configured_rules(self.settings.hubspot_fact_rules),
            timezone=self.settings.facts_timezone,
        )

    @cached_property
    def fact_ledger(self) -> FactLedger:
        """The facts' rows."""
        from chalicelib.facts.ledger import FactLedger

        return FactLedger(self.fact_table, self.clock, retention=self.fact_retention)

    @cached_property
    def roster(self) -> Roster:
        """The people whose events count."""
        from chalicelib.facts.roster import listed_agents, roster_of

        listed = listed_agents(self.settings.facts_roster)
        ask = self._ring_group().members if self.settings.aloware_ring_group_url else None
        return roster_of(listed, ask, self.clock, self.log)

    @cached_property
    def fact_table(self) -> Table:
        """QuillIdempotencyLedger; refused where it is another stage's."""
        from chalicelib.aws import stage_guard
        from chalicelib.aws.dynamo import Table
        from chalicelib.facts.ledger import ATTRIBUTES

        settings = self.settings
        where = {"endpoint_url": settings.facts_endpoint, "region_name": settings.facts_region}
        given = {name: value for name, value in where.items() if value}
        client = self.client("dynamodb", **given) if given else self._dynamodb
        if not settings.facts_endpoint:  # DynamoDB Local knows no tags
            stage_guard.check_table(client, stage=settings.stage, table=settings.facts_table)
        return Table(client, settings.facts_table, ATTRIBUTES)

    @property
    def fact_retention(self) -> timedelta:
        """How long the ledger of facts keeps a row."""
        return timedelta(days=self.settings.facts_ttl_days)

    def _ring_group(self) -> RingGroup:
        from chalicelib.facts.ring_group import PROVIDER, RingGroup, bearer

        secret_id = self.settings.aloware_api_secret_id
        origin, path = origin_and_path(self.settings.aloware_ring_group_url)
        client = self.vendor(
            PROVIDER,
            origin,
            bearer(lambda refresh: self.secrets.text(secret_id, refresh=refresh)),
            requests_per_window=ROSTER_REQUESTS_PER_MINUTE,
            window_seconds=60.0,
        )
        return RingGroup(client, path)


def origin_and_path(url: str) -> tuple[str, str]:
    """``https://host:port`` and ``/path?query`` of an address."""
    address = urlsplit(url)
    query = f"?{address.query}" if address.query else ""
    return f"{address.scheme}://{address.netloc}", address.path + query
