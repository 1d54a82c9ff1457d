"""The whole local system: starts every part in order, and stops them in reverse."""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self

import boto3

from chalicelib.facts.dataset import definition
from chalicelib.facts.posting.mirrored_tables import KEYS, METADATA, metadata
from local import company, simulated_model
from local.stack import engine as engines
from local.stack import environment, lambda_events, lineage, resources, turned_clock
from local.stack.engine import ROOT
from local.stack.functions import Functions
from local.stack.idle_watch import IdleWatch
from local.stack.pump import Pump, Schedule, lane_handler, lane_pump
from local.stack.queue_board import QueueBoard
from local.stack.server import Http
from local.vendors import bedrock
from local.vendors.bedrock import SimulatedBedrock
from local.vendors.onelake import SimulatedOneLake
from local.vendors.openai import MODELS, SimulatedOpenAI
from local.vendors.powerbi import SimulatedPowerBi
from local.vendors.richpanel import SimulatedRichpanel
from local.vendors.ses import SimulatedSes
from local.vendors.twilio import SimulatedTwilio

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from types import TracebackType

STAGE = "dev"
READER = f"rp-mw-{STAGE}-ticket_texts"
FACTS_EVERY_SECONDS = 5.0
"""Shorter than the minute of a deployed stage, because a person waits."""
DEPLOYED_FACTS_EVERY_SECONDS = 60.0
STOP_SECONDS = 0.5
"""How long a handler may run after Ctrl-C; no data is kept, so unfinished work is lost."""


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of the local system; 0 for any free port."""

    http: int = 0
    engine: int = 0
    richpanel: int = 0
    powerbi: int = 0


class Stack:
    """The whole system in this process, except the engine; a context manager.

    The application is imported after its environment is set, so a process can have only one stack.

    Args:
        ports: where to listen.
        reconcile_every_seconds: the schedule's interval; with None the caller runs the schedule.
        on_error: called with the handler's name and the exception it raised.
        moved_clock: the file of a clock that tests can move.  The engine follows it; the caller
            must make this process follow it.
        idle_watch: coordinates pumps and schedules, and tells whether anything is left to do.
        more: further variables of the functions.

    Raises:
        EngineError: a port is taken or the engine does not start; nothing is left running.
    """

    engine: engines.Engine
    stage: resources.Stage
    richpanel: SimulatedRichpanel
    twilio: SimulatedTwilio
    ses: SimulatedSes
    openai: SimulatedOpenAI
    bedrock: SimulatedBedrock
    powerbi: SimulatedPowerBi
    dataset: str
    onelake: SimulatedOneLake
    http: Http
    pump: Pump
    later: Pump
    schedule: Schedule
    facts_schedule: Schedule

    def __init__(
        self,
        ports: Ports,
        *,
        reconcile_every_seconds: float | None = 30.0,
        on_error: Callable[[str, BaseException], None] | None = None,
        moved_clock: Path | None = None,
        idle_watch: IdleWatch | None = None,
        more: Mapping[str, str] | None = None,
    ) -> None:
        self._ports = ports
        self._every = reconcile_every_seconds
        self._on_error = on_error or (lambda _what, _error: None)
        self._clock, self._more = moved_clock, more or {}
        self._idle_watch = idle_watch
        self._open = ExitStack()

    def wait_until_quiet(self, *, timeout_seconds: float = 60.0) -> bool:
        """Wait until every lane and the queue `later` are empty; False on timeout.

        A job that waits for its vendor's rate is on `later`, invisible for some seconds.
        """
        deadline = time.monotonic() + timeout_seconds
        while any(pump.depth() for pump in (self.pump, self.later, self.pump)):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self._open.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()

    def _start(self) -> None:
        for port, what in (
            (self._ports.http, "the HTTP server"),
            (self._ports.richpanel, "the simulated Richpanel"),
            (self._ports.powerbi, "the simulated Power BI"),
        ):
            if port:
                engines.require_free(port, what)
        board = self._start_engine()
        aws = resources.Aws(self.engine.url)
        self._open.callback(aws.close)
        self.stage = resources.create(aws, STAGE)
        self.richpanel = SimulatedRichpanel(self._ports.richpanel)
        self._open.callback(self.richpanel.stop)
        self.powerbi = SimulatedPowerBi(self._ports.powerbi)
        self._open.callback(self.powerbi.stop)
        self.dataset = self.powerbi.create_dataset(definition())
        self.onelake = self._open.enter_context(mirrored_database())
        shutil.rmtree(environment.FACTS, ignore_errors=True)
        self.twilio = SimulatedTwilio()
        self._open.callback(self.twilio.stop)
        self.ses = SimulatedSes()
        self._open.callback(self.ses.stop)
        self.openai = SimulatedOpenAI()
        self._open.callback(self.openai.stop)
        self.openai.answer_by(simulated_model.answer)
        self.bedrock = SimulatedBedrock()
        self._open.callback(self.bedrock.stop)
        self.bedrock.answer_by(simulated_model.answer)
        company.create(self.stage)
        company.open_desk(self.stage)
        company.create_written_by_model(self.stage)
        functions = Functions({READER: _ticket_texts}, self.engine.url)
        self._open.callback(functions.stop)
        self.variables = {
            **environment.local(
                STAGE,
                aws,
                richpanel_url=self.richpanel.base_url,
                **environment.facts(self.powerbi, self.dataset, environment.FACTS),
                **environment.onelake(self.onelake),
            ),
            "FACTS_REPORT": "powerbi,onelake",
            "TWILIO_BASE_URL": self.twilio.base_url,
            "AWS_ENDPOINT_URL_SESV2": self.ses.base_url,
            "AWS_ENDPOINT_URL_LAMBDA": functions.url,
            "OPENAI_BASE_URL": self.openai.base_url,
            "OPENAI_MODEL": MODELS[0],
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": self.bedrock.base_url,
            "MODEL_PRICES": '{"gpt-6-luna": [50, 100], "gpt-5.6-luna": [5, 10]}',  # invented
            "BEDROCK_MODEL": bedrock.MODELS[0],
            "BEDROCK_FALLBACK_MODEL": bedrock.MODELS[1],
            "PUBLIC_BASE_URL": company.PUBLIC_URL,
            "COMPANY_WEBHOOKS_ON_LOOPBACK": "true",
            **self._more,
        }
        environment.enter(self.variables)
        boto3.setup_default_session()
        lineage.carry(boto3.DEFAULT_SESSION.events)  # the functions' clients come from this session
        resources.leave_unsigned(boto3.DEFAULT_SESSION.events)
        app = _application()
        self.on_mail = self.ses.on_event = lambda event: app.mail(
            event, lambda_events.LambdaContext()
        )
        self.pump = lane_pump(
            self.stage,
            lane_handler(app),
            on_error=lambda error: self._on_error("worker", error),
            idle_watch=self._idle_watch,
            board=board,
        ).start()
        self._open.callback(self.pump.finish_running, wait_seconds=STOP_SECONDS)
        self.later = Pump(
            aws.client("sqs"),
            self.stage.queues["LaterQueue"],
            self.stage.queue_arns["LaterQueue"],
            app.later,
            pollers=1,
            function_name="rp-mw-dev-later",
            on_error=lambda error: self._on_error("later", error),
            idle_watch=self._idle_watch,
            board=board,
        ).start()
        self._open.callback(self.later.finish_running, wait_seconds=STOP_SECONDS)
        self.schedule = Schedule(
            app.reconcile,
            self._every or 0,
            on_error=lambda error: self._on_error("reconcile", error),
            idle_watch=self._idle_watch,
        )
        self.facts_schedule = Schedule(
            app.post_facts,
            FACTS_EVERY_SECONDS if self._clock is None else DEPLOYED_FACTS_EVERY_SECONDS,
            function_name="rp-mw-dev-post_facts",
            on_error=lambda error: self._on_error("post_facts", error),
            idle_watch=self._idle_watch,
        )
        if self._every is not None:
            for schedule in (self.schedule, self.facts_schedule):
                schedule.start()
                self._open.callback(schedule.stop, wait_seconds=STOP_SECONDS)
        self.http = self._open.enter_context(Http(app.app, self._ports.http, stage=STAGE))
        self.twilio.post_to = (company.PUBLIC_URL, self.http.url)
        self.twilio.inbound_url = f"{company.PUBLIC_URL}/webhook/twilio"
        self.twilio.numbers[company.SMS_NUMBER] = f"{self.http.url}/webhook/twilio#rc=5&rp=all"

    def _start_engine(self) -> QueueBoard | None:
        """Start the engine; on a moved clock it writes a board."""
        log = environment.RUN / f"engine-{os.getpid()}.log"
        self._open.callback(log.unlink, missing_ok=True)
        board, command = None, engines.MINISTACK
        if self._clock:
            file = self._clock.with_name("queues")
            board = QueueBoard.new(file)
            command = turned_clock.command(self._clock, "local.stack.queue_board", str(file))
        engine = engines.ministack(self._ports.engine, log=log, command=command)
        self.engine = self._open.enter_context(engine)
        return board


def mirrored_database() -> SimulatedOneLake:
    """A simulated OneLake with the facts' tables."""
    made = SimulatedOneLake()
    for table in KEYS:
        made.put(f"{table}/{METADATA}", metadata(table))
    return made


def _ticket_texts(event: dict[str, Any], context: lambda_events.LambdaContext) -> Any:  # noqa: ANN401 - JSON
    """The function that the console and operators call."""
    return importlib.import_module("app").ticket_texts(event, context)


def _application() -> Any:  # noqa: ANN401 - the module `app`
    """Import the application and build its parts, before several threads need them at once."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    module = importlib.import_module("app")
    services = importlib.import_module("chalicelib.wiring").services()
    parts = ("worker", "reconciler", "intake", "intake_without_row", "outbox", "secrets")
    for part in (*parts, "opaque_ids", "outreach.desk", "posting.writer"):
        attrgetter(part)(services)
    for by_kind in (
        services.flows,
        services.executors,
        services.rebuilders,
        services.keepers,
    ):
        list(by_kind.values())
    return module
