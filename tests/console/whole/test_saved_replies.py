"""Saved replies: written by a company's leads, filled in its conversations, and no gap is ever sent."""

import html
import re

import pytest

from console.pages import saved_replies
from tests.rigs.console import fields, words_of
from tests.rigs.desk import OTHERS, OURS

PAGE = "/saved-replies"
TEXT = "Hello {customer_name}, your order {order.number} is at {place}."
GAP = "\u27e6place\u27e7"


class Lead:
    """A person who writes saved replies by the forms of the page."""

    def __init__(self, console, who="lea", company=""):
        self.browser = console.browser(who)
        self.path = f"{PAGE}?company={company}" if company else PAGE

    def form(self, button, name=""):
        page = self.browser.get(self.path)
        for action, body in re.findall(
            r'<form method="post" action="([^"]+)"[^>]*>(.*?)</form>', page.text, re.DOTALL
        ):
            found = dict(re.findall(r'name="(\w+)" value="([^"]*)"', body))
            if f">{button}<" in body and name in html.unescape(body):
                return action, {field: html.unescape(value) for field, value in found.items()}
        raise AssertionError(f"no form {button} of {name}")

    def post(self, button, of="", **given):
        action, hidden = self.form(button, of)
        return self.browser.post(action, {**hidden, "reason": "asked for", **given})

    def add(self, name="Where it is", text=TEXT, **given):
        return self.post("Add", name=name, text=text, **given)


@pytest.fixture
def lea(desk_console):
    return Lead(desk_console)


@pytest.fixture
def mine(desk):
    """A conversation that sam has."""
    record = desk.handed_off(project_data={"order": {"number": 1042}})
    desk.act("take", record, by="sam@example.com")
    return record


def kept(console, company=OURS):
    place = saved_replies.place_of(company)
    (shelf,) = console.desk.conversations.shelves([place])
    return {reply.name: reply.holds["text"] for reply in shelf.by_name}


def reply_form(page):
    """The hidden fields and the written text of the reply box."""
    form = next(
        form
        for form in re.findall(r"<form.*?</form>", page, re.DOTALL)
        if 'action="/conv' in form and "/reply" in form
    )
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
    (written,) = re.findall(r"<textarea[^>]*>(.*?)</textarea>", form, re.DOTALL)
    offered = {name: value for value, name in re.findall(r'<option value="([^"]+)">([^<]+)<', form)}
    return hidden, html.unescape(written), offered


def insert(browser, record, name="Where it is", text=""):
    path = f"/conversations/{record.opaque_id}"
    hidden, _, offered = reply_form(browser.get(path).text)
    return browser.post(f"{path}/saved-reply", {**hidden, "text": text, "saved": offered[name]})


def test_a_lead_adds_changes_and_removes_one_and_the_journal_has_why(desk_console, desk, lea):
    assert lea.add().status_code == 303
    assert kept(desk_console) == {"Where it is": TEXT}
    changed = lea.post("Change", "Where it is", name="Place", text="At {place}.")
    assert changed.status_code == 303
    assert kept(desk_console) == {"Place": "At {place}."}
    assert lea.post("Remove", "Place", reason="We have moved").status_code == 303
    assert kept(desk_console) == {}
    entered = [
        (entry["action_type"], entry["result"], entry["actor"], entry["reason"])
        for entry in desk.journal.story(f"company:{OURS}")
    ]
    assert [entry[1] for entry in entered] == ["added", "changed", "removed"]
    saw = [entry["action_payload_redacted"] for entry in desk.journal.story(f"company:{OURS}")]
    assert saw == [f'{{"reply": "{name}"}}' for name in ("Where it is", "Place", "Place")]
    assert entered[-1] == ("saved reply", "removed", "lea@example.com", "We have moved")


def test_one_that_is_removed_twice_is_removed_once(desk, lea):
    lea.add()
    action, hidden = lea.form("Remove", "Where it is")
    given = {**hidden, "reason": "moved"}
    assert [lea.browser.post(action, given).status_code for _ in range(2)] == [303, 303]
    assert [entry["result"] for entry in desk.journal.story(f"company:{OURS}")] == [
        "added",
        "removed",
    ]


def test_a_form_that_is_posted_twice_adds_once(desk_console, lea):
    action, hidden = lea.form("Add")
    given = {**hidden, "reason": "asked for", "name": "Where it is", "text": TEXT}
    assert [lea.browser.post(action, given).status_code for _ in range(2)] == [303, 303]
    assert kept(desk_console) == {"Where it is": TEXT}


@pytest.mark.parametrize(
    ("given", "field", "status"),
    [
        ({"name": " "}, "name", 400),
        ({"name": "x" * 61}, "name", 400),
        ({"text": " "}, "text", 400),
        ({"text": "Hello {secret name}"}, "text", 400),
        ({"text": "x" * 1_601}, "text", 400),
        ({"reason": " "}, "reason", 400),
        ({"once": "guessed"}, "once", 400),
        ({"name": "WHERE it is"}, "name", 409),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_kept(desk_console, lea, given, field, status):
    lea.add()
    answer = lea.add(**{"name": "Another", "text": "Hello", **given})
    assert answer.status_code == status
    assert f"{field}:" in answer.text
    assert list(kept(desk_console)) == ["Where it is"]


def test_what_was_written_is_in_the_form_that_comes_back(lea):
    answer = lea.add(text="Hello {", reason="Because")
    assert "Hello {</textarea>" in answer.text
    assert 'value="Because"' in answer.text


def test_a_full_list_says_so(desk_console, lea, monkeypatch):
    monkeypatch.setattr(saved_replies, "MOST", 1)
    action, hidden = lea.form("Add")
    lea.add()
    late = lea.browser.post(
        action, {**hidden, "once": "another-form-1", "reason": "r", "name": "More", "text": "More"}
    )
    assert late.status_code == 409
    assert "at most" in late.text
    assert list(kept(desk_console)) == ["Where it is"]


def test_of_two_who_change_one_the_slower_reads_how_it_is_now(desk_console, desk, lea):
    lea.add()
    action, slower = lea.form("Change", "Where it is")
    lea.post("Change", "Where it is", name="Place", text="At {place}.")
    late = lea.browser.post(action, {**slower, "reason": "r", "name": "Where", "text": "There."})
    assert late.status_code == 409
    assert "changed or removed it meanwhile" in late.text
    assert kept(desk_console) == {"Place": "At {place}."}


def test_a_saved_reply_is_filled_in_the_box_behind_what_was_written(desk_console, lea, mine):
    lea.add()
    sam = desk_console.browser("sam")
    answer = insert(sam, mine, text="Good morning!")
    _, written, _ = reply_form(answer.text)
    assert written == f"Good morning!\n\nHello Jo, your order 1042 is at {GAP}."
    assert "Write what belongs there before you send: place" in words_of(answer)


def test_a_gap_is_never_sent_and_the_filled_text_is(desk_console, desk, lea, mine):
    lea.add()
    sam = desk_console.browser("sam")
    hidden, written, _ = reply_form(insert(sam, mine).text)
    path = f"/conversations/{mine.opaque_id}/reply"
    for text in (written, written.replace("\u27e7", ""), written.replace("\u27e6", "")):
        refused = sam.post(path, {**hidden, "text": text})
        assert refused.status_code == 400
        assert reply_form(refused.text)[1] == text, "what was written is kept"
    desk.work()
    assert desk.sent() == []
    assert sam.post(path, {**hidden, "text": written.replace(GAP, "the depot")}).status_code == 303
    desk.work()
    assert desk.sent() == ["Hello Jo, your order 1042 is at the depot."]


def test_inserting_changes_and_sends_nothing(desk_console, desk, lea, mine):
    lea.add()
    before = desk.conversations.reread(mine).item
    insert(desk_console.browser("sam"), mine)
    desk.work()
    assert desk.conversations.reread(mine).item == before
    assert desk.sent() == []


def test_one_that_was_removed_meanwhile_leaves_what_was_written(desk_console, lea, mine):
    lea.add()
    sam = desk_console.browser("sam")
    path = f"/conversations/{mine.opaque_id}"
    hidden, _, offered = reply_form(sam.get(path).text)
    lea.post("Remove", "Where it is")
    late = sam.post(
        f"{path}/saved-reply", {**hidden, "text": "Good morning!", "saved": offered["Where it is"]}
    )
    assert late.status_code == 409
    assert "not there any more" in late.text
    assert reply_form(late.text)[1] == "Good morning!"


def test_who_does_not_have_the_conversation_is_offered_none(desk_console, desk, lea):
    lea.add()
    record = desk.handed_off()
    assert (
        "Saved reply"
        not in desk_console.browser("sam").get(f"/conversations/{record.opaque_id}").text
    )


# --- whose they are ---------------------------------------------------------------------------------


def test_another_companys_replies_are_not_there(desk_console, desk, lea, mine):
    zoe = Lead(desk_console, "zoe")
    zoe.add("Theirs", "Ours alone")
    (theirs,) = desk_console.desk.conversations.shelves([saved_replies.place_of(OTHERS)])[0].things
    lea.add()
    assert "Theirs" not in lea.browser.get(PAGE).text
    _, hidden = lea.form("Add")
    given = {**hidden, "reason": "r", "name": "Mine", "text": "Mine", "id": theirs}
    for path in (PAGE, f"{PAGE}/change", f"{PAGE}/remove"):
        assert lea.browser.post(path, {**given, "company": OTHERS}).status_code == 404
    assert lea.browser.get(f"{PAGE}?company={OTHERS}").status_code == 404
    assert kept(desk_console, OTHERS) == {"Theirs": "Ours alone"}
    sam, path = desk_console.browser("sam"), f"/conversations/{mine.opaque_id}"
    hidden, _, offered = reply_form(sam.get(path).text)
    assert list(offered) == ["Where it is"]
    assert sam.post(f"{path}/saved-reply", {**hidden, "saved": theirs}).status_code == 409
    foreign = desk.begun("req9", company_id=OTHERS)
    answer = sam.post(f"/conversations/{foreign.opaque_id}/saved-reply", {"saved": theirs})
    assert answer.status_code == 404


def test_an_agent_writes_none(desk_console, lea):
    lea.add()
    _, hidden = lea.form("Change", "Where it is")
    sam = desk_console.browser("sam")
    given = {**hidden, "token": "form-token-of-sam", "name": "x", "text": "x", "reason": "r"}
    assert sam.get(PAGE).status_code == 403
    for path in (PAGE, f"{PAGE}/change", f"{PAGE}/remove"):
        assert sam.post(path, given).status_code == 403
    assert kept(desk_console) == {"Where it is": TEXT}


def test_an_operator_writes_those_of_any_company_that_is_stored(desk_console):
    oda = Lead(desk_console, "oda", OURS)
    assert oda.browser.get(oda.path).status_code == 404
    services = desk_console.services
    services.table(services.settings.company_data_table).put(
        {"company_id": OURS, "project_id": "pi-aaa-001"}
    )
    assert "Company's id" in oda.browser.text(PAGE)
    assert oda.add().status_code == 303
    assert kept(desk_console) == {"Where it is": TEXT}


def test_hostile_text_is_shown_as_text(desk_console, lea, mine):
    hostile = "<script>alert(1)</script> </textarea> \u202e"
    lea.add(hostile[:20], hostile)
    assert "<script>alert" not in lea.browser.get(PAGE).text
    answer = insert(desk_console.browser("sam"), mine, html.escape(hostile[:20]))
    assert "<script>alert" not in answer.text
    assert fields(answer, version=reply_form(answer.text)[0]["version"])
