"""The state of a conversation is described in words, without a raw flag or a row."""

from ops.inspect.explain.state_words import in_words

AT = "2026-11-23T10:02:07.000Z"
SAID = "Monday 23 November 2026, 10:02:07 UTC"


def test_a_declined_start_is_said_with_who_declined_it_and_why_it_was_held():
    held = "auto_queue_initial_message"
    said = in_words(
        {
            "conversation_status": "failed",
            "failure_stage": "declined",
            "failure_reason": "by_a_person",
            "handoff": {"id": "h-1", "reason": held, "since": AT},
            "updated_at": AT,
        }
    )
    assert said == {
        "status": "failed: a person declined the message (declined:by_a_person)",
        "hand-off": f"since {SAID}, the company wants a person to approve first messages"
        f" ({held}), id h-1",
        "updated at": SAID,
    }


def test_a_hand_off_says_who_has_it_and_what_has_become_of_it():
    handoff = {"id": "h-1", "since": AT, "taken_by": "kim", "answered_at": AT, "releasing": "x"}
    said = in_words({"conversation_status": "handed_off", "handoff": handoff})
    assert said == {
        "status": "handed off",
        "hand-off": f"since {SAID}, kim has it, answered on {SAID}, on its way back to automation,"
        " id h-1",
    }


def test_what_kept_a_message_back_is_said_in_words():
    failed = {"reason": "kill_switch", "at": AT}
    said = in_words({"withheld_reason": "kill_switch", "reply_failure": failed})
    switch = "the switch kill_switch was on (kill_switch)"
    assert said == {
        "withheld": switch,
        "a person's reply was not sent": f"{switch}, on {SAID}",
    }


def test_a_tickets_state_is_said_in_words():
    state = {"last_intent": "refund_request", "last_routed_team": "route-returns-admin"}
    said = in_words({**state, "last_message_at": None, "requests": ["a refund", "an address"]})
    assert said == {
        "last read as": "refund request",
        "last routed to": "Returns admin",
        "requests": "a refund; an address",
    }
