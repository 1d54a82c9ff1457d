"""Settings to Services: every part built, and its module imported, once and at first use.

A cold container pays only for what its first event needs: the HTTP function never imports the
worker, and the worker imports the flow, the executors and the vendors of a kind of job when the
first job of that kind arrives.
This package only constructs.  What a part decides, checks or parses is in the part's own system.

    core            AWS clients, tables, queue, heartbeat, switches, secrets, log, HTTP clients
    support         Richpanel tickets
    outreach        conversations that a company starts
    facts           Aloware's and HubSpot's events; fact_posting their way to Power BI
    jobs            every kind of job, to decode what the queue carries
    lazy            parts by kind, built at first use
    watching        what alarms watch and no event reports

One class per system; `Services` is all of them, and joins their parts in worker, effects and sweep.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

from chalicelib import settings as settings_module
from chalicelib.aws import lambda_events
from chalicelib.errors import SettingsError
from chalicelib.wiring.facts import Facts
from chalicelib.wiring.lazy import Lazy, hands_of
from chalicelib.wiring.outreach import Outreach
from chalicelib.wiring.support import Support

if TYPE_CHECKING:
    from chalicelib.once.door import Answer
    from chalicelib.once.effect import Hands
    from chalicelib.once.effects import Effects
    from chalicelib.once.flow import Flow
    from chalicelib.once.ports import Log
    from chalicelib.once.recovery.rebuilders import Rebuilder
    from chalicelib.once.recovery.reconcile import Reconciler
    from chalicelib.once.settlement import Settlement
    from chalicelib.once.worker import Worker
    from chalicelib.wiring.fact_posting import Posting


class Services(Support, Facts, Outreach):
    """Everything of one container."""

    def process(self, record: Mapping[str, Any], context: Any) -> None:  # noqa: ANN401
        """Work on one SQS record; raising keeps it on the queue."""
        limit = self.settings.max_receive_count
        delivery = lambda_events.delivery(record, context, max_receives=limit)
        with self.heartbeat.of(delivery):
            self.worker.process(delivery)

    def put_back(self, record: Mapping[str, Any]) -> None:
        """Put the job of one SQS record of the queue `later` back into its FIFO group."""
        from chalicelib.once import later

        later.put_back(record["body"], record["messageId"], self.outbox)

    def sweep(self, context: Any) -> dict[str, Any]:  # noqa: ANN401 - Lambda's context
        """One run of reconciliation, in numbers."""
        from chalicelib.wiring.watching import report_handoffs, report_turns

        with self.current_job.in_place():
            swept = self.reconciler.sweep(time_left_seconds=lambda_events.time_left(context))
        report_handoffs(self.desk, self.clock, self.log)
        report_turns(self.richpanel_level, self.clock, self.log)
        return asdict(swept)

    def post_facts(self, context: Any) -> dict[str, Any]:  # noqa: ANN401 - Lambda's context
        """One run of the writer of facts, in numbers."""
        from chalicelib.wiring.watching import report_switches

        report_switches(self.switches, self.log)
        return self.posting.run(time_left_seconds=lambda_events.time_left(context))

    @cached_property
    def posting(self) -> Posting:
        """The writer of facts and its sinks."""
        from chalicelib.wiring.fact_posting import Posting

        return Posting(self)

    @cached_property
    def worker(self) -> Worker:
        """The queue's consumer; refuses another stage's resources once per container."""
        from chalicelib.once.escalation import Escalation
        from chalicelib.once.plan_run import PlanRun
        from chalicelib.once.worker import Worker
        from chalicelib.wiring.jobs import decode

        self.check_stage()
        escalation = Escalation(self.ledger, self.audit, self.effects, self.log)
        return Worker(
            decode=decode,
            ledger=self.ledger,
            switches=self.switches,
            plans=PlanRun(
                self.ledger,
                self.audit,
                self.switches,
                self.effects,
                escalation,
                self.clock,
                self.log,
            ),
            escalation=escalation,
            aside=self.aside,
            outbox=self.outbox,
            put_back=self.intake.put_back,
            flows=self.flows,
            clock=self.clock,
            log=self.log,
            keepers=Lazy(self.fact_keepers()),
            current=self.current_job,
        )

    @cached_property
    def effects(self) -> Effects:
        """The one door out."""
        from chalicelib.once.effects import Effects

        return Effects(
            self.ledger, self.switches, self.hands, self.settlement, self.clock, self.log
        )

    @cached_property
    def settlement(self) -> Settlement:
        """Decides whether an effect of unknown outcome happened."""
        from chalicelib.once.settlement import Settlement

        return Settlement(self.ledger, self.hands, self.clock)

    @cached_property
    def reconciler(self) -> Reconciler:
        """The scheduled sweep."""
        from chalicelib.aws.switch_story import SwitchStory
        from chalicelib.once.recovery.reconcile import Reconciler

        prefix = self.settings.switch_prefix
        switches = SwitchStory(self.client("ssm"), prefix, lambda: self.journal, self.sweeps)
        self.check_stage()
        return Reconciler(
            ledger=self.ledger,
            sweeps=self.sweeps,
            intake=self.intake,
            settlement=self.settlement,
            rebuilders=self.rebuilders,
            clock=self.clock,
            log=self.log,
            parts=(switches, *self.outreach_sweeps(), *self.support_sweeps()),
        )

    # --- parts by kind, each built when its kind first occurs ---------------------------------

    @cached_property
    def flows(self) -> Mapping[str, Flow]:
        """By kind of job; a resend is built by the flow of the event that it repeats."""

        def resend() -> Flow:
            from chalicelib.once.resend import ResendFlow

            return ResendFlow(self.ledger, flows, self.rebuilders)

        flows = Lazy({**self.support_flows(), **self.outreach_flows(), "action_resend": resend})
        return flows

    @cached_property
    def hands(self) -> Mapping[str, Hands]:
        """By kind of effect."""
        from chalicelib.outreach.sending import effects as outreach
        from chalicelib.support import effects as support

        return hands_of({**support.KINDS, **outreach.KINDS}, self)

    @cached_property
    def rebuilders(self) -> Mapping[str, Rebuilder]:
        """By the first two parts of an event key: how a stored event becomes a job again."""
        return Lazy({**self.support_rebuilders(), **self.outreach_rebuilders()})


def failed_at(source: str, error: Exception) -> Answer:
    """The answer of a door that raised; the log gets the error's type and place, and no text."""
    from chalicelib.once import door
    from chalicelib.outreach.door import initiate, router

    door.log_unexpected(_log(), source, error)
    return initiate.internal_error() if source == router.SOURCE else door.internal_error()


def _log() -> Log:
    """The container's log; without valid settings one that needs none."""
    from chalicelib.aws.logs import JsonLog
    from chalicelib.clock import SystemClock

    try:
        return services().log
    except SettingsError:
        stage = os.environ.get("STAGE", "")
        return JsonLog(SystemClock(), stage=stage, release=os.environ.get("RELEASE", ""))


_services: list[Services] = []


def services() -> Services:
    """The container's services; the settings are read at the first call."""
    if not _services:
        _services.append(Services(settings_module.load(os.environ)))
    return _services[0]
