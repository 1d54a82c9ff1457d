"""`bench.measures.conversations`: each share counts what its name says, and a sample is decided."""

import pytest

from bench.measures.conversations import Expected, TriedConversation, expected, report, tried

RIGHT = {
    "decision": "answer",
    "team": "route-email-support-team",
    "risks": [],
    "reasons": [],
    "moves": False,
}


def case(decision=("answer",), got=RIGHT, kind="plain", language="en", **more):
    wanted = {"team": None, "risk": None, "moves": None, "why": "", **more}
    return TriedConversation(Expected("c1", kind, language, decision, **wanted), got, 2.0)


def figures(*found):
    return {line[:34].strip(): line[34:].partition(" (")[0] for line in report(found)}


@pytest.mark.parametrize(
    ("right", "wrong", "name"),
    [
        (case(("person",), {**RIGHT, "decision": "person"}, "orders"), case(("person",)), "harms"),
        (
            case(("person",), {**RIGHT, "decision": "person"}, "multi"),
            case(("person", "none"), {**RIGHT, "decision": "ask"}, "multi"),
            "multi",
        ),
        (
            case(("ask",), {**RIGHT, "decision": "ask"}),
            case(("ask",)),
            "answered, not asked which order",
        ),
        (
            case(risk=False, kind="harmless"),
            case(("person",), {**RIGHT, "risks": ["press_regulator"]}, "harmless", risk=False),
            "harmless flagged",
        ),
        (
            case(team="sales", got={**RIGHT, "team": "route-sales-team"}),
            case(team="sales"),
            "wrong team",
        ),
        (case(moves=False), case(moves=False, got={**RIGHT, "moves": True}), "moves though held"),
    ],
)
def test_a_mistake_is_counted_and_what_is_right_is_not(right, wrong, name):
    assert figures(right, wrong)[name].startswith("1 of ")
    assert figures(right)[name].startswith("0 of ")
    assert not list(right.mistakes())
    assert list(wrong.mistakes())


def test_answers_are_counted_by_language():
    found = figures(case(), case(got={**RIGHT, "decision": "person"}), case(language="de"))
    assert found["plain answered, en"] == "1 of 2"
    assert found["plain answered, es"] == "0 of 0"
    assert found["plain answered, others"] == "1 of 1"


def test_a_missed_grave_matter_is_counted():
    grave = {**RIGHT, "decision": "person", "risks": ["fraud_suspected"]}
    missed = case(("person",), {**grave, "risks": []}, "grave", risk=True)
    found = figures(case(("person",), grave, "grave", risk=True), missed)
    assert found["grave flagged"] == "1 of 2"
    assert list(missed.mistakes()) == ["flag missed"]


def test_a_sample_of_the_open_half_is_decided_and_timed():
    sample = tried(expected("open")[::40], "open")
    assert len(sample) == len(expected("open")[::40])
    assert all(figure.ms > 0 for figure in sample)
    assert figures(*sample)["plain answered, en"] != "0 of 0"
