"""Saved replies in a real browser: inserted with and without script, a gap blocks, no rule is violated."""

import pytest

from chalicelib.outreach.conversations.shelves import ShelvedThing
from console.pages import saved_replies
from tests.rigs.desk import OURS

TEXT = "Hello {customer_name}, your order {order.number} is at {place}."
FILLED = "Hello Jo, your order 1042 is at \u27e6place\u27e7."


@pytest.fixture
def mine(desk):
    """A conversation that sam has, of a company with two saved replies."""
    for name, text in (("Hours", "Nine to five."), ("Where it is", TEXT)):
        new = ShelvedThing(name, name, {"text": text}, "lea@example.com", "", name)
        place = saved_replies.place_of(OURS)
        desk.conversations.change_shelf(place, lambda shelf, new=new: shelf.adding(new), [])
    record = desk.handed_off(project_data={"order": {"number": 1042}})
    desk.act("take", record, by="sam@example.com")
    desk.clock.forward(60)
    return record


@pytest.fixture
def visit(desk_console, open_console):
    """Opens a page as one of the rig's persons."""

    def opened(who, path, **how):
        return open_console(desk_console, who, path, **how)

    return opened


def test_a_saved_reply_is_inserted_in_place_and_its_gap_is_chosen_and_blocks(visit, desk, mine):
    page = visit("sam", f"/conversations/{mine.opaque_id}").page
    box = page.get_by_label("Your reply")
    box.fill("Good morning!")
    page.get_by_label("Saved reply").select_option("Where it is")
    page.get_by_role("button", name="Insert").click()
    page.get_by_text("Write what belongs there before you send").wait_for()
    assert box.input_value() == f"Good morning!\n\n{FILLED}"
    assert page.evaluate("() => getSelection().toString()") == "\u27e6place\u27e7"
    page.get_by_role("button", name="Send", exact=True).click()
    assert not box.evaluate("(node) => node.checkValidity()")
    page.reload()
    assert box.input_value() == f"Good morning!\n\n{FILLED}", "a draft survives a reload"
    box.fill("Good morning! It is at the depot.")
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_text("Your reply is on its way.").wait_for()
    desk.work()
    assert desk.sent() == ["Good morning! It is at the depot."]


def test_what_the_recipient_wrote_since_the_page_was_read_is_not_answered_unseen(visit, desk, mine):
    """Inserting renews the box alone: a page that is old stays old, and its click does nothing."""
    page = visit("sam", f"/conversations/{mine.opaque_id}").page
    desk.says(desk.conversations.reread(mine), "Wait, one more thing")
    page.get_by_label("Saved reply").select_option("Hours")
    page.get_by_role("button", name="Insert").click()
    page.wait_for_function("() => document.querySelector('.compose textarea').value")
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_role("alert").wait_for()
    desk.work()
    assert desk.sent() == []


def test_without_script_a_saved_reply_is_inserted_filled_and_sent(visit, desk, mine):
    page = visit("sam", f"/conversations/{mine.opaque_id}", java_script_enabled=False).page
    page.get_by_label("Your reply").fill("Good morning!")
    page.get_by_label("Saved reply").select_option("Where it is")
    page.get_by_role("button", name="Insert").click()
    page.get_by_text("Write what belongs there before you send").wait_for()
    page.get_by_role("button", name="Send", exact=True).click()
    assert "has a gap" in page.get_by_role("alert").inner_text()
    box = page.get_by_label("Your reply")
    assert box.input_value() == f"Good morning!\n\n{FILLED}"
    box.fill(box.input_value().replace("\u27e6place\u27e7", "the depot"))
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_text("Your reply is on its way.").wait_for()
    desk.work()
    assert desk.sent() == ["Good morning!\n\nHello Jo, your order 1042 is at the depot."]
