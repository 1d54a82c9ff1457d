"""The promises of docs/console-inbox.md, tried from outside: in a browser, without script."""

import pytest

from tests.outside.browser import Person
from tests.outside.running import FIRST

GAP = "\u27e6place\u27e7"


@pytest.fixture
def person(stack, chromium):
    """Somebody who has signed in."""
    made = Person(chromium, stack.console())
    assert made.signs_in() == 200
    yield made
    made.context.close()


def test_a_saved_reply_is_inserted_with_its_fields_filled_and_a_gap_is_never_sent(stack, person):
    name = _saved(stack, person, "{customer_name}, {job_ref} is with {company_name} at {place}.")
    to, conversation = _taken(stack, person)
    before = len(stack.texts_to(to))
    person.writes("Good morning!", beside="Send")
    _inserts(person, name)
    filled = f"Good morning!\n\nJo, JR123 is with Cucumber Recruitment at {GAP}."
    assert _written(person) == filled
    for text in (filled, filled.replace("\u27e7", "")):
        person.writes(text, beside="Send")
        person.presses("Send")
        stack.settle()
        assert "has a gap" in person.reads()
        assert len(stack.texts_to(to)) == before
    person.writes(filled.replace(GAP, "the depot"), beside="Send")
    person.presses("Send")
    stack.settle()
    assert [text["body"] for text in stack.texts_to(to)][before:] == [
        "Good morning!\n\nJo, JR123 is with Cucumber Recruitment at the depot."
    ]
    assert person.opens(f"/conversations/{conversation}") == 200


def test_a_saved_reply_is_added_once_and_removed_with_a_reason_in_the_journal(stack, person):
    name = _saved(stack, person, "Hello {customer_name}", times=2)
    assert person.page.get_by_role("heading", name=name, exact=True).count() == 1
    kept = person.page.locator("section", has=person.page.get_by_role("heading", name=name))
    kept.locator("summary", has_text="Remove").click()
    form = kept.locator("form[action$=remove]")
    form.locator("[name=reason]").fill("We have moved")
    form.locator("button").click()
    assert person.page.get_by_role("heading", name=name).count() == 0
    entered = stack.ops("journal", f"company:{FIRST.id}", "--json").data
    mine = [entry for entry in entered if entry["did"] == "saved reply" and name in entry["saw"]]
    assert [(entry["result"], entry["reason"]) for entry in mine] == [
        ("added", "asked for"),
        ("removed", "We have moved"),
    ]


def test_a_view_that_is_kept_leads_to_its_filters_and_is_removed_once(stack, person):
    (_, mine), (_, other) = _waiting(stack), _waiting(stack)
    listed = stack.ops("handoff", "list", "--json").data
    project = next(row["project"] for row in listed if row["id"] == mine)
    name = f"View {stack.number()}"
    person.opens(f"/inbox/views?company={FIRST.id}&project={project}")
    person.writes(name, beside="Keep", field="name")
    person.presses("Keep")
    assert person.lists(mine)
    assert not person.lists(other)
    person.opens("/inbox")
    assert person.lists(other)
    person.presses(name)
    assert not person.lists(other)
    person.opens("/inbox/views")
    slower = person.has_another_tab()
    for tab in (person, slower):
        tab.page.get_by_role("button", name=f"Remove {name}").click()
        assert name not in tab.reads()


def test_a_conversation_is_found_by_number_request_and_name_and_nothing_of_it_is_in_the_address(
    stack, person
):
    name, request = f"Zaphira{stack.number()}", f"find-{stack.number()}"
    to, conversation = _waiting(
        stack,
        recipient_data={"recipient_first_name": name},
        request_data={"request_id": request},
    )
    for text in (
        to,
        f"{to[:2]} ({to[2:5]}) {to[5:8]}-{to[8:]}",
        request,
        name.upper(),
        conversation,
    ):
        person.opens("/inbox/find")
        person.writes(text, beside="Find", field="q")
        person.presses("Find")
        person.page.wait_for_url(f"**/conversations/{conversation}")
    person.opens("/inbox/find")
    person.writes("Nothing of that name", beside="Find", field="q")
    person.presses("Find")
    assert "No conversation of your companies" in person.reads()
    assert person.page.url.endswith("/inbox/find")
    looks = stack.ops("journal", "inbox:find", "--views", "--json").data
    assert [look for look in looks if conversation in look["saw"]]
    assert not [look for look in looks if name in str(look) or to[1:] in str(look)]


def _saved(stack, person, text, *, times=1):
    """A saved reply of the first company, whose form is posted so many times; its name."""
    name = "Reply " + "".join("abcdefghij"[int(digit)] for digit in str(stack.number()))
    person.opens(f"/saved-replies?company={FIRST.id}")
    address, fields = person.form("Add")
    fields |= {"name": name, "text": text, "reason": "asked for"}
    for _ in range(times):
        answer = person.context.request.post(
            address, form=fields, headers={"origin": person.url, "sec-fetch-site": "same-origin"}
        )
        assert answer.status == 200
    person.opens(f"/saved-replies?company={FIRST.id}")
    return name


def _inserts(person, name):
    person.page.locator("select[name=saved]").select_option(label=name)
    person.presses("Insert")
    person.page.wait_for_url("**/saved-reply")


def _written(person):
    """What the reply box holds."""
    return person.page.get_by_label("Your reply").input_value()


def _waiting(stack, **changes):
    """A conversation whose recipient asked for a person: the recipient, and its id."""
    to, project = stack.tel(), stack.put_project()
    stack.start(to, of=project, **changes)
    stack.says(to, "I want to talk to a person")
    listed = stack.ops("handoff", "list", "--json").data
    return to, next(row["id"] for row in listed if row["project"] == project.project)


def _taken(stack, person):
    """A conversation that the person has taken, with its page open."""
    to, conversation = _waiting(stack)
    person.opens(f"/conversations/{conversation}")
    person.presses("Take")
    return to, conversation
