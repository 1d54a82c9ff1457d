"""Who was answered 429 at the doors, as `refused` shows it."""

import io
import json

import pytest

from chalicelib.aws.logs import JsonLog
from chalicelib.clock import SystemClock, iso
from chalicelib.errors import OverShareError
from chalicelib.once.caller_shares import SHARES, STRANGERS, CallerShares
from chalicelib.once.door import Answer
from local import company
from local.stack.emf import RECORD, Metrics
from tests.rigs.ops_cli import runner


@pytest.fixture
def run(system, capsys):
    company.create(system.stage)
    return runner(capsys)


def test_who_was_refused_is_shown_by_door_and_hour(system, run):
    lines, clock = io.StringIO(), SystemClock()
    shares = CallerShares(clock=clock, log=JsonLog(clock, stage="dev", release="1", stream=lines))
    before = iso(clock.now())[:13]
    for _ in range(SHARES["desk"].at_once):
        shares.charge("desk", company.COMPANY_ID)
    with pytest.raises(OverShareError):
        shares.charge("desk", company.COMPANY_ID)
    for _ in range(STRANGERS.at_once + 2):
        shares.answered("richpanel", "192.0.2.1", lambda: Answer(401, {}))
    cloudwatch = Metrics(system.stage.aws.client("cloudwatch"))
    for line in lines.getvalue().splitlines():
        if line.startswith(RECORD):
            cloudwatch.take(line)
    cloudwatch.put()

    done = run("refused", "--stage", "dev", "--json")

    assert done.code == 0, done.err
    found = {(load["door"], load["caller"]): load for load in json.loads(done.out)}
    assert found.keys() == {("desk", company.COMPANY_ID), ("any", "strangers")}
    assert [caller["times"] for caller in found.values()] == [1, 1]
    assert all(before <= caller["first"] <= caller["last"] for caller in found.values())


def test_nobody_refused_is_nothing(run):
    done = run("refused", "--stage", "dev", "--json")
    assert (done.code, json.loads(done.out)) == (0, [])
