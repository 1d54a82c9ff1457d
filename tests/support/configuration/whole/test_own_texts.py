"""The settings of a stage through the real worker: its own texts, and the version of a stored plan."""

import pytest

from chalicelib.once.plan import Plan


@pytest.fixture
def app_environment(replies_environment):
    return replies_environment


def text(said):
    return {"templates": {"t_order_status_verified": {"en": f"{said} {{{{order_id}}}}"}}}


def publish(rig, document):
    versions = rig.services().support.versions
    versions.publish(document, by="jo", note="", after=versions.current(consistent=True))
    rig.new_container()


def test_a_customer_reads_the_shops_own_text(replies_rig, tracked_question):
    publish(replies_rig, text("Good news about") | {"closing": {"en": "Ciao, {{reference}}"}})

    replies_rig.run(replies_rig.ticket(tracked_question))

    (sent,) = replies_rig.replies
    assert sent.startswith("Good news about #100234\n\nCiao, ")
    assert replies_rig.reply_row()["status"] == "done"
    assert Plan.decode(replies_rig.event()["plan"]).facts["settings"] == 1


def test_a_resumed_plan_uses_the_version_that_it_was_made_with(replies_rig, tracked_question):
    publish(replies_rig, text("The first text for"))
    replies_rig.richpanel.fault("status", operation="send_message", status=429)
    replies_rig.run(replies_rig.ticket(tracked_question))
    assert replies_rig.event()["status"] == "processing"

    publish(replies_rig, text("The second text for"))
    replies_rig.again()

    assert replies_rig.event()["status"] == "processed"
    assert replies_rig.replies[-1].startswith("The first text for #100234")


def test_a_plan_made_before_the_first_version_is_resumed_with_the_built_in_text(
    replies_rig, tracked_question
):
    replies_rig.richpanel.fault("status", operation="send_message", status=429)
    replies_rig.run(replies_rig.ticket(tracked_question))

    publish(replies_rig, text("Another text for"))
    replies_rig.again()

    assert replies_rig.replies[-1].startswith("Hi Ada,")
    assert "settings" not in Plan.decode(replies_rig.event()["plan"]).facts
