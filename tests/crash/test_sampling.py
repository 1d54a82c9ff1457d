"""A sample kills every flow and meets every fault that some flow can meet."""

from collections import Counter

import pytest

from tests.crash import __main__ as command
from tests.crash import sampling
from tests.crash.flows import FLOWS
from tests.crash.judging import Outcome
from tests.crash.proxy import TO_LATER, Call
from tests.crash.runs import Undisturbed

CALLS = [
    Call(1, "aws", "PutItem", "POST", "api"),
    Call(2, "richpanel", "PUT 1042/add-tags", "PUT", "worker"),
    Call(3, "aws", TO_LATER, "POST", "worker"),
]


def known(flow, calls=CALLS):
    return Undisturbed(flow, calls, calls, Outcome(flow.name))


def test_every_fault_is_met_once_by_some_flow():
    dealt, untried = sampling._dealt([known(flow) for flow in FLOWS])
    assert untried == []
    assert Counter(fault.kind for faults in dealt for fault in faults) == Counter(sampling.FAULTS)
    assert max(map(len, dealt)) == 1


def test_a_fault_that_no_flow_can_meet_is_said():
    _, untried = sampling._dealt([known(FLOWS[0], CALLS[:1])])
    assert {"copy_lost", "ignored", "held", "429"} < set(untried)


def test_kills_are_spread_over_each_flow_and_begin_elsewhere_in_the_next():
    calls = [Call(number, "aws", "PutItem") for number in range(1, 101)]
    places = [
        [kill.call.number for kill in sampling._kills(known(flow, calls), number, 4)]
        for number, flow in enumerate(FLOWS[:3])
    ]
    assert places[0] == [1, 25, 50, 75]
    assert len({place[0] for place in places}) == 3


def test_a_flow_that_does_not_exist_is_refused_and_passes_for_nothing(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["crash", "--flow", "nope"])
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert ended.value.code == 2
    assert FLOWS[0].name in capsys.readouterr().err
