"""What an answered message costs of Richpanel's 50 calls in 30 seconds."""

import pytest


@pytest.fixture
def app_environment(replies_environment):
    return replies_environment


def operations(rig):
    return [call.operation for call in rig.richpanel.calls]


def test_an_answered_message_that_names_its_order_is_four_calls(replies_rig, tracked_question):
    replies_rig.run(replies_rig.ticket(tracked_question))
    assert replies_rig.replies
    assert operations(replies_rig) == [
        "read_ticket",
        "send_message",
        "read_ticket",
        "add_tags",
    ]


def test_a_message_that_is_asked_for_its_order_is_five_calls(replies_rig):
    replies_rig.run(replies_rig.ticket("Where is my order?"))
    assert replies_rig.replies
    assert len(operations(replies_rig)) == 5
