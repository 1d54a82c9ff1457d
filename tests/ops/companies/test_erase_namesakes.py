"""A namesake of an erased person stays; the row's other person shows that the name is no leak."""

import pytest

from local import company
from tests.rigs.ops_cli import runner
from tests.rigs.outreach import TEL

OTHER = "+15550100002"
NAME = "Tess de Vries"
NAMED = {"recipient_first_name": "Tess", "recipient_last_name": "de Vries"}


@pytest.fixture
def run(outreach, capsys):
    return runner(capsys)


@pytest.fixture
def namesakes(outreach):
    """Two persons of one name, each with a number and a conversation of their own."""
    for request, number in (("req-1", TEL), ("req-other", OTHER)):
        outreach.start(request, "sms", number, recipient_data={"recipient_tel": number, **NAMED})
    outreach.run()
    outreach.deliver(outreach.says(f"Yes, {NAME} here", whatsapp=False, from_=OTHER))
    outreach.run()
    return outreach


def rows_of(outreach, name):
    return outreach.services.table(outreach.stage.tables[name])


def erased(run, *more):
    return run("erase", "--subject", TEL, "--yes", *more, "--json")


def test_a_namesakes_rows_are_listed_apart_by_a_conversation_that_can_be_opened(namesakes, run):
    theirs = namesakes.record("sms", OTHER).opaque_id
    said = erased(run)
    assert said.code == 0, said.out
    report = {place["place"]: place for place in said.data["proof"]}
    assert sum(place["found"] for place in report.values()) == 0
    (place,) = [name for name in report if report[name]["named"]]
    alone = report[place]["name_alone"]
    assert place == namesakes.stage.tables["ConversationsTable"]
    assert {named["item"] for named in alone} == {theirs}
    assert {field for named in alone for field in named["where"]} == {
        "messages"
    }  # none has left the item
    for personal in ("Tess", "Vries", TEL[1:], OTHER[1:]):
        assert personal not in said.out
    assert run("explain", theirs).code == 0


def test_the_lines_for_people_say_what_to_look_at(namesakes, run):
    said = run("erase", "--subject", TEL, "--yes")
    shown = " ".join(said.out.split())
    assert said.code == 0
    assert "a namesake, or look at it" in shown
    assert f"in conversation {namesakes.record('sms', OTHER).opaque_id}" in shown


@pytest.mark.parametrize(
    "row",
    [
        {"primary_channel": "events#gone", "conversation_id": "event#1"},
        {
            "primary_channel": f"internal:{company.COMPANY_ID}#{OTHER}",
            "conversation_id": "page#gone#1",
        },
        {"primary_channel": f"verdicts:{company.COMPANY_ID}#pi-1", "conversation_id": "v-1"},
    ],
)
def test_a_name_in_a_row_that_belongs_to_nobody_else_is_a_leak(namesakes, run, row):
    rows_of(namesakes, "ConversationsTable").put({**row, "why": f"{NAME} is ill"})
    said = erased(run)
    assert said.code == 1
    assert sum(place["found"] for place in said.data["proof"]) == 1


def test_a_word_beside_the_name_is_a_leak_also_in_another_ones_conversation(namesakes, run):
    namesakes.deliver(namesakes.says(f"{NAME} is in hospital", whatsapp=False, from_=OTHER))
    namesakes.run()
    said = erased(run, "--canary", "in hospital")
    assert said.code == 1
    found = [trace for place in said.data["proof"] for trace in place["left"]]
    assert {trace["canary"] for trace in found} >= {"word 1"}
    assert namesakes.record("sms", OTHER).opaque_id not in {trace["item"] for trace in found}
