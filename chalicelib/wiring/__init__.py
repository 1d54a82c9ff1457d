"""The services of one container; each system is loaded when its first job or request arrives.

The HTTP function never imports the worker, and a worker imports only the systems of its own lane.
Each system builds itself (`support.build`, `facts.build`, `outreach.build` and the modules beside
them); this package maps kinds of jobs, effects and events to systems.

    core            `Shared` on AWS: boto3 clients, tables, queues, switches, secrets, log, check of the stage
    jobs            the kinds of jobs of all systems, by which a queue message is decoded
    warm            loads a function's modules and clients while Lambda starts it
    watching        reports metrics that alarms watch and no job reports: switches, hand-offs, turns
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from chalicelib import settings as settings_module
from chalicelib.aws import lambda_events
from chalicelib.aws.logs import JsonLog
from chalicelib.clock import SystemClock
from chalicelib.errors import SettingsError
from chalicelib.once.keyring import KeyPurpose
from chalicelib.once.lanes import FACTS, Lane
from chalicelib.once.lazy import Deferred, Lazy, LazyClient, executors_of, part_makers
from chalicelib.wiring.core import Core

if TYPE_CHECKING:
    from collections.abc import Callable

    from chalicelib.facts.build import Facts
    from chalicelib.facts.doors import FactDoors
    from chalicelib.facts.posting.build import Posting
    from chalicelib.once.aside import SettingAside
    from chalicelib.once.door import Answer
    from chalicelib.once.effect import Executor
    from chalicelib.once.effects import Effects
    from chalicelib.once.flow import Flow
    from chalicelib.once.job import Job
    from chalicelib.once.ledger.events import Ledger
    from chalicelib.once.plan_run import PlanRun
    from chalicelib.once.ports import Log
    from chalicelib.once.recovery.rebuilders import Rebuilder
    from chalicelib.once.recovery.reconcile import Reconciler
    from chalicelib.once.settlement import Settlement
    from chalicelib.once.worker import Worker
    from chalicelib.outreach.build import Outreach
    from chalicelib.outreach.carriers import OutreachCarriers
    from chalicelib.outreach.doors import OutreachDoors
    from chalicelib.outreach.model_drafts import OutreachModels
    from chalicelib.outreach.sweep import OutreachSweep
    from chalicelib.outreach.telling import OutreachTelling
    from chalicelib.outreach.work import OutreachWork
    from chalicelib.support.build import Support
    from chalicelib.support.doors import SupportDoors
    from chalicelib.support.model_opinions import SupportModel
    from chalicelib.support.sweep import SupportSweep
    from chalicelib.support.work import SupportWork


class Services(Core):
    """All services of one container, each built at its first use."""

    # --- systems ------------------------------------------------------------------------------

    @cached_property
    def support_doors(self) -> SupportDoors:
        """The handler of Richpanel's webhook."""
        from chalicelib.support.doors import SupportDoors

        return SupportDoors(self)

    @cached_property
    def support(self) -> Support:
        """The clients and stores for Richpanel tickets."""
        from chalicelib.support.build import Support

        return Support(self)

    @cached_property
    def support_work(self) -> SupportWork:
        """The flow that decides on tickets, and the code that performs the decisions."""
        from chalicelib.support.work import SupportWork

        return SupportWork(shared=self, support=self.support, model=lambda: self.support_model)

    @cached_property
    def support_model(self) -> SupportModel:
        """The language model that gives opinions on tickets."""
        from chalicelib.support.model_opinions import SupportModel

        return SupportModel(self)

    @cached_property
    def support_sweep(self) -> SupportSweep:
        """The sweep's search for tickets whose webhooks were lost."""
        from chalicelib.support.sweep import SupportSweep

        return SupportSweep(shared=self, support=self.support)

    @cached_property
    def fact_doors(self) -> FactDoors:
        """The handlers of Aloware's and HubSpot's webhooks."""
        from chalicelib.facts.doors import FactDoors

        return FactDoors(self)

    @cached_property
    def facts(self) -> Facts:
        """The stores of facts, which are events of Aloware and HubSpot."""
        from chalicelib.facts.build import Facts

        return Facts(self)

    @cached_property
    def posting(self) -> Posting:
        """The writer that posts facts to their sinks, such as Power BI."""
        from chalicelib.facts.posting.build import Posting

        return Posting(shared=self, facts=self.facts)

    @cached_property
    def outreach_doors(self) -> OutreachDoors:
        """The handlers of requests from the Channel Router, companies, recipients, Twilio and SES."""
        from chalicelib.outreach.doors import OutreachDoors

        return OutreachDoors(shared=self, outreach=lambda: self.outreach)

    @cached_property
    def outreach(self) -> Outreach:
        """The stores and settings of outreach conversations."""
        from chalicelib.outreach.build import Outreach

        return Outreach(self)

    @cached_property
    def outreach_carriers(self) -> OutreachCarriers:
        """The clients of Twilio and SES."""
        from chalicelib.outreach.carriers import OutreachCarriers

        return OutreachCarriers(self)

    @cached_property
    def outreach_sweep(self) -> OutreachSweep:
        """The sweep's search for received SMS and WhatsApp messages whose webhooks were lost."""
        from chalicelib.outreach.sweep import OutreachSweep

        return OutreachSweep(shared=self, outreach=self.outreach, carriers=self.outreach_carriers)

    @cached_property
    def outreach_telling(self) -> OutreachTelling:
        """The code that hands conversations to companies and reports events to their endpoints."""
        from chalicelib.outreach.telling import OutreachTelling

        return OutreachTelling(shared=self, outreach=self.outreach, carriers=self.outreach_carriers)

    @cached_property
    def outreach_models(self) -> OutreachModels:
        """The language models that write drafts."""
        from chalicelib.outreach.model_drafts import OutreachModels

        return OutreachModels(shared=self, outreach=self.outreach, carriers=self.outreach_carriers)

    @cached_property
    def outreach_work(self) -> OutreachWork:
        """The flows that write to recipients and process their answers."""
        from chalicelib.outreach.work import OutreachWork

        return OutreachWork(
            shared=self,
            outreach=self.outreach,
            carriers=self.outreach_carriers,
            by_model=lambda: self.outreach_models,
        )

    # --- by kind ------------------------------------------------------------------------------

    @cached_property
    def flows(self) -> Mapping[str, Flow]:
        """The `Flow` of each kind of job; a resend uses the flow of the event that it repeats."""
        return Deferred(self._flows)

    def _flows(self) -> Mapping[str, Flow]:
        from chalicelib.wiring import jobs

        def resend() -> Flow:
            from chalicelib.once.resend import ResendFlow

            return ResendFlow(self.ledger, self.flows, self.rebuilders)

        return Lazy(
            {
                **part_makers(jobs.TICKETS, lambda: self.support_work.flows),
                **part_makers(jobs.MESSAGES, lambda: self.outreach_work.flows),
                **part_makers(jobs.TO_COMPANIES, lambda: self.outreach_telling.flows),
                "action_resend": resend,
            }
        )

    @cached_property
    def keepers(self) -> Mapping[str, Callable[[Any], None]]:
        """The functions that store events of Aloware and HubSpot as facts, by kind of job.

        Such jobs are only stored, so they have no flow.
        """
        from chalicelib.facts.jobs import KINDS
        from chalicelib.once.job import by_kind

        return Lazy(part_makers(by_kind(KINDS), lambda: self.facts.keepers))

    @cached_property
    def executors(self) -> Mapping[str, Executor]:
        """The functions that perform each kind of effect, by the name of the kind."""
        from chalicelib.outreach.sending import effects as outreach
        from chalicelib.support import effects as support

        to_companies = outreach.TO_COMPANIES
        return Lazy(
            {
                **part_makers(
                    support.KINDS, lambda: executors_of(support.KINDS, self.support_work)
                ),
                **part_makers(
                    outreach.KINDS, lambda: executors_of(outreach.KINDS, self.outreach_work)
                ),
                **part_makers(
                    to_companies, lambda: executors_of(to_companies, self.outreach_telling)
                ),
            }
        )

    @cached_property
    def rebuilders(self) -> Mapping[str, Rebuilder]:
        """The functions that make a job of a stored event, by the first two parts of the event's key."""
        from chalicelib.outreach.keys import EventKind

        events = [f"evt:{kind}" for kind in EventKind]
        return Lazy(
            {
                **part_makers(["evt:rp"], lambda: self.support_sweep.rebuilders),
                **part_makers(events, lambda: self.outreach_sweep.rebuilders),
            }
        )

    # --- the core -----------------------------------------------------------------------------

    @cached_property
    def worker(self) -> Worker:
        """The worker that processes queue messages; checks once that the tables and queue are this stage's.

        Its parts are built at their first use, as a job that is only stored needs none of them.

        Raises:
            SettingsError: a table or the queue is another stage's.
            TransientError: the tags that show it could not be read.
        """
        from chalicelib.once.worker import JobHandlers, Postponing, Worker

        self.check_stage()
        return Worker(
            handlers=JobHandlers(
                decode=lambda delivery: self.job_in(
                    delivery.body, delivery.lane, delivery.group_id
                ),
                flows=self.flows,
                keepers=self.keepers,
            ),
            ledger=cast("Ledger", LazyClient(lambda: self.ledger)),
            plans=cast("PlanRun", LazyClient(lambda: self.plans)),
            current=self.current_job,
            postponing=Postponing(
                aside=cast("SettingAside", LazyClient(lambda: self.aside)),
                outbox=self.outbox,
                put_back=self.intake.put_back,
            ),
            runtime=self.runtime,
        )

    @cached_property
    def plans(self) -> PlanRun:
        """The object that runs an event's plan (the stored list of its actions), action by action."""
        from chalicelib.once.escalation import Escalation
        from chalicelib.once.plan_run import PlanRun

        return PlanRun(
            ledger=self.ledger,
            audit=self.audit,
            effects=self.effects,
            escalation=Escalation(
                ledger=self.ledger, audit=self.audit, effects=self.effects, log=self.log
            ),
            runtime=self.runtime,
        )

    @cached_property
    def effects(self) -> Effects:
        """The object that performs the side effects of every system, each once."""
        from chalicelib.once.effects import Effects

        return Effects(
            ledger=self.ledger,
            switches=self.switches,
            executors=self.executors,
            settlement=self.settlement,
            clock=self.clock,
            log=self.log,
        )

    @cached_property
    def settlement(self) -> Settlement:
        """The object that finds out whether an effect of unknown outcome happened."""
        from chalicelib.once.settlement import Settlement

        return Settlement(ledger=self.ledger, executors=self.executors, clock=self.clock)

    @cached_property
    def reconciler(self) -> Reconciler:
        """The object that runs the scheduled sweep, with the parts of those systems that the stage has."""
        from chalicelib.aws.switch_story import SwitchStory
        from chalicelib.once.incidents import IncidentPart
        from chalicelib.once.recovery.reconcile import Reconciler

        self.check_stage()
        prefix, wanted = self.settings.switch_prefix, self.settings.systems
        switches = SwitchStory(
            ssm=self.client("ssm"), prefix=prefix, journal=lambda: self.journal, sweeps=self.sweeps
        )
        return Reconciler(
            ledger=self.ledger,
            sweeps=self.sweeps,
            intake=self.intake,
            settlement=self.settlement,
            rebuilders=self.rebuilders,
            parts=(
                IncidentPart(incidents=lambda: self.incidents, log=self.log),
                switches,
                *(self.outreach_sweep.sweeps if "outreach" in wanted else ()),
                *(self.support_sweep.sweeps if "support" in wanted else ()),
            ),
        )

    # --- what the functions do ----------------------------------------------------------------

    def process(self, record: Mapping[str, Any], context: Any) -> None:  # noqa: ANN401
        """Process one SQS record; an exception keeps the record on the queue."""
        limit = self.settings.max_receive_count
        delivery = lambda_events.delivery(record, context, max_receives=limit)
        if delivery.lane != FACTS:  # jobs of facts bring their own keys, so no id keys are needed
            self.keyring.fetch(KeyPurpose.IDS, KeyPurpose.JOBS)
        with self.log.gathering(), self.heartbeat.working_on(delivery):
            self.worker.process(delivery)

    def answered(self, source: str, address: str, answering: Callable[[], Answer]) -> Answer:
        """The response of an HTTP entry point, or 429 to a caller beyond its share of requests."""
        with self.log.gathering():
            return self.caller_shares.answered(source, address, answering)

    def job_in(self, body: str, lane: Lane, group_id: str) -> Job:
        """The job in a queue message that this stage has sealed for the lane and the FIFO group.

        Raises:
            HandBackError: the job's version or kind is unknown here.
            PayloadError: the body is no job, or its seal is not for this lane and group.
            UnavailableError: the key of the seals cannot be read.
        """
        opened = self.seal.opened(body, queue=self.settings.queue_of(lane), group_id=group_id)
        if lane == FACTS:  # the worker of facts loads no other system
            from chalicelib.facts.jobs import KINDS
            from chalicelib.once import job

            return job.decode(opened, job.by_kind(KINDS))
        from chalicelib.wiring.jobs import decode

        return decode(opened)

    def put_back(self, record: Mapping[str, Any]) -> None:
        """Put the job of one SQS record of the queue `later` back into the job's own FIFO group.

        Raises:
            PayloadError: the record's seal is not this stage's, or it holds no job.
            UnavailableError: the job was not queued.
        """
        from chalicelib.once import later

        body = self.seal.opened(record["body"], queue=self.settings.later_queue_name)
        later.put_back(body, record["messageId"], self.outbox)

    def sweep(self, context: Any) -> dict[str, Any]:  # noqa: ANN401 - Lambda's context
        """Run the sweep once and return its counts; then report hand-offs and waits as metrics."""
        from chalicelib.wiring.watching import report_handoffs, report_turns

        with self.log.gathering():
            with self.current_job.waiting_for_turns():
                swept = self.reconciler.sweep(time_left_seconds=lambda_events.time_left(context))
            report_handoffs(self.outreach.desk, self.clock, self.log)
            report_turns(self.support.richpanel_level, self.clock, self.log)
        return asdict(swept)

    def ticket_texts(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Read the texts of a Richpanel ticket, for the console and operators."""
        from chalicelib.support import ticket_texts

        bot = self.settings.support.bot_agent_id
        return ticket_texts.read(event, self.support.richpanel_reader, bot=bot)

    def post_facts(self, context: Any) -> dict[str, Any]:  # noqa: ANN401 - Lambda's context
        """Report the switches as a metric, then run the writer of facts once and return its counts."""
        from chalicelib.wiring.watching import report_switches

        with self.log.gathering():
            report_switches(self.switches, self.log)
            return self.posting.run(time_left_seconds=lambda_events.time_left(context))


def failed_at(source: str, error: Exception) -> Answer:
    """Log an error that an entry point raised, and return its HTTP response 500.

    The log gets the error's type and place, without its text.
    """
    from chalicelib.once import door
    from chalicelib.outreach.door import initiate, router

    door.log_unexpected(_log(), source, error)
    return initiate.internal_error() if source == router.SOURCE else door.internal_error()


def _log() -> Log:
    """The container's log; where the settings are invalid, a log that needs no settings."""
    try:
        return services().log
    except SettingsError:
        stage = os.environ.get("STAGE", "")
        return JsonLog(SystemClock(), stage=stage, release=os.environ.get("RELEASE", ""))


_services: list[Services] = []


def services() -> Services:
    """The container's services, built once; the settings are read at the first call."""
    if not _services:
        _services.append(Services(settings_module.load(os.environ)))
    return _services[0]
