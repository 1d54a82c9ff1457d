"""Settings to Services: every part built once per container, when it is first needed.

The HTTP function never builds, nor even imports, what only the worker needs, so that a webhook is
acknowledged fast also by a cold container.
One class per system; `Services` is all of them with what they share: worker, effects, sweep.

    core              clients, tables, queue, switches, secrets, log, a vendor's client
    support           Richpanel tickets; answering what automatic replies are made of
    outreach          conversations that a company starts; outreach_vendors whom it speaks to
    facts             Aloware's and HubSpot's events; fact_posting their way to Power BI
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

from chalicelib import settings as settings_module
from chalicelib.aws import lambda_events
from chalicelib.wiring.facts import Facts
from chalicelib.wiring.outreach import Outreach
from chalicelib.wiring.support import Support

if TYPE_CHECKING:
    from chalicelib.once.effects import Effects
    from chalicelib.once.flow import Flow
    from chalicelib.once.recovery.rebuild import Rebuilder
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

    def sweep(self, context: Any) -> dict[str, Any]:  # noqa: ANN401 - Lambda's context
        """One run of reconciliation, in numbers."""
        return asdict(self.reconciler.sweep(time_left_seconds=lambda_events.time_left(context)))

    def post_facts(self, context: Any) -> dict[str, Any]:  # noqa: ANN401 - Lambda's context
        """One run of the writer of facts, in numbers."""
        return self.posting.run(time_left_seconds=lambda_events.time_left(context))

    @cached_property
    def posting(self) -> Posting:
        """The writer of facts and what it writes to."""
        from chalicelib.wiring.fact_posting import Posting

        return Posting(self)

    @cached_property
    def worker(self) -> Worker:
        """The queue's consumer; refuses another stage's resources once per container."""
        from chalicelib.once.escalation import Escalation
        from chalicelib.once.worker import Worker
        from chalicelib.wiring.jobs import decode

        self.check_stage()
        return Worker(
            decode=decode,
            ledger=self.ledger,
            audit=self.audit,
            switches=self.switches,
            effects=self.effects,
            escalation=Escalation(self.ledger, self.audit, self.effects, self.log),
            outbox=self.outbox,
            clock=self.clock,
            log=self.log,
            flows=self.flows,
            keepers={**self.fact_keepers()},
        )

    @cached_property
    def flows(self) -> Mapping[str, Flow]:
        """The flow of each kind of job; a resend is built by the flow of what it repeats."""
        from chalicelib.once.resend import ResendFlow

        flows: dict[str, Flow] = {**self.support_flows(), **self.outreach_flows()}
        return {**flows, "action_resend": ResendFlow(self.ledger, flows, self.rebuilders)}

    @cached_property
    def effects(self) -> Effects:
        """The one door out, with an executor per kind of action."""
        from chalicelib.once.effects import Effects

        return Effects(
            self.ledger,
            self.switches,
            {**self.support_executors(), **self.outreach_executors()},
            self.settlement,
            self.clock,
            self.log,
            {**self.support_preparers(), **self.outreach_preparers()},
        )

    @cached_property
    def settlement(self) -> Settlement:
        """The judge of unknown outcomes, with a settler per kind of action that can be queried."""
        from chalicelib.once.settlement import Settlement

        settlers = {**self.support_settlers(), **self.outreach_settlers()}
        return Settlement(self.ledger, settlers, self.clock)

    @cached_property
    def reconciler(self) -> Reconciler:
        """The scheduled sweep."""
        from chalicelib.once.recovery.rebuild import LeftByWorkers
        from chalicelib.once.recovery.reconcile import Reconciler

        self.check_stage()
        return Reconciler(
            ledger=self.ledger,
            sweeps=self.sweeps,
            intake=self.intake,
            settlement=self.settlement,
            rebuilders=self.rebuilders,
            clock=self.clock,
            log=self.log,
            left_behind=(LeftByWorkers(self.ledger, self.rebuilders, self.clock),),
            parts=self.support_sweeps(),
        )

    @property
    def rebuilders(self) -> Mapping[str, Rebuilder]:
        """Who makes a job from a row, by the first two parts of its event key."""
        return {**self.support_rebuilders(), **self.outreach_rebuilders()}


_services: list[Services] = []


def services() -> Services:
    """The container's services; the settings are read at the first call."""
    if not _services:
        _services.append(Services(settings_module.load(os.environ)))
    return _services[0]
