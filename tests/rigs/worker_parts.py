"""A worker with its effects, plans and escalation over a rig's ledger, as the wiring builds it."""

import random

from chalicelib.once.aside import SettingAside
from chalicelib.once.audit import Audit
from chalicelib.once.effects import Effects
from chalicelib.once.escalation import Escalation
from chalicelib.once.plan_run import PlanRun
from chalicelib.once.ports import Runtime
from chalicelib.once.settlement import Settlement
from chalicelib.once.worker import JobHandlers, Postponing, Worker
from chalicelib.wiring.jobs import decode


def settlement_of(rig, executors):
    """What settles effects of these kinds in a rig's ledger."""
    return Settlement(ledger=rig.ledger, executors=executors, clock=rig.clock)


def worker_of(
    rig,
    flows,
    executors,
    *,
    settlement,
    audit_table,
    send_later,
    outbox,
    put_back,
    jitter=random.random,
    keepers=None,
    **more,
):
    """A worker over a rig's `ledger`, `clock`, `log` and `switches`.

    Args:
        rig: the rig.
        flows: by kind of job.
        executors: what performs an effect, by its kind.
        settlement: settles effects of unknown outcome.
        audit_table: where the audit trail is written.
        send_later: puts a copy of a job on the queue `later` for so many seconds.
        outbox: the queue that the worker defers messages on.
        put_back: puts a job on its queue again.
        jitter: spreads pauses and returns.
        keepers: by kind of job that is only stored.
        more: further fields of `Worker`.
    """
    audit = Audit(table=audit_table, clock=rig.clock)
    effects = Effects(
        ledger=rig.ledger,
        switches=rig.switches,
        executors=executors,
        settlement=settlement,
        clock=rig.clock,
        log=rig.log,
    )
    escalation = Escalation(ledger=rig.ledger, audit=audit, effects=effects, log=rig.log)
    runtime = Runtime(clock=rig.clock, log=rig.log, switches=rig.switches)
    return Worker(
        handlers=JobHandlers(
            decode=lambda message: decode(message.body), flows=flows, keepers=keepers or {}
        ),
        ledger=rig.ledger,
        plans=PlanRun(
            ledger=rig.ledger, audit=audit, effects=effects, escalation=escalation, runtime=runtime
        ),
        postponing=Postponing(
            aside=SettingAside(
                ledger=lambda: rig.ledger,
                send_later=send_later,
                clock=rig.clock,
                log=rig.log,
                jitter=jitter,
            ),
            outbox=outbox,
            put_back=put_back,
            jitter=jitter,
        ),
        runtime=runtime,
        **more,
    )
