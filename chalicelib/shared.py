"""What the systems share: the core's parts, each built, and its module imported, at first use.

`Shared` knows settings, core and vendors' client, but no AWS: `wiring.core` fills its ports.  So a
system's own `build` may hold it, and no system reaches `aws`.  It is the only module below `wiring`
with imports inside functions, beside the doors of outreach: a door loads no ledger, a worker that
stores facts loads no HTTP client.
"""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from chalicelib.clock import SystemClock
from chalicelib.once.keyring import KeyPurpose, Keyring, PurposeKeys
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.ports import (
    Clock,
    DelayQueue,
    Outbox,
    Runtime,
    SecretsPort,
    SwitchesPort,
)
from chalicelib.once.seal import Seal
from chalicelib.settings import Settings

if TYPE_CHECKING:
    from chalicelib.once.aside import SettingAside
    from chalicelib.once.audit import Audit
    from chalicelib.once.caller_shares import CallerShares, HoldingLog
    from chalicelib.once.current_job import CurrentJob
    from chalicelib.once.heartbeat import Heartbeat
    from chalicelib.once.incidents import Incidents
    from chalicelib.once.intake import Intake
    from chalicelib.once.job import Job
    from chalicelib.once.journal import Journal
    from chalicelib.once.later import Later
    from chalicelib.once.ledger.events import Ledger
    from chalicelib.once.recovery.cursor import Sweeps
    from chalicelib.once.store import Store
    from chalicelib.vendors.http import VendorClient
    from chalicelib.vendors.level import Levels


class Shared(ABC):
    """The parts of a container that every system uses: stores, queues, log, switches, keys."""

    def __init__(self, settings: Settings, clock: Clock | None = None) -> None:
        self.settings = settings
        self.clock: Clock = clock or SystemClock()

    # --- ports, filled by wiring --------------------------------------------------------------

    @property
    @abstractmethod
    def log(self) -> HoldingLog:
        """The log, which redacts personal data."""

    @property
    @abstractmethod
    def outbox(self) -> Outbox:
        """The sender to the lanes' FIFO queues."""

    @property
    @abstractmethod
    def delay_queue(self) -> DelayQueue:
        """The sender to the queue `later`, on which jobs wait for up to 15 minutes."""

    @property
    @abstractmethod
    def switches(self) -> SwitchesPort:
        """The reader of the stage's four switches."""

    @property
    @abstractmethod
    def secrets(self) -> SecretsPort:
        """The reader of secrets by name."""

    @abstractmethod
    def table(self, name: str) -> Store:
        """A table of the stage, by its name."""

    @abstractmethod
    def table_at(self, name: str, attributes: Mapping[str, str], **where: str) -> Store:
        """A table that may be in another region or at another endpoint; refused if it is another stage's.

        Args:
            name: the table's.
            attributes: the stored name of each attribute that has another in code.
            where: ``endpoint_url``, ``region_name``.

        Raises:
            SettingsError: it has another stage's tag, or none.
            TransientError: its tags could not be read.
        """

    @abstractmethod
    def client(self, service: str, config: Any = None, **where: str) -> Any:  # noqa: ANN401 - AWS's
        """A new boto3 client of an AWS service that a system calls as a vendor, with its own config.

        `where`: ``endpoint_url``, ``region_name``.
        """

    # --- the core -----------------------------------------------------------------------------

    @cached_property
    def caller_shares(self) -> CallerShares:
        """The limits on how many requests each caller may make of this container."""
        from chalicelib.once.caller_shares import CallerShares

        return CallerShares(clock=self.clock, log=self.log)

    @cached_property
    def intake(self) -> Intake:
        """The `Intake` that puts jobs on the queue and, with `ingress_ledger`, writes their events' rows."""
        return self._intake((lambda: self.ledger) if self.settings.ingress_ledger else None)

    @cached_property
    def intake_without_row(self) -> Intake:
        """The `Intake` that writes no row when a request arrives.

        For jobs whose row exists already, or is written by the worker alone.
        """
        return self._intake(None)

    def _intake(self, ledger: Callable[[], Ledger] | None) -> Intake:
        from chalicelib.once.intake import Intake

        return Intake(
            outbox=self.outbox,
            opaque=self.opaque_to_send,
            clock=self.clock,
            log=self.log,
            new_id=new_id,
            ledger=ledger,
        )

    @cached_property
    def ledger(self) -> Ledger:
        """The ledger of events and actions in table A."""
        days = self.settings.ledger_retention_days
        return self.ledger_on(self._table_a, timedelta(days=days))

    def ledger_on(self, table: Store, retention: timedelta) -> Ledger:
        """A ledger of events and actions on the given table, which keeps its rows for `retention`."""
        from chalicelib.once.ledger.events import Ledger

        return Ledger(table=table, clock=self.clock, new_owner=new_owner, retention=retention)

    @cached_property
    def incidents(self) -> Incidents:
        """The incidents: causes that hold events up, and what persons did about them."""
        from chalicelib.once.incidents import Incidents

        days = self.settings.ledger_retention_days
        return Incidents(table=self._table_a, clock=self.clock, retention=timedelta(days=days))

    @cached_property
    def sweeps(self) -> Sweeps:
        """The sweep's own rows in table A: its lease, its position and its runs."""
        from chalicelib.once.recovery.cursor import Sweeps

        days = self.settings.ledger_retention_days
        return Sweeps(
            table=self._table_a,
            clock=self.clock,
            new_owner=new_owner,
            retention=timedelta(days=days),
        )

    @cached_property
    def audit(self) -> Audit:
        """The `Audit` in table C, which has a row for each action of the machine."""
        from chalicelib.once.audit import Audit

        days = self.settings.audit_retention_days
        return Audit(table=self._table_c, clock=self.clock, retention=timedelta(days=days))

    @cached_property
    def journal(self) -> Journal:
        """The `Journal` in table C, which has an entry for each act of a person."""
        from chalicelib.once.journal import Journal

        days = self.settings.journal_retention_days
        return Journal(
            table=self._table_c, clock=self.clock, new_id=new_owner, retention=timedelta(days=days)
        )

    @cached_property
    def later(self) -> Later:
        """The `Later` that sends jobs to the queue of short waits."""
        from chalicelib.once.later import Later

        return Later(self.delay_queue, self.opaque_to_send)

    def put_later(self, job: Job, seconds: float) -> None:
        """Send a job to the queue `later`, from which it comes back after so many seconds.

        Raises:
            UnavailableError: it was not queued.
        """
        self.later.put(job, seconds)

    @cached_property
    def current_job(self) -> CurrentJob:
        """The record of the job on which each thread of this container works."""
        from chalicelib.once.current_job import CurrentJob

        return CurrentJob()

    @cached_property
    def aside(self) -> SettingAside:
        """The `SettingAside` that lets events wait outside their queue."""
        from chalicelib.once.aside import SettingAside

        return SettingAside(
            ledger=lambda: self.ledger, send_later=self.put_later, clock=self.clock, log=self.log
        )

    @cached_property
    def heartbeat(self) -> Heartbeat:
        """The `Heartbeat` that keeps the worker's message invisible during slow calls."""
        from chalicelib.once.heartbeat import Heartbeat

        return Heartbeat(outbox=self.outbox, log=self.log)

    @cached_property
    def runtime(self) -> Runtime:
        """The clock, the log and the switches."""
        return Runtime(clock=self.clock, log=self.log, switches=self.switches)

    @cached_property
    def keyring(self) -> Keyring:
        """The stage's signing and hashing keys, by purpose."""
        return Keyring(stage=self.settings.stage, secrets=self.secrets, clock=self.clock)

    def keys_of(self, purpose: KeyPurpose) -> Callable[[], PurposeKeys]:
        """A function that returns the keys of a purpose; they are read when it is called."""
        return lambda: self.keyring.of(purpose)

    @cached_property
    def seal(self) -> Seal:
        """The `Seal` that adds a MAC to queue messages and checks it."""
        return Seal(self.keys_of(KeyPurpose.JOBS))

    @cached_property
    def opaque_ids(self) -> OpaqueIds:
        """The maker of keyed hashes of identifiers, under the stage's key of ids."""
        return self.keyring.of(KeyPurpose.IDS).ids

    def opaque(self) -> OpaqueIds:
        """The maker of keyed hashes of identifiers; code that gets this method reads the key when needed."""
        return self.opaque_ids

    def opaque_to_send(self) -> OpaqueIds:
        """The maker of keyed hashes of identifiers, for code that then puts a job on a queue.

        The key of ids and the key that seals jobs are read with one call.
        """
        self.keyring.fetch(KeyPurpose.IDS, KeyPurpose.JOBS)
        return self.opaque_ids

    @property
    def _table_a(self) -> Store:
        return self.table(self.settings.idempotency_table)

    @property
    def _table_c(self) -> Store:
        return self.table(self.settings.audit_table)

    # --- vendors ------------------------------------------------------------------------------

    def vendor(
        self,
        provider: str,
        base_url: str,
        authorize: Callable[[bool], Mapping[str, str]],
        *,
        requests_per_window: float,
        window_seconds: float = 30.0,
        burst: float | None = None,
        error_code_at: tuple[str, ...] = (),
        levels: Levels | None = None,
        containers: int = 1,
    ) -> VendorClient:
        """A new HTTP client of a vendor, with its own rate limit and circuit breaker.

        The arguments are those of `VendorApi` and `RateLimit`.
        """
        from chalicelib.vendors import breaker, http, rate_limit

        pace = rate_limit.LevelPace(requests_per_window, burst=burst, window_seconds=window_seconds)
        return http.VendorClient(
            api=http.VendorApi(
                provider=provider,
                base_url=base_url,
                authorize=authorize,
                error_code_at=error_code_at,
            ),
            clock=self.clock,
            log=self.log,
            rate_limit=rate_limit.RateLimit(
                provider=provider,
                clock=self.clock,
                current=self.current_job,
                levels=levels,
                containers=containers,
                pace=pace,
            ),
            breaker=breaker.Breaker(provider, self.clock),
        )


def new_id() -> str:
    """A new random id, 32 hex characters."""
    return uuid.uuid4().hex


def new_owner() -> str:
    """A new random id for the owner of a claim: 16 hex characters, as a row's length is paid for."""
    return uuid.uuid4().hex[:16]
