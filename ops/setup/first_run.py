"""Checks what a new stage still lacks before its first message; changes nothing.

The checks are those of `setup` and `doctor`.  The stage's metrics show whether something has
arrived and was processed.  Once every step was done, the journal records it (`ops.first_run_end`)
and nothing is checked again: what breaks later is an incident or an alarm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

from ops.inspect import metrics
from ops.inspect.metrics import Query
from ops.output import Output
from ops.session import Session
from ops.setup import steps
from ops.setup.answers import Answers
from ops.setup.walk import DONE, SetupStep, StepOutcome, Walk, look

_ALARMS = "alarm recipients"
_WEEKS = 52
"""The weeks in which a first message is searched."""
_BY_NAME = {step.name: step for step in steps.STEPS}


def _ever(metric: str, said: str) -> Callable[[Walk], str]:
    """A step's `seen` that tells whether a metric of the stage was ever counted."""

    def seen(walk: Walk) -> str:
        found = metrics.read(
            walk.session, [Query(metric, metric, "Sum")], period=timedelta(weeks=1), periods=_WEEKS
        )
        many = int(sum(value or 0 for value in found.values[metric]))
        return f"{many} {said}" if many else ""

    return seen


STEPS: tuple[SetupStep, ...] = (
    _BY_NAME["secrets"],
    _BY_NAME["first company"],
    SetupStep(
        "endpoint",
        "outreach",
        "a company without an endpoint hears of nothing that happens",
        "python -m ops company put, with events in the project's item",
        checks=("events",),
    ),
    SetupStep(
        _ALARMS,
        "stage",
        "without a recipient an alarm reaches no one",
        "python -m ops provision --alarm-email <yours>, then the link in AWS's mail",
        checks=("alarms",),
        findings=(_ALARMS,),
    ),
    SetupStep(
        "webhooks",
        "stage",
        "nothing is done before a vendor reports something",
        "python -m ops setup --pastes",
        seen=_ever("mw.ingress.accepted", "were accepted"),
    ),
    SetupStep(
        "first message",
        "stage",
        "the whole way, from a door to an effect, is seen once",
        "python -m ops setup --yes",
        seen=_ever("mw.worker.events", "were processed"),
    ),
)
"""The steps, in order; those of `ops.setup.steps` are the same objects."""
BY_VENDORS = frozenset({"webhooks", "first message"})
"""Steps that are done by a vendor's report, not by a person."""


def examined(session: Session) -> list[StepOutcome]:
    """Check each step that the stage's systems need.

    A local stage has no alarms.
    """
    settings = session.services.settings
    walk = _walk(session)
    wanted = [
        step
        for step in STEPS
        if step.system in ("stage", *settings.systems)
        and not (step.name == _ALARMS and is_on_this_machine(session))
    ]
    return [look(walk, step) for step in wanted]


def is_done(found: Sequence[StepOutcome]) -> bool:
    """Whether nothing is left to do."""
    return all(outcome.state == DONE for outcome in found)


def is_on_this_machine(session: Session) -> bool:
    """Whether the stage is a local one."""
    return session.services.settings.company_webhooks_on_loopback


def _walk(session: Session) -> Walk:
    """A walk that can only look: its callables do nothing."""
    given = Answers.model_validate({"systems": sorted(session.services.settings.systems)})
    return Walk(
        session.stage,
        given,
        Output(as_json=True),
        deploy=lambda _session: None,
        ask=lambda _name, _why: "",
        invoke=lambda _session, _name, _payload: None,
        _session=session,
    )
