"""The facts' parts: two sources, the keeper, the ledger of facts, the writer and its sinks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from chalicelib import lambda_events
from chalicelib.errors import SettingsError, UnavailableError
from chalicelib.fact_intake import FactIntake, FactJob
from chalicelib.intake import Answer, Intake
from chalicelib.secrets import active_tokens
from chalicelib.sources import InboundRequest
from chalicelib.sources import aloware as aloware_source
from chalicelib.sources import hubspot as hubspot_source
from chalicelib.wiring.core import Core, new_id, new_owner

if TYPE_CHECKING:
    from chalicelib.adapters.http import VendorClient
    from chalicelib.dynamo import Table
    from chalicelib.effects import Effects
    from chalicelib.fact_dimensions import Dimensions
    from chalicelib.fact_ledger import FactLedger
    from chalicelib.fact_ports import Roster, Sink
    from chalicelib.fact_roster import ListedAgent
    from chalicelib.fact_writer import FactWriter
    from chalicelib.flows.fact_mapping import Rule
    from chalicelib.flows.facts import FactKeeper
    from chalicelib.ledger import Ledger

ALOWARE_PATIENCE_SECONDS = 8.0
"""Aloware never sends again.  The last try begins by then, and may take AWS's client 15 s more."""


class Facts(Core):
    """Aloware's and HubSpot's events on their way to Power BI."""

    # --- the way in ---------------------------------------------------------------------------

    def aloware_webhook(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer Aloware."""

        def parse(request: InboundRequest) -> list[FactJob]:
            job = aloware_source.parse(request)
            return [] if job is None else [job]

        return self.fact_intake.receive(
            "aloware",
            headers,
            body,
            lambda found: aloware_source.verify(
                found, self._secret(self.settings.aloware_secret_id)
            ),
            parse,
            patience_seconds=ALOWARE_PATIENCE_SECONDS,
        )

    def hubspot_webhook(self, headers: Mapping[str, str], body: bytes, uri: str) -> Answer:
        """Answer HubSpot; `uri` is what was called, where no address is configured."""

        def verify(found: Mapping[str, str]) -> None:
            hubspot_source.verify(
                found,
                uri=self.settings.hubspot_webhook_url or uri,
                body=body,
                now_ms=int(self.clock.now().timestamp() * 1000),
                secrets=self._secret(self.settings.hubspot_secret_id),
            )

        return self.fact_intake.receive("hubspot", headers, body, verify, hubspot_source.parse)

    @cached_property
    def fact_intake(self) -> FactIntake:
        """The facts' door; never with a row at ingress, as the worker's one write is the row."""
        intake = Intake(
            outbox=self.outbox,
            opaque=lambda: self.opaque_ids,
            clock=self.clock,
            log=self.log,
            new_id=new_id,
        )
        return FactIntake(intake, self.clock, self.log, new_id)

    # --- keeping ------------------------------------------------------------------------------

    def fact_keepers(self) -> Mapping[str, Callable[[Any], None]]:
        """Who keeps each kind of job."""
        return {"aloware_delivery": self._keep_fact, "hubspot_batch": self._keep_fact}

    @cached_property
    def fact_keeper(self) -> FactKeeper:
        """The worker's room for facts."""
        from chalicelib.flows.facts import FactKeeper

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
        from chalicelib.fact_ledger import FactLedger

        return FactLedger(self._fact_table, self.clock, retention=self._fact_retention)

    @cached_property
    def roster(self) -> Roster:
        """The ring group where its address is configured, else the list, else no gate."""
        from chalicelib.fact_roster import AskedRoster, ListedRoster, NoGate

        listed = self._listed()
        url = self.settings.aloware_ring_group_url
        if not url:
            return ListedRoster(listed) if listed else NoGate()
        from chalicelib.adapters.aloware import PROVIDER, RingGroup, bearer

        secret_id = self.settings.aloware_api_secret_id
        authorize = bearer(lambda refresh: self.secrets.text(secret_id, refresh=refresh))
        client = self._client_of(PROVIDER, url, authorize)
        return AskedRoster(RingGroup(client, _path(url)).members, self.clock, self.log, listed)

    # --- posting ------------------------------------------------------------------------------

    def post_facts(self, context: Any) -> dict[str, Any]:  # noqa: ANN401 - Lambda's context
        """One run of the writer, in numbers."""
        if self.fact_sink is None:
            return {"outcome": "held:no_sink", "prolonged": self.fact_ledger.prolong()}
        run = self.fact_writer.run(time_left_seconds=lambda_events.time_left(context))
        return asdict(run)

    @cached_property
    def fact_writer(self) -> FactWriter:
        """The single writer."""
        from chalicelib.fact_writer import FactWriter

        return FactWriter(
            ledger=self.fact_rows_ledger,
            store=self.fact_ledger,
            dimensions=self.dimensions,
            effects=self.fact_effects,
            switches=self.switches,
            clock=self.clock,
            log=self.log,
        )

    @cached_property
    def dimensions(self) -> Dimensions:
        """What the dataset has of agents, metrics and days."""
        from chalicelib.fact_dimensions import Dimensions

        return Dimensions(
            store=self.fact_ledger,
            effects=self.fact_effects,
            roster=self.roster,
            clock=self.clock,
            log=self.log,
            target=self._sink.target,
        )

    @cached_property
    def fact_rows_ledger(self) -> Ledger:
        """The ledger's code over the facts' own table: the writer's lease, its batch, its POSTs."""
        from chalicelib.ledger import Ledger

        return Ledger(self._fact_table, self.clock, new_owner, retention=self._fact_retention)

    @cached_property
    def fact_effects(self) -> Effects:
        """The one door out, for rows."""
        from chalicelib.adapters.rows import append, replace
        from chalicelib.effects import Effects
        from chalicelib.settlement import Settlement

        ledger = self.fact_rows_ledger
        return Effects(
            ledger,
            self.switches,
            {
                "post_facts": append(self._sink),
                "insert_dimension": append(self._sink),
                "replace_dimension": replace(self._sink),
            },
            Settlement(ledger, {}, self.clock),
            self.clock,
            self.log,
        )

    @cached_property
    def fact_sink(self) -> Sink | None:
        """Where rows go, the archive first, which takes a repeated batch once; None: nowhere."""
        from pathlib import Path

        from chalicelib.adapters.ndjson import FileRows, S3Rows, Several

        settings = self.settings
        sinks: list[Sink] = []
        if settings.facts_folder:
            sinks.append(FileRows(Path(settings.facts_folder)))
        if settings.facts_bucket:
            sinks.append(S3Rows(self.client("s3"), settings.facts_bucket))
        if settings.powerbi_dataset_id:
            sinks.append(self.powerbi(settings.powerbi_dataset_id))
        if len(sinks) > 1:
            return Several(tuple(sinks))
        return sinks[0] if sinks else None

    def powerbi(self, dataset_id: str) -> Sink:
        """One push dataset as a sink."""
        from chalicelib.adapters.powerbi import PowerBi

        return PowerBi(
            self.powerbi_client,
            self.clock,
            self.settings.powerbi_workspace_id,
            dataset_id,
            is_numbered=self.settings.powerbi_sequence_numbers,
        )

    @cached_property
    def powerbi_client(self) -> VendorClient:
        """Power BI's REST API under its limit of 120 POSTs a minute."""
        from chalicelib.adapters.powerbi import POSTS_PER_MINUTE, PROVIDER, Tokens

        settings = self.settings
        token_url = settings.facts_token_url
        tokens = Tokens(
            self._client_of(PROVIDER, token_url, lambda _refresh: {}),
            _path(token_url),
            settings.powerbi_client_id,
            lambda refresh: self.secrets.text(settings.powerbi_secret_id, refresh=refresh),
            self.clock,
        )
        return self._client_of(
            PROVIDER, settings.powerbi_base_url, tokens.headers, per_minute=POSTS_PER_MINUTE // 2
        )

    # --- private ------------------------------------------------------------------------------

    def _keep_fact(self, job: Any) -> None:  # noqa: ANN401 - one of the two kinds
        self.fact_keeper(job)

    @property
    def _sink(self) -> Sink:
        if self.fact_sink is None:
            raise SettingsError("no sink is configured: POWERBI_DATASET_ID, FACTS_BUCKET")
        return self.fact_sink

    @property
    def _fact_retention(self) -> timedelta:
        return timedelta(days=self.settings.facts_ttl_days)

    @cached_property
    def _fact_table(self) -> Table:
        """QuillIdempotencyLedger; refused where it is another stage's."""
        from chalicelib import stage_guard
        from chalicelib.dynamo import Table
        from chalicelib.fact_ledger import ATTRIBUTES

        settings = self.settings
        where = {"endpoint_url": settings.facts_endpoint, "region_name": settings.facts_region}
        client = self.client("dynamodb", **{name: value for name, value in where.items() if value})
        if not settings.facts_endpoint:  # DynamoDB Local knows no tags
            stage_guard.check_table(client, stage=settings.stage, table=settings.facts_table)
        return Table(client, settings.facts_table, ATTRIBUTES)

    def _client_of(
        self,
        provider: str,
        url: str,
        authorize: Callable[[bool], Mapping[str, str]],
        *,
        per_minute: int = 30,
    ) -> VendorClient:
        from chalicelib.adapters.breaker import Breaker
        from chalicelib.adapters.http import VendorClient
        from chalicelib.adapters.rate_limit import RateLimit

        address = urlsplit(url)
        return VendorClient(
            provider=provider,
            base_url=f"{address.scheme}://{address.netloc}",
            authorize=authorize,
            clock=self.clock,
            log=self.log,
            rate_limit=RateLimit(
                provider,
                self.clock,
                self.clock.sleep,
                requests_per_window=per_minute,
                window_seconds=60.0,
            ),
            breaker=Breaker(provider, self.clock),
        )

    def _secret(self, secret_id: str) -> tuple[str, ...]:
        tokens = active_tokens(self.secrets.text(secret_id))
        if not tokens:
            raise UnavailableError("no_credential_configured")
        return tokens

    def _listed(self) -> tuple[ListedAgent, ...]:
        from pydantic import ValidationError

        from chalicelib.fact_roster import LISTED

        text = self.settings.facts_roster
        try:
            return LISTED.validate_json(text) if text else ()
        except ValidationError:
            raise SettingsError("environment variable FACTS_ROSTER is no list of agents") from None

    def _rules(self) -> tuple[Rule, ...]:
        from pydantic import TypeAdapter, ValidationError

        from chalicelib.flows.fact_mapping import RULES, Rule

        text = self.settings.hubspot_fact_rules
        try:
            return TypeAdapter(tuple[Rule, ...]).validate_json(text) if text else RULES
        except ValidationError:
            raise SettingsError(
                "environment variable HUBSPOT_FACT_RULES is no list of rules"
            ) from None


def _path(url: str) -> str:
    address = urlsplit(url)
    return address.path + (f"?{address.query}" if address.query else "")
