"""Builds what posts stored facts: the scheduled run, the writer, its ledger, its effects, the sinks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from chalicelib.errors import MiddlewareError, PayloadError
from chalicelib.facts.build import Facts
from chalicelib.facts.hubspot_owners import PROVIDER as OWNERS_PROVIDER
from chalicelib.facts.hubspot_owners import HubSpotOwners
from chalicelib.facts.model import Agent, Row, Sink
from chalicelib.facts.posting import landing_zone
from chalicelib.facts.posting.compaction import Compaction
from chalicelib.facts.posting.comparison import FactCheck
from chalicelib.facts.posting.dataset_reader import DatasetReader
from chalicelib.facts.posting.dimensions import Dimensions, Directories
from chalicelib.facts.posting.effects import KINDS
from chalicelib.facts.posting.entra import EntraTokens
from chalicelib.facts.posting.file_assignments import FileAssignments
from chalicelib.facts.posting.landing_zone import LandingZone
from chalicelib.facts.posting.ndjson import Archive, FileRows, S3Rows, StoredRows
from chalicelib.facts.posting.nightly import Nightly
from chalicelib.facts.posting.onelake import OneLake
from chalicelib.facts.posting.onelake import target_of as onelake_target
from chalicelib.facts.posting.powerbi import POSTS_PER_MINUTE, PROVIDER, PowerBi
from chalicelib.facts.posting.powerbi import SCOPE as POWERBI_SCOPE
from chalicelib.facts.posting.powerbi import target_of as dataset_target
from chalicelib.facts.posting.scheduled import ScheduledRun
from chalicelib.facts.posting.writer import FactSinks, FactWriter
from chalicelib.facts.shifts import shift_rows
from chalicelib.once.effect import Executor
from chalicelib.once.effects import Effects
from chalicelib.once.lazy import executors_of
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.settlement import Settlement
from chalicelib.shared import Shared
from chalicelib.vendors.http import VendorClient, bearer_header, origin_and_path

TOKENS_PER_MINUTE = 30
OWNERS_PER_MINUTE = 60


class Posting:
    """Builds the parts that post facts to the sinks."""

    def __init__(self, *, shared: Shared, facts: Facts) -> None:
        self._shared = shared
        self._facts = facts
        self._settings = shared.settings

    def run(self, *, time_left_seconds: Callable[[], float]) -> dict[str, Any]:
        """Do the schedule's work once: the fact writer's run, compaction, nightly work.

        Returns its summary.
        """
        run = ScheduledRun(
            store=self._facts.ledger,
            log=self._shared.log,
            missing_sink=self.missing_sink,
            writer=lambda: self.writer,
            compaction=lambda: self.compaction,
            nightly=lambda: self.nightly,
        )
        return run(time_left_seconds=time_left_seconds)

    @cached_property
    def writer(self) -> FactWriter:
        """The fact writer, the only one that posts to the sinks."""
        shared = self._shared
        return FactWriter(
            ledger=self.ledger,
            store=self._facts.ledger,
            sinks=FactSinks(
                refusing=self._dimensions(self.refusing_target) if self.refusing_target else None,
                accepting=[
                    self._dimensions(sink) for sink in self.sinks if sink != self.refusing_target
                ],
            ),
            effects=self.effects,
            runtime=shared.runtime,
        )

    @cached_property
    def compaction(self) -> Compaction:
        """The hourly compaction of the archives."""
        runtime = self._shared.runtime
        return Compaction(writer=self.writer, archives=self.archives, runtime=runtime)

    @cached_property
    def nightly(self) -> Nightly:
        """The nightly work: refresh changed names and shifts, then compare the counts of the sinks."""
        shared = self._shared
        return Nightly(
            ledger=self.ledger,
            writer=self.writer,
            check=lambda: self.fact_check,
            timezone=shared.settings.facts_timezone,
            runtime=shared.runtime,
        )

    @cached_property
    def fact_check(self) -> FactCheck:
        """The check that compares facts by day in ledger, archive and dataset, and OneLake's files."""
        mirrored = self.onelake if "onelake" in self._settings.facts_report else None
        return FactCheck(
            store=self._facts.ledger,
            archive=self.archive,
            dataset=self.dataset_reader(),
            onelake=mirrored,
        )

    @cached_property
    def archive(self) -> Archive | None:
        """The archive from which facts are read, the last configured one; None where there is none."""
        return self.archives[-1] if self.archives else None

    @cached_property
    def archives(self) -> Sequence[StoredRows]:
        """The sinks that are archives of files."""
        return [sink for sink in self.sinks.values() if isinstance(sink, StoredRows)]

    def dataset_reader(self, dataset_id: str | None = None) -> DatasetReader | None:
        """The reader of a Power BI dataset, by default the configured one.

        Returns None where no dataset is given or configured.
        """
        settings = self._settings
        read = dataset_id or (
            settings.powerbi_dataset_id if "powerbi" in settings.facts_report else ""
        )
        workspace = settings.powerbi_workspace_id
        return DatasetReader(self.powerbi_client, workspace, read) if read else None

    def agents(self) -> Mapping[str, Agent] | None:
        """The agents by id: those of the roster, and HubSpot's owners where the settings let them be read.

        The result is None where neither is known.
        """
        roster = self._facts.roster.agents()
        owners = self._owners
        return {**owners.agents(), **(roster or {})} if owners else roster

    def are_names_known(self) -> bool:
        """Whether each configured directory of agents was read; True where none is configured.

        While it is False, a report would show agents' ids in place of names.
        """
        owners, is_roster_read = self._owners, bool(self._settings.aloware_ring_group_url)
        if owners is not None:
            owners.agents()
        if is_roster_read and self._facts.roster.agents() is None:
            return False
        return owners is None or owners.is_known

    @cached_property
    def _owners(self) -> HubSpotOwners | None:
        shared, settings = self._shared, self._settings
        if not settings.hubspot_directory:
            return None
        client = shared.vendor(
            OWNERS_PROVIDER,
            settings.hubspot_base_url,
            bearer_header(
                lambda refresh: shared.secrets.text(settings.hubspot_api_secret_id, refresh=refresh)
            ),
            requests_per_window=OWNERS_PER_MINUTE,
            window_seconds=60.0,
        )
        return HubSpotOwners(client=client, clock=shared.clock, log=shared.log)

    def shifts(self) -> Sequence[Row] | None:
        """The rows of table `DimShift` from the company's file of shifts; None without a readable file.

        An unreadable file is logged and counted.
        """
        name, log = self._settings.facts_shifts, self._shared.log
        if not name or self.archive is None:
            return None
        try:
            body = self.archive.read_file(name)
            if body is None:
                raise PayloadError("shifts: no such file")
            return shift_rows(body)
        except MiddlewareError as error:
            log.event("facts.shifts_unreadable", reason=str(error))
            log.metric("mw.facts.roster_unreadable")
            return None

    def _dimensions(self, target: str) -> Dimensions:
        """The keeper of one sink's dimension tables: agents, metrics, days and shifts."""
        shared = self._shared
        return Dimensions(
            store=self._facts.ledger,
            effects=self.effects,
            clock=shared.clock,
            log=shared.log,
            target=target,
            directories=Directories(
                agents=self.agents,
                shifts=self.shifts,
                are_names_known=self.are_names_known,
            ),
        )

    @cached_property
    def ledger(self) -> Ledger:
        """The `Ledger` on the facts' table: the fact writer's lease, its batches and its POSTs."""
        facts = self._facts
        return self._shared.ledger_on(facts.table, facts.retention)

    @cached_property
    def effects(self) -> Effects:
        """The only way by which rows reach a sink; it records each POST, so that none is sent twice."""
        shared = self._shared
        return Effects(
            ledger=self.ledger,
            switches=shared.switches,
            executors=self.executors,
            settlement=Settlement(ledger=self.ledger, executors=self.executors, clock=shared.clock),
            clock=shared.clock,
            log=shared.log,
        )

    @cached_property
    def executors(self) -> Mapping[str, Executor]:
        """The functions that perform each kind of effect on a sink, by the kind's name."""
        return executors_of(KINDS, self)

    @cached_property
    def missing_sink(self) -> str | None:
        """The reason, a fixed code, why no facts can be posted: a sink is not configured.

        It is None where facts can be posted.
        """
        settings = self._settings
        if "powerbi" in settings.facts_report and not settings.powerbi_dataset_id:
            return "no_dataset"
        if "onelake" in settings.facts_report and not settings.has_mirrored_database:
            return "no_onelake"
        return None if self.sinks else "no_archive"

    @cached_property
    def sinks(self) -> Mapping[str, Sink]:
        """The sinks by target, in the order in which they get a batch: Power BI, OneLake, archives."""
        settings = self._settings
        sinks: list[Sink] = []
        if self.refusing_target:
            sinks.append(self.powerbi(settings.powerbi_dataset_id))
        if "onelake" in settings.facts_report and self.onelake:
            sinks.append(self.onelake)
        if settings.facts_folder:
            sinks.append(FileRows(Path(settings.facts_folder)))
        if settings.facts_bucket:
            sinks.append(S3Rows(self._shared.client("s3"), settings.facts_bucket))
        return {sink.target: sink for sink in sinks}

    @property
    def refusing_target(self) -> str | None:
        """The target of the Power BI dataset, the one sink that may refuse rows.

        It is None where the dataset gets no facts.
        """
        settings = self._settings
        is_given = "powerbi" in settings.facts_report and settings.powerbi_dataset_id
        return dataset_target(settings.powerbi_dataset_id) if is_given else None

    @cached_property
    def onelake(self) -> OneLake | None:
        """The sink of the Fabric mirrored database; None where no database is configured."""
        shared, settings = self._shared, self._settings
        if not settings.has_mirrored_database:
            return None
        tokens = self._tokens(
            landing_zone.PROVIDER,
            settings.onelake_token_url,
            scope=landing_zone.SCOPE,
            client_id=settings.fabric_client_id,
            secret_id=settings.fabric_secret_id,
        )
        origin, _ = origin_and_path(settings.fabric_base_url)
        client = shared.vendor(
            landing_zone.PROVIDER,
            origin,
            tokens.headers,
            requests_per_window=landing_zone.CALLS_PER_MINUTE,
            window_seconds=60.0,
        )
        target = onelake_target(settings.fabric_database_id)
        return OneLake(
            zone=LandingZone(
                client=client,
                clock=shared.clock,
                workspace_id=settings.fabric_workspace_id,
                database_id=settings.fabric_database_id,
            ),
            assignments=FileAssignments(table=self._facts.table, clock=shared.clock, target=target),
        )

    def powerbi(self, dataset_id: str) -> Sink:
        """The sink of a Power BI push dataset."""
        settings = self._settings
        return PowerBi(
            client=self.powerbi_client,
            clock=self._shared.clock,
            workspace_id=settings.powerbi_workspace_id,
            dataset_id=dataset_id,
            is_numbered=settings.powerbi_sequence_numbers,
        )

    @cached_property
    def powerbi_client(self) -> VendorClient:
        """The HTTP client of Power BI's REST API, limited to half of its 120 POSTs a minute."""
        return self._powerbi_client()

    @cached_property
    def powerbi_client_with_codes(self) -> VendorClient:
        """An HTTP client like `powerbi_client` that also reports Power BI's own error codes as reasons.

        One such code says that push datasets are no longer offered.
        """
        return self._powerbi_client(error_code_at=("error", "code"))

    def _powerbi_client(self, *, error_code_at: tuple[str, ...] = ()) -> VendorClient:
        shared, settings = self._shared, self._settings
        tokens = self._tokens(
            PROVIDER,
            settings.powerbi_token_endpoint,
            scope=POWERBI_SCOPE,
            client_id=settings.powerbi_client_id,
            secret_id=settings.powerbi_secret_id,
        )
        return shared.vendor(
            PROVIDER,
            settings.powerbi_base_url,
            tokens.headers,
            requests_per_window=POSTS_PER_MINUTE // 2,
            window_seconds=60.0,
            error_code_at=error_code_at,
        )

    def _tokens(
        self, provider: str, url: str, *, scope: str, client_id: str, secret_id: str
    ) -> EntraTokens:
        """The source of access tokens for one API, issued to a Microsoft Entra application."""
        shared = self._shared
        origin, path = origin_and_path(url)
        client = shared.vendor(
            provider,
            origin,
            lambda _refresh: {},
            requests_per_window=TOKENS_PER_MINUTE,
            window_seconds=60.0,
        )
        return EntraTokens(
            client=client,
            path=path,
            scope=scope,
            client_id=client_id,
            secret=lambda refresh: shared.secrets.text(secret_id, refresh=refresh),
            clock=shared.clock,
        )
