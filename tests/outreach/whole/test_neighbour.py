"""A hostile neighbour changes nothing: no row, message or answer of another company.

Each scenario runs on an empty stage without attacks and on another one with them; what the first
company has, sends and hears is the same, byte for byte.
"""

import importlib
import itertools
import json
import os
from contextlib import contextmanager

import boto3
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from chalicelib.outreach.writing import composer
from local.stack import environment, resources
from local.stack.lambda_events import LambdaContext
from tests.rigs import hostile
from tests.rigs.engines import drain
from tests.rigs.hostile import MAIL, MINE, ROUTES, STARTED, Attack, Ids, MailIds, Run
from tests.rigs.memory_stage import MemoryAws
from tests.rigs.neighbour import Neighbour
from tests.rigs.outreach import Outreach

EXAMPLES = int(os.environ.get("NEIGHBOUR_EXAMPLES", "2"))
"""Runs of each scenario with attacks; the first one has few."""
SECRETS = resources.Secrets()
"""Secrets make ids, so each stage has the same ones."""
SUMMARY = {"runs": 0, "attacks": 0, "changes": 0}


def start(channel):
    return lambda run: run.outreach.start("req1", channel)


def work(run):
    drain(run.outreach.pump, at_most=400)


def receipts(run):
    run.hear_back()


def fate(run):
    return run.outreach.fate("req1")


def again(channel):
    return lambda run: run.outreach.start("req2", channel)


def says(text, **how):
    return lambda run: run.outreach.deliver(run.outreach.says(text, **how))


def mails(text):
    def send(run):
        (first, *_) = run.outreach.ses.sent_to(MAIL)
        run.outreach.mail(run.outreach.ses.inbound(MAIL, first["reply_to"], text))

    return send


def held(run):
    run.outreach.set_project(auto_queue_initial_message=True)


def approve(run):
    (held,) = run.outreach.services.outreach.desk.waiting(company_id=hostile.company.COMPANY_ID)
    assert run.outreach.services.outreach.desk.approve(held.opaque_id)


SMS = {"whatsapp": False}
SCENARIOS = {
    "sms": [start("sms"), work, receipts, work, says("Tell me more", **SMS), work, fate],
    "whatsapp": [start("whatsapp"), work, says("Tell me more"), work, receipts, work, fate],
    "email": [start("email"), work, mails("Tell me more"), work, fate],
    "stop": [start("sms"), work, says("STOP", **SMS), work, again("sms"), work, fate],
    "held": [held, start("sms"), work, approve, work, fate, again("sms"), work],
}


@pytest.fixture
def world(twilio, ses, richpanel, powerbi, dataset, facts_folder, monkeypatch):
    """Makes a run of a scenario on an empty stage; used as a context."""
    module, wiring, shared, doors, carriers = (
        importlib.import_module(name)
        for name in (
            *("app", "chalicelib.wiring", "chalicelib.shared"),
            *("chalicelib.outreach.doors", "chalicelib.outreach.carriers"),
        )
    )
    system_clock = importlib.import_module("chalicelib.clock").SystemClock

    class Clock:
        now = STARTED

        def monotonic(self):
            return self.now.timestamp()

    @contextmanager
    def made():
        twilio.reset()
        ses.reset()
        aws = MemoryAws()
        stage, ids, clock = resources.create(aws, "dev", given=SECRETS), Ids(), Clock()
        with monkeypatch.context() as patch:
            for name in environment.foreign(os.environ):
                patch.delenv(name)
            variables = environment.local(
                "dev",
                aws,
                richpanel_url=richpanel.base_url,
                **environment.facts(powerbi, dataset, facts_folder),
            ) | {
                "TWILIO_BASE_URL": twilio.base_url,
                "AWS_ENDPOINT_URL_SESV2": ses.base_url,
                "PUBLIC_BASE_URL": hostile.company.PUBLIC_URL,
            }
            for name, value in variables.items():
                patch.setenv(name, value)
            patch.setattr(boto3, "DEFAULT_SESSION", aws.session)
            patch.setattr(wiring, "_services", [])
            patch.setattr(system_clock, "now", lambda self: clock.now)
            patch.setattr(system_clock, "monotonic", lambda self: clock.now.timestamp())
            for importer in (shared, doors):
                patch.setattr(importer, "new_id", ids)
            for importer in (shared, carriers):
                patch.setattr(importer, "new_owner", ids)
            patch.setattr(LambdaContext, "get_remaining_time_in_millis", lambda _: 100_000)
            patch.setattr(composer, "time", clock)
            for vendor, numbers in ((twilio, ids), (ses, MailIds(ids))):
                patch.setattr(vendor, "_numbers", numbers)
                patch.setattr(vendor, "_now", clock.monotonic)
            outreach = Outreach(module, stage, twilio, ses)
            yield Run(outreach, Neighbour(outreach), ids, clock)

    return made


picks = st.integers(min_value=0, max_value=10_000)


@st.composite
def attacks(draw, route):
    names = draw(st.sets(st.sampled_from(hostile.fields(route)), min_size=1, max_size=4))
    return Attack(
        route,
        {name: draw(picks) for name in sorted(names)},
        channel=draw(st.sampled_from(["sms", "whatsapp", "email"])),
        text=draw(st.sampled_from(["STOP", "START", "Tell me more"])),
        status=draw(st.sampled_from(["sent", "delivered", "undelivered", "failed"])),
    )


ATTACKS = st.lists(st.sampled_from(ROUTES).flatmap(attacks), max_size=10)
BASES = {}


def base_of(world, name):
    """A scenario's rows, messages and answers without attacks; the same in every run."""
    if name not in BASES:
        with world() as run:
            for does in SCENARIOS[name]:
                run.step(does)
            BASES[name] = run.rows(), run.messages(), run.answers
    return BASES[name]


def differing(before, after):
    """The attributes of a row that differ, with both values."""
    old, new = json.loads(before), json.loads(after)
    names = sorted(old.keys() | new.keys())
    return {
        name: (old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)
    }


def judged(run, base):
    """What differs for the first company."""
    rows, messages, answers = base
    now = run.rows()
    changed = [key for key, row in rows.items() if now.get(key) != row]
    added = [key for key in now.keys() - rows.keys() if hostile.is_the_firsts(now[key])]
    found = [("row changed", *key, differing(rows[key], now.get(key, "{}"))) for key in changed]
    found += [("row added", *key) for key in added]
    found += [("message", pair) for pair in _unlike(messages, run.messages())]
    if run.answers != answers:
        found.append(("answers",))
    return found


def _unlike(before, after):
    """Pairs of messages that differ, as far as they differ."""
    pairs = [
        pair
        for old, new in zip(json.loads(before), json.loads(after), strict=True)
        for pair in itertools.zip_longest(old, new, fillvalue={})
    ]
    return [differing(json.dumps(old), json.dumps(new)) for old, new in pairs if old != new]


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_repeated_without_attacks_is_the_same(world, name):
    base = base_of(world, name)
    with world() as run:
        for does in SCENARIOS[name]:
            run.step(does)
        assert judged(run, base) == []
        assert run.answers


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],  # each run of a scenario takes seconds: nothing is shrunk
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_neighbours_attacks_change_nothing(world, name, data):
    base = base_of(world, name)
    with world() as run:
        for does in SCENARIOS[name]:
            known = run.known()
            for attack in data.draw(ATTACKS):
                attack.known = known
                run.attack(attack)
            run.step(does)
        with run.acting(MINE):
            work(run)
        SUMMARY["runs"] += 1
        SUMMARY["attacks"] += run.tried
        found = judged(run, base)
        SUMMARY["changes"] += len(found)
        assert found == []


def test_the_attacks_are_counted(record_property, capsys):
    """Last in this file: prints what the attacks above have tried and changed."""
    if not SUMMARY["runs"]:
        pytest.skip("no attack was chosen")
    with capsys.disabled():
        print(
            f"\nneighbour attacks tried: {SUMMARY['attacks']}, changes seen: {SUMMARY['changes']}"
        )
    record_property("attacks", SUMMARY["attacks"])
    assert SUMMARY["attacks"] >= SUMMARY["runs"]
    assert SUMMARY["changes"] == 0
