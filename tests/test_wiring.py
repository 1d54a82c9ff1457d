"""Wiring: a part for every kind of job, built only when the kind occurs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from chalicelib import settings
from chalicelib.facts.jobs import AlowareDelivery, HubSpotBatch, HubSpotEvent
from chalicelib.facts.posting import effects as facts
from chalicelib.once.effect import Settle
from chalicelib.once.job import encode
from chalicelib.once.lanes import FACTS
from chalicelib.outreach.keys import EventKind
from chalicelib.outreach.sending import effects as outreach
from chalicelib.support import effects as support
from chalicelib.wiring import Services
from chalicelib.wiring.jobs import KINDS
from local import aligned
from local.stack import lambda_events

EFFECTS = [*support.KINDS.values(), *outreach.KINDS.values(), *facts.KINDS.values()]
ROOT = Path(__file__).parents[1]
NOT_FOR_FACTS = (
    "chalicelib.support.flow",
    "chalicelib.support.orders.shopify",
    "chalicelib.support.richpanel.client",
    "chalicelib.outreach.events.flow",
    "chalicelib.outreach.ses.client",
    "chalicelib.outreach.twilio.client",
    "chalicelib.vendors.openai",
    "requests",
)
COLD_WORKER = """
import json, sys
from types import SimpleNamespace
import app
from chalicelib.aws import stage_guard

checks, check = [], stage_guard.check
stage_guard.check = lambda *aws, **of: (checks.append(of["stage"]), check(*aws, **of))
context = SimpleNamespace(get_remaining_time_in_millis=lambda: 120_000)
for record in json.loads(sys.argv[1]):
    app.facts_worker({"Records": [record]}, context)
print(json.dumps({"checks": checks, "modules": sorted(sys.modules)}))
"""
FACT = {
    "received_at": "2026-11-20T11:59:58.750Z",
    "conversation_id": "one",
    "source": "test",
    "trace_id": "1f",
}
CALL = AlowareDelivery(
    event_key="evt:aloware:1",
    event="OutboundPhoneCall-DispositionCompleted",
    communication_id="719285063",
    type=1,
    direction=2,
    **FACT,
)
CASE = HubSpotBatch(
    event_key="evt:hubspot:1",
    events=(
        HubSpotEvent(
            subscription_type="object.creation",
            object_type="0-5",
            object_id="9",
            occurred_at_ms=1763629200000,
        ),
    ),
    **FACT,
)

# --- modules loaded by a cold container -------------------------------------------------------


@pytest.mark.parametrize(("job", "source"), [(CALL, "ALOWARE:"), (CASE, "HUBSPOT:")])
def test_a_cold_worker_that_stores_a_fact_loads_no_other_system_or_vendor(
    stage, app_environment, job, source
):
    again = job.model_copy(update={"event_key": "evt:again"})
    found = cold_worker(stage, app_environment, job, again)

    assert sorted(set(found["modules"]) & set(NOT_FOR_FACTS)) == []
    rows = aligned.rows(stage.aws, stage.tables["QuillLedgerTable"])
    assert [row["pk"].startswith(source) for row in rows] == [True]


def test_a_container_checks_its_stage_once(stage, app_environment):
    assert cold_worker(stage, app_environment, CALL, CALL, CASE)["checks"] == ["dev"]


def cold_worker(stage, environ, *jobs):
    """Process jobs in a new interpreter, as a new container; returns the results and loaded modules."""
    arn = lambda_events.QUEUE_ARN.replace("events-dev", "facts-dev")
    bodies = [stage.sealed(encode(job), group_id="g", lane=FACTS) for job in jobs]
    records = [lambda_events.made_up_record(body, group_id="g", queue_arn=arn) for body in bodies]
    guarded = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-c", COLD_WORKER, json.dumps(records)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
        env={**guarded, **environ},
    )
    return json.loads(done.stdout.splitlines()[-1])


# --- parts by kind ----------------------------------------------------------------------------


@pytest.fixture
def services(app_environment):
    return Services(settings.load(app_environment))


def test_every_kind_of_job_has_a_flow_or_a_recorder(services):
    assert {*services.flows, *services.keepers} == set(KINDS)
    assert not set(services.flows) & set(services.keepers)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_what_works_on_a_kind_of_job_is_built(app, app_environment, kind):
    """A system that lacks one of its kinds would fail at the first job of it."""
    del app
    services = Services(settings.load(app_environment))
    assert {**services.flows, **services.keepers}[kind]


def test_every_kind_of_event_has_a_rebuilder(app, app_environment):
    del app
    services = Services(settings.load(app_environment))
    prefixes = {"evt:rp", *(f"evt:{kind}" for kind in EventKind)}
    assert set(services.rebuilders) == prefixes
    assert all(callable(rebuilder) for rebuilder in services.rebuilders.values())


def test_kinds_of_one_vendor_share_its_parts(app, app_environment):
    del app
    services = Services(settings.load(app_environment))
    flows, executors = services.flows, services.executors

    assert flows["ticket_message"] is flows["ticket_notification"]
    assert flows["start_conversation"] is flows["outreach_resume"]
    assert executors["reply"].perform.__self__ is executors["add_tag"].perform.__self__
    assert executors["send_text"].perform.__self__ is executors["confirm_stop"].settler.__self__
    assert executors["send_email"].perform.__self__ is services.outreach_work.emails


def test_a_text_is_sent_without_the_vendor_of_e_mails(app, app_environment):
    del app
    services = Services(settings.load(app_environment))
    assert services.executors["send_text"].perform.__self__ is services.outreach_work.texts
    assert "emails" not in services.__dict__


@pytest.mark.parametrize("kind", EFFECTS, ids=lambda kind: kind.name)
def test_a_kind_of_effect_is_built_and_what_can_be_asked_for_has_a_settler(
    app, app_environment, kind
):
    """Not at its first crash: only then does the sweep ask for it."""
    del app
    services = Services(settings.load(app_environment))
    executors = {**services.executors, **services.posting.executors}[kind.name]
    assert callable(executors.perform)
    assert (executors.settler is not None) is (kind.settle in (Settle.QUERY, Settle.RECEIPT))


def test_the_sweep_asks_only_the_vendors_of_systems_that_are_wanted(app, app_environment):
    """A stage without Richpanel's key would otherwise report an incomplete sweep for ever."""

    def parts(wanted):
        made = Services(settings.load({**app_environment, "SYSTEMS": wanted}))
        made.__dict__ |= {"check_stage": lambda: None}  # its resources are not there
        return {type(part).__name__ for part in made.reconciler.parts} - {
            "SwitchStory",
            "IncidentPart",
        }

    assert parts("facts") == set()
    assert "LostTickets" in parts("support,facts")
    assert "LostTexts" not in parts("support,facts")
    assert "LostTexts" in parts("outreach")
    assert "LostTickets" not in parts("outreach")
