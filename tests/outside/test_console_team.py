"""The promises of docs/console-team.md, tried from outside: in a browser, without script."""

from datetime import timedelta

import pytest

from tests.outside.browser import Person
from tests.outside.running import FIRST

TEAM = f"/team?company={FIRST.id}"


@pytest.fixture
def person(stack, chromium):
    """A lead who has signed in."""
    made = Person(chromium, stack.console())
    assert made.signs_in() == 200
    yield made
    made.context.close()


def test_a_conversation_is_handed_to_a_colleague_and_to_no_other_name(stack, person):
    _, conversation = _taken(stack, person)
    address, fields = person.form("Hand to a colleague")
    own = {"origin": person.url, "sec-fetch-site": "same-origin"}
    posted = person.context.request.post(
        address, form={**fields, "to": "eve@example.com"}, headers=own
    )
    assert posted.status == 422
    assert "names no colleague" in posted.text()
    assert "CONSOLE_COLLEAGUES" in posted.text()
    assert _holder(stack, conversation) == "<root at aws>"
    _hands_over(person, conversation, "kim@example.com")
    assert _holder(stack, conversation) == "kim@example.com"


def test_to_hand_over_to_somebody_who_is_away_is_asked_first(stack, person):
    _, conversation = _taken(stack, person)
    _is_away(stack, person, "lea@example.com")
    _hands_over(person, conversation, "lea@example.com")
    assert "lea@example.com is away" in person.reads()
    assert _holder(stack, conversation) == "<root at aws>"
    person.presses("Hand over all the same")
    assert _holder(stack, conversation) == "lea@example.com"
    stack.forward(hours=3)
    person.opens(f"/conversations/{conversation}")
    assert "Away until" not in person.reads(), "it ends by itself"


def test_what_somebody_away_has_waits_for_a_colleague_again_after_one_act_of_a_lead(stack, person):
    _, conversation = _taken(stack, person)
    _hands_over(person, conversation, "kim@example.com")
    _is_away(stack, person, "kim@example.com")
    person.opens(f"/inbox?company={FIRST.id}&state=away")
    assert person.lists(conversation)
    person.opens(TEAM)
    person.presses("Put back into the queue")
    assert _holder(stack, conversation) is None
    person.opens(f"/conversations/{conversation}")
    assert "No one has taken it." in person.reads()


def test_what_is_ticked_is_taken_at_once_but_for_what_has_changed_meanwhile(stack, person):
    to = stack.tel()
    changed, other = (_waits(stack, tel) for tel in (to, stack.tel()))
    person.opens(f"/inbox?company={FIRST.id}&state=waiting")
    for conversation in (changed, other):
        person.page.locator(f"input[name=pick][value^='{conversation}~']").check()
    stack.says(to, "Hello?")
    person.page.locator("#bulk button[value=take]").click()
    assert "Take: 1 of 2 done" in person.reads()
    assert "the recipient wrote" in person.reads()
    assert [_holder(stack, conversation) for conversation in (changed, other)] == [
        None,
        "<root at aws>",
    ]
    person.presses("Undo")
    assert _holder(stack, other) is None


def test_an_act_is_undone_until_something_has_happened_and_not_after(stack, person):
    to, conversation = _taken(stack, person)
    person.presses("Undo: Take")
    assert "The conversation is as it was before." in person.reads()
    assert _holder(stack, conversation) is None
    person.presses("Take")
    stack.says(to, "Hello?")
    person.presses("Undo: Take")
    assert "Nothing was done: something has happened with it since." in person.reads()
    assert _holder(stack, conversation) == "<root at aws>"


def _holder(stack, conversation):
    """Who has a conversation, by the command line."""
    shown = stack.ops("handoff", "list", "--show", conversation, "--json").data
    return shown["handoff"].get("taken_by")


def _waits(stack, to):
    """A conversation whose recipient asked for a person."""
    project = stack.put_project()
    stack.start(to, of=project)
    stack.says(to, "I want to talk to a person")
    listed = stack.ops("handoff", "list", "--json").data
    return next(row["id"] for row in listed if row["project"] == project.project)


def _taken(stack, person):
    """A conversation that the person has taken, with its page open: its recipient and its id."""
    to = stack.tel()
    conversation = _waits(stack, to)
    person.opens(f"/conversations/{conversation}")
    person.presses("Take")
    return to, conversation


def _hands_over(person, conversation, to):
    person.opens(f"/conversations/{conversation}")
    person.page.locator("summary", has_text="Hand to a colleague").click()
    person.page.locator("select[name=to]").select_option(to)
    person.presses("Hand to a colleague")


def _is_away(stack, person, name):
    """A lead says of a colleague that they are away for the next hours."""
    person.opens(TEAM)
    row = person.page.locator("tr", has_text=name)
    if row.get_by_role("button", name="Is back").count():
        row.get_by_role("button", name="Is back").click()
    until = (stack.now() + timedelta(hours=2)).strftime("%Y-%m-%dT%H:%M")
    row = person.page.locator("tr", has_text=name)
    row.locator("summary").click()
    row.locator("input[name=until]").fill(until)
    row.get_by_role("button", name="Away").click()
