"""The promises of docs/console.md, tried from outside: in a browser, without script."""

import re

import pytest
import requests

from tests.outside.browser import Person
from tests.outside.running import FIRST


@pytest.fixture
def person(stack, chromium):
    """Somebody who has signed in."""
    made = Person(chromium, stack.console())
    assert made.signs_in() == 200
    yield made
    made.context.close()


def test_the_link_signs_in_once_and_without_it_no_page_is_shown(chromium, stack, person):
    other = Person(chromium, person.link)
    assert other.signs_in() == 404
    for page in ("/", "/inbox", "/unknown", "/journal", "/journal.csv", f"/find?q={stack.tel()}"):
        assert other.opens(page) == 401
    assert person.opens("/journal") == 200
    other.context.close()


def test_a_session_ends_after_twelve_hours(stack, person):
    stack.forward(hours=11)
    assert person.opens("/inbox") == 200
    stack.forward(hours=2)
    assert person.opens("/inbox") == 401


def test_a_form_that_another_site_posts_changes_nothing(stack, person):
    _, action = _effect_of_unknown_outcome(stack)
    person.opens(f"/unknown/one?key={action}")
    address, fields = person.form("Leave it")
    fields |= {"reason": "because"}
    elsewhere = {"origin": "http://elsewhere.example", "sec-fetch-site": "cross-site"}
    posts = person.context.request.post
    assert posts(address, form=fields, headers=elsewhere).status == 403
    assert posts(address, form={**fields, "token": "guessed"}).status == 403
    assert action in stack.ops("settle").out


def test_the_overview_counts_what_waits_for_a_person(stack, person):
    stack.forward(minutes=6)  # no scheduled sweep falls into the next minutes
    before = _counted(person, "Effects of unknown outcome", "Conversations for a person")
    _effect_of_unknown_outcome(stack)
    _held(stack)
    after = _counted(person, "Effects of unknown outcome", "Conversations for a person")
    assert after == [count + 1 for count in before]


def test_the_search_says_why_a_message_was_not_sent_and_shows_no_address(stack, person):
    to, action = _effect_of_unknown_outcome(stack)
    person.opens("/")
    person.writes(to, beside="Find")
    person.presses("Find")
    assert "Not known whether it was sent" in person.reads()
    assert action in person.reads()
    assert to[1:] not in person.page.url + person.page.content()


def test_a_message_that_is_tried_is_decided_as_the_command_decides_it(stack, person):
    person.opens("/try")
    person.writes("Where is my order #1042? Thank you!", beside="Decide", field="text")
    person.presses("Decide")
    assert "answered automatically" in person.reads()
    line = person.page.locator("pre").last.text_content()
    decided = stack.ops("support", "decide", "--json", typed=line).data
    assert decided["decision"] == "answer"
    assert all(part in person.reads() for part in decided["reply"].split("\n"))


def test_an_effect_of_unknown_outcome_is_settled_once_with_a_reason(stack, person):
    to, action = _effect_of_unknown_outcome(stack)
    person.opens(f"/unknown/one?key={action}")
    person.presses("Ask the vendor now")
    assert action in stack.ops("settle").out
    person.opens(f"/unknown/one?key={action}")
    slower = person.has_another_tab()
    for tab in (person, slower):
        tab.writes("Twilio does not have it", beside="It did not happen", field="reason")
        tab.ticks("force", beside="It did not happen")
        tab.presses("It did not happen")
        stack.settle()
    assert "othing was done" in slower.reads()
    assert len(stack.texts_to(to)) == 1
    (entry,) = stack.ops("journal", action, "--json").data
    assert "Twilio does not have it" in entry.values()


def test_what_a_command_has_settled_meanwhile_is_not_settled_by_a_page(stack, person):
    to, action = _effect_of_unknown_outcome(stack)
    person.opens(f"/unknown/one?key={action}")
    stack.ops("settle", action, "abandon")
    person.writes("I see nothing", beside="It did not happen", field="reason")
    person.ticks("force", beside="It did not happen")
    person.presses("It did not happen")
    stack.settle()
    assert "othing was done" in person.reads()
    assert stack.texts_to(to) == []


def test_an_event_is_run_again_once_after_a_page_that_says_what_that_would_do(stack, person):
    to = stack.tel()
    with stack.switched("kill_switch", "true"):
        stack.start(to)
    event = stack.ops("explain", to, "--json").data["events"][0]["event"]["event_id"]
    person.opens(f"/story?key={event}")
    person.presses("Run it again")
    assert "This page has sent nothing" in person.reads()
    assert stack.texts_to(to) == []
    slower = person.has_another_tab()
    for tab in (person, slower):
        tab.writes("the switch is off", beside="Run it again")
        tab.presses("Run it again")
        stack.settle()
    assert len(stack.texts_to(to)) == 1


def test_a_shared_story_needs_no_sign_in_names_no_person_and_ends_after_a_week(
    chromium, stack, person
):
    to, action = _effect_of_unknown_outcome(stack)
    event = stack.ops("explain", action, "--json").data["events"][0]["event"]["event_id"]
    link = _shared(person, event)
    guest = Person(chromium, link)
    assert guest.signs_in() == 200
    assert "Not known whether it was sent" in guest.reads()
    assert guest.page.locator("main form").count() == 0
    assert not [hidden for hidden in (to[1:], "root") if hidden in guest.page.content()]
    assert guest.opens("/unknown") == 401
    stack.forward(days=6)
    assert guest.opens(link) == 200
    stack.forward(days=2)
    assert guest.opens(link) == 404
    guest.context.close()


def test_a_held_message_goes_out_once_as_a_person_has_edited_it(stack, person):
    to, conversation = _held(stack)
    person.opens(f"/conversations/{conversation}")
    person.writes("May I call you tomorrow?", beside="Show the difference")
    person.presses("Show the difference")
    stack.settle()
    assert stack.texts_to(to) == []
    slower = person.has_another_tab()
    slower.opens(f"/conversations/{conversation}")
    person.presses("Send as edited")
    stack.settle()
    slower.presses("Send as it is")
    stack.settle()
    assert "Nothing was done: you have acted yourself" in slower.reads()
    (text,) = stack.texts_to(to)
    assert text["body"].startswith("May I call you tomorrow?")


def test_a_declined_message_is_never_sent_and_the_list_no_longer_has_it(stack, person):
    to, conversation = _held(stack)
    person.opens("/inbox")
    assert person.lists(conversation)
    person.opens(f"/conversations/{conversation}")
    person.writes("a wrong number", beside="Decline")
    person.presses("Decline")
    stack.forward(hours=1)
    person.opens("/inbox")
    assert not person.lists(conversation)
    assert stack.texts_to(to) == []


def test_a_reply_that_was_too_late_is_not_sent_and_stays_on_the_page(stack, person):
    to, _ = _taken(stack, person)
    slower = person.has_another_tab()
    for tab, text in ((person, "Ana here."), (slower, "Ben here, too.")):
        tab.writes(text, beside="Send")
        tab.presses("Send")
        stack.settle()
    assert [text["body"] for text in stack.texts_to(to)][-1].startswith("Ana here.")
    assert "Ben here" not in str(stack.texts_to(to))
    assert "Nothing was done" in slower.reads()
    assert "Ben here, too." in slower.page.content()


def test_every_look_at_a_conversation_is_in_the_journal_with_who_looked(stack, person):
    _, conversation = _held(stack)
    for _ in range(2):
        person.opens(f"/conversations/{conversation}")
    looks = stack.ops("journal", conversation, "--views", "--json").data
    assert [look["did"] for look in looks] == ["conversation view"] * 2
    assert {look["by"] for look in looks} == {"<root at aws>"}


def test_what_is_hostile_in_a_text_is_written_out_and_a_cell_is_no_formula(stack, person):
    name = "<img src=x>\u202eoJ"
    _, conversation = _held(stack, recipient_data={"recipient_first_name": name})
    _, action = _effect_of_unknown_outcome(stack)
    stack.ops("settle", action, "abandon", "--reason", "=1+1")
    person.opens(f"/conversations/{conversation}")
    assert "<img src=x>⟨U+202E⟩oJ" in person.reads()
    assert "\u202e" not in person.reads()
    assert person.page.locator("img").count() == 0
    file = person.context.request.get(f"{person.url}/journal.csv").text()
    assert "'=1+1" in file
    assert not re.search(r'(^|[,"])=1', file, re.MULTILINE)


def test_a_form_that_is_posted_twice_acts_once(stack, person):
    to = stack.tel()
    with stack.switched("kill_switch", "true"):
        stack.start(to)
    event = stack.ops("explain", to, "--json").data["events"][0]["event"]["event_id"]
    person.opens(f"/story?key={event}")
    person.presses("Run it again")
    address, fields = person.form("Run it again")
    for _ in range(2):
        own = {"origin": person.url, "sec-fetch-site": "same-origin"}
        posted = {**fields, "reason": "the switch is off"}
        assert person.context.request.post(address, form=posted, headers=own).status < 500
        stack.settle()
    entries = stack.ops("journal", event, "--json").data
    assert str(entries).count("the switch is off") == 1, entries
    assert len(stack.texts_to(to)) == 1


def test_a_shared_link_whose_event_or_end_was_changed_shows_nothing(stack, person):
    events = []
    for _ in range(2):
        to = stack.tel()
        stack.start(to)
        events.append(stack.ops("explain", to, "--json").data["events"][0]["event"]["event_id"])
    link = _shared(person, events[0])
    until = int(re.search(r"until=(\d+)", link)[1])
    for changed in (
        link.replace(str(until), str(until + 86_400)),
        link.replace(str(until), str(until - 1)),
        link.replace(str(until), ""),
        link.replace(*(event.rpartition(":")[2] for event in events)),
        link.partition("&proof=")[0],
    ):
        assert changed != link
        assert requests.get(changed, timeout=60).status_code == 404
    assert requests.get(link, timeout=60).status_code == 200


def test_a_page_that_is_asked_for_under_a_foreign_name_is_refused(person):
    own = requests.get(f"{person.url}/inbox", timeout=60)
    foreign = requests.get(f"{person.url}/inbox", headers={"host": "evil.example"}, timeout=60)
    assert (own.status_code, foreign.status_code) == (401, 421)


def test_an_effect_is_not_settled_without_a_reason(stack, person):
    _, action = _effect_of_unknown_outcome(stack)
    person.opens(f"/unknown/one?key={action}")
    address, fields = person.form("Leave it")
    own = {"origin": person.url, "sec-fetch-site": "same-origin"}
    for reason in ("", "   "):
        posted = person.context.request.post(
            address, form={**fields, "reason": reason}, headers=own
        )
        assert posted.status == 400
    assert action in stack.ops("settle").out


def test_what_is_put_off_leaves_the_list_until_then_or_until_the_recipient_writes(stack, person):
    to, conversation = _taken(stack, person)
    seen = []
    for ends in (lambda: stack.forward(minutes=61), lambda: stack.says(to, "Still there?")):
        person.opens(f"/conversations/{conversation}")
        person.presses("Put off")
        person.opens("/inbox")
        seen.append(person.lists(conversation))
        ends()
        person.opens("/inbox")
        seen.append(person.lists(conversation))
    assert seen == [False, True, False, True]


def test_a_click_on_a_page_that_is_older_than_the_recipients_words_does_nothing(stack, person):
    to, conversation = _taken(stack, person)
    before = len(stack.texts_to(to))
    person.opens(f"/conversations/{conversation}")
    stack.says(to, "Never mind, it is solved")
    person.writes("I shall look into it.", beside="Send")
    person.presses("Send")
    stack.settle()
    assert len(stack.texts_to(to)) == before
    assert "I shall look into it." in person.page.content()


def _effect_of_unknown_outcome(stack):
    """A text that Twilio answered 500 and did not send: its recipient and its action's key."""
    to = stack.tel()
    stack.twilio.fails(operation="create_message", status=500)
    request_id = stack.start(to).json()["request_id"]
    told = stack.ops("explain", f"{FIRST.id}#{request_id}", "--json").data
    return to, told["events"][0]["actions"][0]["event_id"]


def _held(stack, **changes):
    """An opening that waits for approval: its recipient and its conversation."""
    to, held = stack.tel(), stack.put_project(auto_queue_initial_message=True)
    stack.start(to, of=held, **changes)
    return to, _waiting(stack, held)


def _waiting(stack, company):
    """The conversation of a project that waits for a person."""
    listed = stack.ops("handoff", "list", "--json").data
    return next(row["id"] for row in listed if row["project"] == company.project)


def _counted(person, *names):
    """The overview's numbers."""
    person.opens("/")
    return [int(re.search(rf"(\d+)\s+{name}", person.reads())[1]) for name in names]


def _shared(person, event):
    """The link to an event's story."""
    person.opens(f"/story?key={event}")
    person.presses("Make a link to this story")
    return re.search(r"http\S+/shared\S+", person.reads())[0]


def _taken(stack, person):
    """A conversation whose recipient asked for a person, who has taken it and has its page open."""
    to, project = stack.tel(), stack.put_project()
    stack.start(to, of=project)
    stack.says(to, "I want to talk to a person")
    conversation = _waiting(stack, project)
    person.opens(f"/conversations/{conversation}")
    person.presses("Take")
    return to, conversation
