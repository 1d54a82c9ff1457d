"""The promises of docs/upgrading.md, tried from outside: of what needs no second release."""

import re

from tests.outside.aws import aws, enqueue


def test_provisioning_a_stage_again_changes_and_removes_nothing(stack):
    request_id = stack.start(stack.tel()).json()["request_id"]
    stack.ops("provision", "--yes")
    again = stack.ops("provision", "--yes", "--json").data["made"]
    assert {row["did"] for row in again} == {"unchanged"}
    assert stack.outcome(request_id)["state"] == "sent"


def test_what_was_accepted_before_a_provisioning_is_done_once_after_it(stack):
    to, ticket = stack.tel(), stack.ticket("Where is my order?")
    stack.webhook(ticket_id=ticket, message_id="c-1", message="Hi", settles=False)
    stack.start(to, settles=False)
    stack.ops("provision", "--yes")
    stack.forward(minutes=1)
    changes = [
        effect for effect in stack.richpanel.get("effects")["effects"] if ticket in str(effect)
    ]
    assert len(changes) == len({str(change) for change in changes}) > 0
    assert len(stack.texts_to(to)) == 1


def test_the_doctor_names_the_stages_release_and_what_waits_in_each_lane(stack):
    url, _ = enqueue(stack, "companies", "no job")  # which stays in its queue, unreadable
    stack.settle()
    said = stack.ops("doctor", code=1).out
    aws(stack, "sqs", "PurgeQueue", QueueUrl=url)
    assert f"release {stack.hints['RELEASE']}" in said
    for lane in ("tickets", "outreach", "email", "facts", "companies"):
        assert f"lane {lane} " in said
    (companies,) = re.findall(r"lane companies +\w+ +(.*);", said)
    assert not companies.startswith("0 waiting, 0 in flight")
