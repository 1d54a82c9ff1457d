"""The promises of docs/runbook.md that whatever somebody holds leads to its message, and to its customer."""

import pytest

from tests.outside import holding
from tests.outside.conversations import started
from tests.outside.running import FIRST
from tests.outside.tickets import opens

STEP = len(holding.STATES)
"""Each state tries every `2 * STEP`th form of a kind, and each begins at a form of its own."""


@pytest.mark.parametrize("number", range(STEP))
def test_every_form_of_what_one_may_have_finds_its_message_in_every_state(stack, number):
    tried = 0
    for held in holding.STATES[number](stack):
        forms = [form for of in held.forms.values() for form in of[number :: 2 * STEP] or of[:1]]
        assert list(holding.wrong(stack, held, forms)) == []
        tried += len(forms)
    assert tried


def test_a_number_of_several_things_shows_each_of_them(stack):
    ticket = opens(stack, holding.ANGRY)
    started(stack, stack.tel(), request_data={"request_id": ticket})
    have = f"{FIRST.id}#{ticket}"
    start = stack.ops("explain", have, "--json").data["about"]
    said = stack.ops("explain", ticket, "--json").data
    kinds = {answer["found_as"]: _keys(answer) for answer in (said, *said["also"])}
    assert kinds == {"a ticket": [f"evt:rp:{ticket}:c-1"], "a request of any company": [start]}
    shown = stack.ops("explain", f"ticket {ticket}").out
    assert f"evt:rp:{ticket}:c-1" in shown
    assert start in shown
    assert "not asked: tickets by an order: no index leads there; --deep asks it" in shown
    story = str(stack.ops("story", ticket, "--json").data["turns"])
    assert f"evt:rp:{ticket}:c-1" in story
    assert start in story


def test_a_customers_story_is_by_person_and_has_what_is_open_first(stack):
    both = {"recipient_tel": stack.tel(), "recipient_email": stack.mail()}
    first = started(stack, both["recipient_tel"], recipient_data=both)
    stack.says(both["recipient_tel"], "What is the pay?")
    stack.twilio.fails(status=401, times=None)
    started(stack, both["recipient_tel"], recipient_data=both)
    by_mail = stack.ops("story", both["recipient_email"], "--json").data
    assert by_mail == stack.ops("story", both["recipient_tel"], "--json").data
    (waits,) = by_mail["open"]
    assert "Not sent yet" in waits["became"]
    newest, oldest = by_mail["turns"]
    assert (newest["what"], oldest["what"]) == ("the customer wrote", "a conversation was started")
    assert newest["answered"]
    assert oldest["event"] == stack.ops("explain", f"{FIRST.id}#{first}", "--json").data["about"]
    stack.twilio.recovers()
    stack.passes(hours=1)


def test_a_story_has_texts_only_where_they_are_asked_for_and_the_journal_has_who_looked(stack):
    to = stack.tel()
    request_id = started(stack, to)
    stack.says(to, "What is the pay?")
    have = f"{FIRST.id}#{request_id}"
    assert "What is the pay?" not in stack.ops("story", have).out
    assert "What is the pay?" in stack.ops("story", have, "--show-texts").out
    (entry,) = stack.ops("journal", "--since", "1m", "--views", "--json").data[-1:]
    assert (entry["did"], entry["by"]) == ("story view", "root")
    ticket = opens(stack, holding.ANGRY)
    stack.forward(seconds=2)
    assert holding.ANGRY in stack.ops("story", ticket, "--show-texts").out
    stack.richpanel.fails(status=503, times=None)
    told = stack.ops("story", ticket, "--show-texts").out
    assert "Richpanel was not asked for texts" in told
    assert holding.ANGRY not in told
    stack.richpanel.recovers()


def _keys(finding):
    return [event["event"]["event_id"] for event in finding["events"]]
