"""What a person's act says of the stop of a draft."""

import pytest

from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.conversations.stop_counts import StopEnd
from chalicelib.outreach.desk.case import AskedAct
from chalicelib.outreach.desk.stop_ends import end_of, stopped_by
from tests.rigs.each_row import each_row

HELD = "Hello Jo, your move is on Friday and the deposit of £695 is paid. Write to us at any time."


def asked(act, text=""):
    return AskedAct(
        act, "c", "v", "k", by="sam", actor="sam", fields={"text": text} if text else {}
    )


@each_row(
    ("text", "end"),
    [
        (HELD, StopEnd.AS_IS),
        (HELD.replace(" is on", "\n is on"), StopEnd.AS_IS),
        (HELD.replace("Hello", "Hi"), StopEnd.EDITED),
        (HELD.replace("£695 is", "£595 is"), StopEnd.OTHER),
        (HELD.replace("£695 is paid", "£695, is paid"), StopEnd.EDITED),
        (HELD + " See pay.example.com.", StopEnd.OTHER),
        (
            HELD.replace("Hello Jo, your move is on Friday and", "We will look whether"),
            StopEnd.OTHER,
        ),
        ("I look it up for you.", StopEnd.OTHER),
    ],
)
@each_row("act", ["approve", "reply"])
def test_what_is_sent_in_place_of_a_draft_says_whether_its_stop_was_right(act, text, end):
    assert end_of(asked(act, text), Draft(HELD)) is end


@pytest.mark.parametrize(
    ("act", "end"),
    [
        ("decline", StopEnd.DISCARDED),
        ("close", StopEnd.DISCARDED),
        ("stop", StopEnd.DISCARDED),
        ("approve", StopEnd.AGAIN),
        ("give_back", StopEnd.AGAIN),
        ("take", None),
        ("note", None),
        ("transfer", None),
        ("snooze", None),
        ("not_stop", None),
    ],
)
def test_an_act_that_sends_nothing_of_its_own_ends_it_or_leaves_it_to_a_later_one(act, end):
    assert end_of(asked(act), Draft(HELD)) is end


@pytest.mark.parametrize(
    ("handoff", "rule"),
    [
        ({"held": "reply", "reason": "draft_amount"}, "amount"),
        ({"held": "start", "reason": "draft_link"}, "link"),
        ({"held": "", "reason": "draft_amount"}, ""),
        ({"held": "reply", "reason": "model_refused"}, ""),
        ({"held": "reply", "reason": "draft_amount", "releasing": "approved"}, ""),
    ],
)
def test_only_a_held_draft_that_a_rule_has_stopped_is_judged_and_once(handoff, rule):
    item = {"conversation_status": "handed_off", "handoff": handoff}
    assert stopped_by(Record(item)) == rule
