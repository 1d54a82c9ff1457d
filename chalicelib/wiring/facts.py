"""The facts' parts: two sources, the keeper, the ledger of facts and the roster."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from chalicelib.aws.secrets import active_tokens
from chalicelib.errors import SettingsError, UnavailableError
from chalicelib.facts import aloware_webhook, hubspot_webhook
from chalicelib.once.door import Answer
from chalicelib.once.intake import Intake, listed
from chalicelib.once.job import Job
from chalicelib.wiring.core import Core, new_id

if TYPE_CHECKING:
    from chalicelib.aws.dynamo import Table
    from chalicelib.facts.keeping import FactKeeper
    from chalicelib.facts.ledger import FactLedger
    from chalicelib.facts.mapping import Rule
    from chalicelib.facts.model import Roster
    from chalicelib.facts.roster import ListedAgent

ALOWARE_PATIENCE_SECONDS = 8.0
"""Aloware never sends again.  The last try begins by then, and may take AWS's client 15 s more."""

ROSTER_REQUESTS_PER_MINUTE = 30


class Facts(Core):
    """Aloware's and HubSpot's events on their way to Power BI."""

    # --- the way in ---------------------------------------------------------------------------

    def aloware_webhook(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer Aloware."""
        return self.fact_intake.receive(
            "aloware",
            headers,
            body,
            lambda found: aloware_webhook.verify(
                found, self._secret(self.settings.aloware_secret_id)
            ),
            listed(aloware_webhook.parse),
            patience_seconds=ALOWARE_PATIENCE_SECONDS,
            answer=_kept,
        )

    def hubspot_webhook(self, headers: Mapping[str, str], body: bytes, uri: str) -> Answer:
        """Answer HubSpot; `uri` is what was called, where no address is configured."""

        def verify(found: Mapping[str, str]) -> None:
            hubspot_webhook.verify(
                found,
                uri=self.settings.hubspot_webhook_url or uri,
                body=body,
                now_ms=int(self.clock.now().timestamp() * 1000),
                secrets=self._secret(self.settings.hubspot_secret_id),
            )

        return self.fact_intake.receive(
            "hubspot", headers, body, verify, hubspot_webhook.parse, answer=_kept
        )

    @cached_property
    def fact_intake(self) -> Intake:
        """The facts' door; never with a row at ingress, as the worker's one write is the row."""
        return Intake(
            outbox=self.outbox,
            opaque=lambda: self.opaque_ids,
            clock=self.clock,
            log=self.log,
            new_id=new_id,
        )

    # --- keeping ------------------------------------------------------------------------------

    def fact_keepers(self) -> Mapping[str, Callable[[Any], None]]:
        """Who keeps each kind of job."""
        return {"aloware_delivery": self._keep_fact, "hubspot_batch": self._keep_fact}

    @cached_property
    def fact_keeper(self) -> FactKeeper:
        """The worker's room for facts."""
        from chalicelib.facts.keeping import FactKeeper

        return FactKeeper(
            self.fact_ledger,
            self.roster,
            self.log,
            rules=self._rules(),
            timezone=self.settings.facts_timezone,
        )

    @cached_property
    def fact_ledger(self) -> FactLedger:
        """The facts' rows."""
        from chalicelib.facts.ledger import FactLedger

        return FactLedger(self.fact_table, self.clock, retention=self.fact_retention)

    @cached_property
    def roster(self) -> Roster:
        """The ring group where its address is configured, else the list, else no gate."""
        from chalicelib.facts.roster import AskedRoster, ListedRoster, NoGate

        listed = self._listed()
        url = self.settings.aloware_ring_group_url
        if not url:
            return ListedRoster(listed) if listed else NoGate()
        from chalicelib.facts.ring_group import PROVIDER, RingGroup, bearer

        secret_id = self.settings.aloware_api_secret_id
        authorize = bearer(lambda refresh: self.secrets.text(secret_id, refresh=refresh))
        origin, path = origin_and_path(url)
        client = self.vendor(
            PROVIDER,
            origin,
            authorize,
            requests_per_window=ROSTER_REQUESTS_PER_MINUTE,
            window_seconds=60.0,
        )
        return AskedRoster(RingGroup(client, path).members, self.clock, self.log, listed)

    @cached_property
    def fact_table(self) -> Table:
        """QuillIdempotencyLedger; refused where it is another stage's."""
        from chalicelib.aws import stage_guard
        from chalicelib.aws.dynamo import Table
        from chalicelib.facts.ledger import ATTRIBUTES

        settings = self.settings
        where = {"endpoint_url": settings.facts_endpoint, "region_name": settings.facts_region}
        client = self.client("dynamodb", **{name: value for name, value in where.items() if value})
        if not settings.facts_endpoint:  # DynamoDB Local knows no tags
            stage_guard.check_table(client, stage=settings.stage, table=settings.facts_table)
        return Table(client, settings.facts_table, ATTRIBUTES)

    @property
    def fact_retention(self) -> timedelta:
        """How long the ledger of facts keeps a row."""
        return timedelta(days=self.settings.facts_ttl_days)

    # --- private ------------------------------------------------------------------------------

    def _keep_fact(self, job: Any) -> None:  # noqa: ANN401 - one of the two kinds
        self.fact_keeper(job)

    def _secret(self, secret_id: str) -> tuple[str, ...]:
        tokens = active_tokens(self.secrets.text(secret_id))
        if not tokens:
            raise UnavailableError("no_credential_configured")
        return tokens

    def _listed(self) -> tuple[ListedAgent, ...]:
        from pydantic import ValidationError

        from chalicelib.facts.roster import LISTED

        text = self.settings.facts_roster
        try:
            return LISTED.validate_json(text) if text else ()
        except ValidationError:
            raise SettingsError("environment variable FACTS_ROSTER is no list of agents") from None

    def _rules(self) -> tuple[Rule, ...]:
        from pydantic import TypeAdapter, ValidationError

        from chalicelib.facts.mapping import RULES, Rule

        text = self.settings.hubspot_fact_rules
        try:
            return TypeAdapter(tuple[Rule, ...]).validate_json(text) if text else RULES
        except ValidationError:
            raise SettingsError(
                "environment variable HUBSPOT_FACT_RULES is no list of rules"
            ) from None


def _kept(jobs: Sequence[Job]) -> Mapping[str, Any]:
    return {"kept": len(jobs)}


def origin_and_path(url: str) -> tuple[str, str]:
    """``https://host:port`` and ``/path?query`` of an address."""
    address = urlsplit(url)
    query = f"?{address.query}" if address.query else ""
    return f"{address.scheme}://{address.netloc}", address.path + query
