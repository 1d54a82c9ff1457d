"""The cost of every kind of event is exact: one more call fails the test."""

import json
import os
import subprocess
import sys
from operator import itemgetter
from pathlib import Path

import boto3
import pytest

from bench.report import counts
from bench.report.table import Row
from bench.rig.kinds import KINDS
from tests.rigs.api_gateway import posted
from tests.rigs.engines import drain
from tests.rigs.memory_stage import another_session

ROOT = Path(__file__).resolve().parents[2]
DECISIONS = ROOT / "docs" / "decisions.md"
EVENTS = counts.expected()["events"]
FIGURES = ("actions", "AWS calls of the worker", "write units", "vendor requests")
COUNTS = [  # name, and the figures above
    (kind.name, *(EVENTS[f"{kind.name}: {which}"] for which in FIGURES)) for kind in KINDS
]
ROUTED = {"routed event", "routed event, long ids", "event that moves a ticket"}
WORKER_ONLY = (
    "chalicelib.aws.dynamo",
    "chalicelib.aws.switches",
    "chalicelib.facts.keeper",
    "chalicelib.facts.ledger",
    "chalicelib.facts.posting.",
    "chalicelib.once.effects",
    "chalicelib.once.ledger.",
    "chalicelib.once.recovery.",
    "chalicelib.once.worker",
    "chalicelib.outreach.conversations.",
    "chalicelib.outreach.events.flow",
    "chalicelib.outreach.sending.prepared",
    "chalicelib.outreach.sending.texts",
    "chalicelib.outreach.ses.client",
    "chalicelib.outreach.twilio.client",
    "chalicelib.support.flow",
    "chalicelib.support.orders.",
    "chalicelib.support.performing",
    "chalicelib.support.replies.",
    "chalicelib.support.richpanel.",
    "chalicelib.vendors.",
    "requests",
)
"""Beginnings of the names of modules that importing the app must not load."""


def test_a_routed_event_makes_exactly_its_calls(app, stage, richpanel, pump, monkeypatch):
    """One kind, in this process: its calls of AWS and of the vendor, after a warm-up."""
    session, calls = another_session(), []
    session.events.register("before-send", lambda **_: calls.append(1))
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", session)
    token = {"x-richpanel-webhook-token": stage.secrets.webhook_token}
    for ticket in ("warm-up", "counted"):
        richpanel.add_ticket(ticket, comments=[{"id": f"c-{ticket}", "body": "I want a refund"}])
        body = {"ticket_id": ticket, "message_id": f"c-{ticket}", "message": "I want a refund"}
        assert posted(app, "/webhook/richpanel", json.dumps(body), token) == 200
        calls.clear()
        before = len(richpanel.calls)
        assert [result.error for result in drain(pump)] == [None]
    (expected,) = (row for row in COUNTS if row[0] == "routed event")
    assert (len(calls), len(richpanel.calls) - before) == (expected[2], expected[-1])


def test_a_routed_event_takes_the_same_however_large_the_ledger_is():
    for items in ("100 items", "1,000 items"):
        for figure, which in (
            ("calls", "AWS calls of the worker"),
            ("write units", "write units"),
            ("read units", "read units"),
        ):
            found = counts.expected()["growth"][f"{items}: {figure}"]
            assert found == EVENTS[f"routed event: {which}"]


@pytest.mark.parametrize(
    ("ours", "theirs", "met"), [(2, 2, True), (3, 2, False), (0, 0, True), (1, 0, False)]
)
def test_a_figure_that_may_not_grow_fails_its_target_even_from_zero(ours, theirs, met):
    assert Row("a", "b", "units", ours, theirs, "before", target=1.0).is_met is met


@pytest.mark.parametrize("row", [row for row in COUNTS if row[0] in ROUTED], ids=itemgetter(0))
def test_a_routed_event_takes_2n_plus_4_calls_and_3n_plus_4_units_and_its_turns_at_most(row):
    """A turn at Richpanel is a unit, which two calls share."""
    _, actions, calls, writes, vendor_calls = row

    assert calls <= 2 * actions + 4
    assert writes <= 3 * actions + 4 + (vendor_calls + 1) // 2


def test_importing_the_app_builds_no_client_and_imports_no_worker_code():
    code = (
        "import sys, boto3\n"
        "boto3.client = boto3.resource = None\n"
        "import app\n"
        "from chalicelib import wiring\n"
        "assert not wiring._services\n"
        f"late = {WORKER_ONLY}\n"
        "print([m for m in sys.modules if m.startswith(late)])\n"
    )
    environ = {**os.environ, "STAGE": "dev"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
        env=environ,
    )
    assert done.stdout.strip() == "[]"


def test_importing_the_app_does_not_scan_installed_packages():
    code = (
        "import importlib.metadata as metadata\n"
        "asked = []\n"
        "metadata.entry_points = lambda **group: asked.append(group) or ()\n"
        "import app\n"
        "print(asked)\n"
    )
    environ = {name: value for name, value in os.environ.items() if "PYDANTIC" not in name}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
        env=environ | {"STAGE": "dev"},
    )
    assert done.stdout.strip() == "[]"


def test_the_page_of_decisions_names_what_a_start_and_an_answer_cost():
    start = EVENTS["conversation started, SMS: write units"]
    answer = EVENTS["reply answered, SMS: write units"]
    written = DECISIONS.read_text(encoding="utf-8")
    assert f"A start by SMS costs {start:.0f} units" in written
    assert f"An answer by SMS costs {answer:.0f} units" in written
