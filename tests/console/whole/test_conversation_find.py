"""Find for who answers: by what a customer names, in the own companies alone, and in no address."""

import json

import pytest

from chalicelib.outreach import keys as outreach_keys
from console import own_conversations
from console.rights import Person, Role
from tests.rigs import console as rig
from tests.rigs.console import words_of
from tests.rigs.desk import OTHERS, OURS, TEL

PAGE = "/inbox/find"
NONE = "No conversation of your companies matches."
SECOND = "+15550100002"


@pytest.fixture
def sam(desk_console):
    return desk_console.browser("sam")


@pytest.fixture
def record(desk):
    return desk.handed_off(
        recipient_first_name="Amara",
        recipient_email="amara@example.com",
        project_data={"order": {"number": "A-1042"}, "count": 3},
    )


def find(browser, text):
    return browser.post(PAGE, {"q": text})


def started(console, record, request_id="req1"):
    """The start's row, by which a request's id leads to its conversation."""
    key = outreach_keys.start(record.company_id, request_id)
    console.session.ledger_table.put({"event_id": key, "conversation_id": record.opaque_id})


@pytest.mark.parametrize(
    "text",
    [
        TEL,
        "+1 (555) 010-0001",
        "Amara",
        " amara ",
        "Ama",
        "A-1042",
        "#a-1042",
        "req1",
        f"{OURS}#req1",
    ],
)
def test_one_conversation_that_is_named_is_opened(desk_console, sam, record, text):
    started(desk_console, record)
    answer = find(sam, text)
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/conversations/{record.opaque_id}"


def test_a_conversation_is_found_by_its_id(sam, record):
    assert find(sam, record.opaque_id).headers["location"].endswith(record.opaque_id)


def test_an_address_finds_what_is_in_no_list(desk, sam):
    """A conversation that automation has is in no list, and is found by its key all the same."""
    record = desk.begun()
    assert find(sam, TEL).headers["location"].endswith(record.opaque_id)


def test_several_are_listed_and_the_list_opens_them(desk, sam, record):
    other = desk.handed_off("req2", tel=SECOND, recipient_first_name="Amarachi")
    answer = find(sam, "amara")
    assert answer.status_code == 200
    for conversation in (record, other):
        assert f'href="/conversations/{conversation.opaque_id}"' in answer.text
    assert "There may be more" not in answer.text


def test_what_is_another_companys_is_as_if_it_did_not_exist(desk_console, desk, sam):
    theirs = desk.begun("req9", company_id=OTHERS, tel=SECOND, recipient_first_name="Amara")
    theirs = desk.says(theirs, "I want to talk to a human")
    started(desk_console, theirs, "req9")
    nothing = find(sam, "no such thing")
    assert (nothing.status_code, NONE in nothing.text) == (404, True)
    for text in (SECOND, "Amara", "req9", f"{OTHERS}#req9", theirs.opaque_id):
        answer = find(sam, text)
        assert (answer.status_code, words_of(answer)) == (404, words_of(nothing)), text
        assert find(desk_console.browser("zoe"), text).status_code == 303, text


def test_of_one_address_each_company_sees_its_own_conversation(desk_console, desk, record):
    theirs = desk.begun("req9", company_id=OTHERS)
    assert find(desk_console.browser("sam"), TEL).headers["location"].endswith(record.opaque_id)
    assert find(desk_console.browser("zoe"), TEL).headers["location"].endswith(theirs.opaque_id)


def test_what_is_looked_for_is_in_no_address_on_no_page_and_in_no_journal(desk, sam, record):
    desk.handed_off("req2", tel=SECOND)
    for text in ("+15550100009", "amara@example.com", "No Such"):
        answer = find(sam, text)
        assert text not in answer.text
        assert text not in answer.headers.get("location", "")
    assert sam.get(f"{PAGE}?q=Amara").status_code == 200
    assert record.opaque_id not in sam.get(f"{PAGE}?q=Amara").text, "an address asks nothing"
    entries = desk.journal.story("inbox:find")
    assert "+15550100009" not in str(entries)
    assert "amara@" not in str(entries)


def test_the_journal_has_who_looked_and_what_was_shown(desk, sam, record):
    find(sam, "Amara")
    (entry,) = desk.journal.story("inbox:find")
    assert (entry["action_type"], entry["actor"]) == ("find view", "sam@example.com")
    saw = json.loads(entry["action_payload_redacted"])
    assert saw == {"shown": 1, "conversations": [record.opaque_id]}


def test_who_sees_every_company_finds_in_all(desk_console, desk, record, monkeypatch):
    everybody = Person("ola@example.com", frozenset({Role.OPERATOR, Role.LEAD}), None, None, None)
    monkeypatch.setattr(rig, "PEOPLE", {**rig.PEOPLE, "ola": everybody})
    theirs = desk.begun("req9", company_id=OTHERS, tel=SECOND, recipient_first_name="Amara")
    desk.says(theirs, "I want to talk to a human")
    answer = find(desk_console.browser("ola"), "Amara")
    assert record.opaque_id in answer.text
    assert theirs.opaque_id in answer.text


def test_more_than_are_shown_says_so(desk, sam, record, monkeypatch):
    monkeypatch.setattr(own_conversations, "MOST_FOUND", 1)
    desk.handed_off("req2", tel=SECOND, recipient_first_name="Amara")
    answer = find(sam, "Amara")
    assert answer.status_code == 200
    assert "There may be more" in answer.text


def test_a_list_that_is_not_looked_through_says_so(desk, sam, record, monkeypatch):
    monkeypatch.setattr(own_conversations, "LOOKED_THROUGH", 1)
    monkeypatch.setattr(own_conversations, "_AT_ONCE", 1)
    desk.handed_off("req2", tel=SECOND, recipient_first_name="Jo")
    answer = find(sam, "Jo")
    assert answer.status_code == 404
    assert "There may be more" in answer.text


@pytest.mark.parametrize("text", ["", "   ", "x" * 321])
def test_a_wrong_text_is_refused_by_the_fields_name(sam, text):
    answer = find(sam, text)
    assert answer.status_code == 400
    assert "q:" in answer.text
    assert "xxx" not in answer.text


def test_the_bar_finds_conversations_for_who_sees_no_operators_page(desk_console):
    assert 'action="/inbox/find"' in desk_console.browser("sam").get("/inbox").text
    assert 'action="/inbox/find"' not in desk_console.browser("oda").get("/incidents").text
    assert desk_console.browser("oda").get(PAGE).status_code == 403
