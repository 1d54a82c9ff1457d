"""Tags by id, where the tenant lacks some: the others are set, and what is missing is visible."""

import pytest

from local.stack import environment
from tests.rigs.tickets import ROUTED

ROUTE, INTENT, *_ = ROUTED


@pytest.fixture
def app_environment(stage, richpanel):
    return {
        **environment.local("dev", stage.aws, richpanel_url=richpanel.base_url),
        "RICHPANEL_TAG_MODE": "id",
    }


@pytest.fixture
def by_id(system):
    system.richpanel.set_modes(tag_mode="id")
    return system


def has_tags(system, *names):
    for name in names:
        system.richpanel.tag_id(name)


def status(system, tag):
    row = system.row(f"act:rp_tag:1042:{tag}:c-1")
    return row["status"], row.get("reason")


def test_one_unknown_tag_is_left_out_and_counted(by_id, log_stream):
    has_tags(by_id, *(set(ROUTED) - {INTENT}))

    by_id.post(by_id.ticket())
    by_id.run()

    assert by_id.richpanel.tags_of("1042") == set(ROUTED) - {INTENT}
    assert status(by_id, INTENT) == ("skipped", "unknown_tag")
    assert (by_id.event()["status"], by_id.event()["reason"]) == (
        "processed",
        "withheld:unknown_tag",
    )
    assert '"mw.support.unknown_tags":1' in log_stream.getvalue()


def test_a_route_that_is_unknown_leaves_the_ticket_to_a_person(by_id):
    has_tags(by_id, "middleware_error_needs_attention", *(set(ROUTED) - {ROUTE}))

    by_id.post(by_id.ticket())
    by_id.run()

    assert status(by_id, ROUTE) == ("refused", "unknown_tag")
    assert by_id.event()["status"] == "failed"
    assert by_id.richpanel.tags_of("1042") >= {INTENT, "middleware_error_needs_attention"}


def test_another_ticket_with_known_tags_is_not_affected(by_id):
    has_tags(by_id, *ROUTED)
    by_id.post(by_id.ticket("1042", text="I have a question about sizes before I buy"))
    by_id.post(by_id.ticket("1043"))
    by_id.run()
    assert by_id.richpanel.tags_of("1043") == set(ROUTED)
    assert by_id.event(ticket_id="1043")["status"] == "processed"


def test_a_repeated_request_leaves_out_the_same_tags(by_id):
    has_tags(by_id, *(set(ROUTED) - {INTENT}))
    by_id.richpanel.fault("act_then_drop", operation="add_tags")

    by_id.post(by_id.ticket())
    by_id.run()
    by_id.again()

    assert by_id.event()["status"] == "processed"
    assert status(by_id, ROUTE) == ("done", None)
    assert status(by_id, INTENT) == ("skipped", "unknown_tag")
