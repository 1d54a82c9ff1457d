"""Inbox and conversation: every act once, on what was seen, by whom it belongs to."""

import html
import re
import unicodedata

import pytest

from chalicelib.outreach.desk.acts import ACTS
from console.rights import Person, Role
from tests.rigs import console as rig
from tests.rigs.days_life import opened
from tests.rigs.desk import OTHERS, OURS
from tests.rigs.names import NAMES

HELD = "Thank you for your message. ci-aaa-001 has noted it and will come back to you."


def held(desk, request_id="req1", **more):
    record = desk.begun(request_id, auto_queue_reply_message=True, **more)
    return desk.says(record, "Tell me more")


def forms(page, act):
    """The hidden fields of a page's form for an act."""
    for action, body in re.findall(
        r'<form method="post" action="([^"]+)"[^>]*>(.*?)</form>', page, re.DOTALL
    ):
        if action.endswith(f"/{act}"):
            return action, dict(re.findall(r'name="(\w+)" value="([^"]*)"', body))
    raise AssertionError(f"no form for {act}")


class Reader:
    """A person who reads a conversation and posts the forms of the page that was shown."""

    def __init__(self, console, who, record):
        self.browser, self.clock = console.browser(who), console.desk.clock
        self.path = f"/conversations/{record.opaque_id}"
        self.load()

    def load(self):
        answer = self.browser.get(self.path)
        self.status, self.page = answer.status_code, answer.text

    def act(self, act, **fields):
        """Post the form that the page shows, a second later."""
        self.clock.forward(1)
        action, hidden = forms(self.page, act)
        return self.browser.post(action, {**hidden, **fields})


def test_an_agent_takes_answers_and_gives_back_and_the_journal_names_the_agent(desk_console, desk):
    record = desk.handed_off()
    sam = Reader(desk_console, "sam", record)
    assert sam.act("take").status_code == 303
    sam.load()
    assert "You have it." in sam.page
    assert sam.act("reply", text="It is me, Sam.").status_code == 303
    desk.work()
    assert desk.sent() == ["It is me, Sam."]
    sam.load()
    after = sam.act("give_back", hint="Call at nine").headers["location"]
    assert after == f"/inbox?did={record.opaque_id}"
    assert "Automation has the conversation again." in sam.browser.get(after).text
    assert (
        "Automation has the conversation again." not in desk_console.browser("lea").get(after).text
    )
    desk.work()
    acts = [
        (entry["action_type"], entry["actor"])
        for entry in desk.journal.story(record.opaque_id)
        if entry["action_type"].startswith("handoff")
    ]
    names = ("take", "reply", "give_back")
    assert acts == [(f"handoff {name}", "sam@example.com") for name in names]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("name", NAMES)
def test_a_person_works_under_the_name_that_their_sign_in_has(
    desk_console, desk, monkeypatch, name, form
):
    signed_in = unicodedata.normalize(form, name)
    someone = Person(signed_in, frozenset({Role.AGENT}), frozenset({OURS}))
    monkeypatch.setattr(rig, "PEOPLE", {**rig.PEOPLE, "someone": someone})
    desk_console.signs_in("someone")
    record = desk.handed_off()
    own = Reader(desk_console, "someone", record)
    assert own.act("take").status_code == 303
    own.load()
    assert "You have it." in own.page
    assert name in html.unescape(own.browser.get("/inbox?state=mine").text)
    assert own.act("reply", text="It is me.").status_code == 303
    own.load()
    assert own.act("transfer", to="kim@example.com").status_code == 303
    kim = Reader(desk_console, "kim", record)
    assert kim.act("transfer", to=signed_in).status_code == 303
    kim.load()
    assert f"{name} (not proven) has it." in html.unescape(kim.page)
    if "<" in name:
        assert name not in kim.page


FIELDS = {
    "reply": {"text": "It is me, Sam."},
    "decline": {"reason": "wrong"},
    "note": {"text": "Called before"},
    "transfer": {"to": "lea@example.com"},
    "put_back": {},
    "give_back": {"hint": "Call at nine"},
    "close": {"reason": "solved"},
    "snooze": {},
    "stop": {"reason": "They meant it"},
    "not_stop": {"reason": "They asked who we are"},
}
"""What a person writes for an act; an act that is missing here needs nothing."""
OF_HELD = ("approve", "decline")
"""Acts on a held message, which no person needs to have taken."""


def open_for(console, desk, act):
    """Two persons' pages of a conversation on which an act may be done: who has it, and the lead."""
    if act in OF_HELD:
        record = held(desk)
    else:
        record = desk.handed_off()
        if act not in ("take", "note"):
            desk.act("take", record, by="sam@example.com")
    if act == "not_stop":
        desk.in_doubt(record)
    return record, Reader(console, "sam", record), Reader(console, "lea", record)


def entered(desk, record, act):
    """Who did an act, by the journal."""
    entries = desk.journal.story(record.opaque_id)
    return [entry["actor"] for entry in entries if entry["action_type"] == f"handoff {act}"]


def until(page):
    """The first time of the list by which a conversation is put off."""
    return re.search(r'<option value="(\d[^"]+)">in an hour', page)[1]


def test_every_act_of_the_desk_is_tested():
    assert {"take", "approve", *FIELDS} == set(ACTS)


@pytest.mark.parametrize("act", ACTS)
def test_a_form_that_is_posted_twice_acts_once(desk_console, desk, act):
    record, sam, _ = open_for(desk_console, desk, act)
    fields = dict(FIELDS.get(act, {}))
    if act == "snooze":
        fields["until"] = until(sam.page)
    first, again = sam.act(act, **fields), sam.act(act, **fields)
    assert (first.status_code, again.status_code) == (303, 303)
    desk.work()
    assert [actor for actor in entered(desk, record, act) if actor == "sam@example.com"] == [
        "sam@example.com"
    ]
    assert len(desk.sent()) == (act in ("approve", "reply"))


@pytest.mark.parametrize("act", ACTS)
def test_of_two_persons_who_do_the_same_the_slower_changes_nothing(desk_console, desk, act):
    record, sam, lea = open_for(desk_console, desk, act)
    fields = dict(FIELDS.get(act, {}))
    if act == "snooze":
        fields["until"] = until(sam.page)
    assert sam.act(act, **fields).status_code == 303
    if act in ("take", "note", *OF_HELD):
        late = lea.act(act, **fields)
    else:  # a form that the lead's page does not offer, sent all the same
        _, hidden = forms(lea.page, "note")
        late = lea.browser.post(f"{lea.path}/{act}", {**hidden, **fields})
    assert late.status_code == 409
    assert "sam@example.com was faster" in late.text
    assert entered(desk, record, act)[-1] == "sam@example.com"
    desk.work()
    assert len(desk.sent()) == (act in ("approve", "reply"))


@pytest.mark.parametrize("act", ["approve", "take", "decline", "close_by_other"])
def test_a_stale_click_sends_nothing_and_says_who_was_faster(desk_console, desk, act):
    record = held(desk)
    sam, kim = Reader(desk_console, "sam", record), Reader(desk_console, "kim", record)
    assert kim.act("take").status_code == 303
    late = sam.act("approve" if act == "close_by_other" else act, reason="wrong")
    assert late.status_code == 409
    assert "kim@example.com was faster (take)" in late.text
    desk.work()
    assert desk.sent() == []


def test_what_a_person_wrote_is_kept_when_another_was_faster(desk_console, desk):
    record = desk.handed_off()
    sam = Reader(desk_console, "sam", record)
    sam.act("take")
    sam.load()
    lea = Reader(desk_console, "lea", record)
    lea.act("take")
    late = sam.act("reply", text="A long answer")
    assert (late.status_code, desk.sent()) == (409, [])
    assert "lea@example.com was faster" in late.text
    assert "A long answer" in late.text


def test_who_was_faster_than_oneself_in_another_tab_is_not_somebody(desk_console, desk):
    """The same again is sent already and leaves the box; other words are kept, and are not sent."""
    record = desk.handed_off()
    desk.act("take", record, by="sam@example.com")
    tabs = [Reader(desk_console, "sam", record) for _ in range(3)]
    assert tabs[0].act("reply", text="It is me.").status_code == 303
    same, other = tabs[1].act("reply", text="It is me."), tabs[2].act("reply", text="Also this")
    assert (same.status_code, other.status_code) == (409, 409)
    assert "You have sent this already; nothing was sent a second time." in same.text
    assert "which was not sent" not in same.text
    assert "you have acted yourself since this page was read (reply)" in other.text
    assert "Also this" in other.text
    for page in (same.text, other.text):
        assert "faster" not in page
        assert "Your reply is on its way." not in page
    desk.work()
    assert desk.sent() == ["It is me."]


def test_other_words_in_a_form_that_was_sent_are_kept_and_not_sent(desk_console, desk):
    record = desk.handed_off()
    desk.act("take", record, by="sam@example.com")
    sam = Reader(desk_console, "sam", record)
    assert sam.act("reply", text="It is me.").status_code == 303
    again = sam.act("reply", text="It is me, Sam.")
    assert again.status_code == 409
    assert "This form was sent already; what you changed since was not sent." in again.text
    assert "It is me, Sam." in again.text
    desk.work()
    assert desk.sent() == ["It is me."]


def test_an_edit_that_was_looked_at_twice_is_sent_once(desk_console, desk):
    """Back from the difference, and on again: both pages are of one form."""
    record = held(desk)
    sam = Reader(desk_console, "sam", record)
    action, hidden = forms(sam.page, "compare")
    seen = [sam.browser.post(action, {**hidden, "text": "Thank you."}).text for _ in range(2)]
    sent = []
    for page in seen:
        to, fields = forms(page, "approve")
        sent.append(sam.browser.post(to, {**fields, "text": "Thank you."}).status_code)
    desk.work()
    assert (sent, desk.sent()) == ([303, 303], ["Thank you."])


@pytest.mark.parametrize(
    ("act", "field", "text", "said"),
    [
        ("reply", "text", "a" * 1_601, "“Your reply” is longer than 1,600 characters."),
        ("reply", "text", "a" * 20_001, "“Your reply” is longer than 20,000 characters."),
        ("reply", "text", "  ", "“Your reply” is empty."),
        ("note", "text", "", "“A note for colleagues, never sent” is empty."),
        ("close", "reason", "a" * 301, "“Why” is longer than 300 characters."),
    ],
)
def test_a_refusal_names_the_field_as_the_page_does(desk_console, desk, act, field, text, said):
    record = desk.handed_off()
    desk.act("take", record, by="sam@example.com")
    sam = Reader(desk_console, "sam", record)
    answer = sam.act(act, **{field: text})
    assert answer.status_code == 400
    assert said in answer.text
    assert "field " not in answer.text


def test_an_edit_is_shown_as_a_difference_and_sent_as_edited(desk_console, desk):
    record = held(desk)
    sam = Reader(desk_console, "sam", record)
    action, hidden = forms(sam.page, "compare")
    shown = sam.browser.post(action, {**hidden, "text": "Thank you.\nSam"})
    assert re.search(r"Thank you<del>[^<]*</del>", shown.text)
    assert re.search(r"<ins>[^<]*Sam</ins>", shown.text)
    assert desk.sent() == []
    action, hidden = forms(shown.text, "approve")
    assert sam.browser.post(action, {**hidden, "text": "Thank you.\r\nSam"}).status_code == 303
    desk.work()
    assert desk.sent() == ["Thank you.\nSam"]


def test_after_an_act_the_page_says_what_is_true_now(desk_console, desk):
    record = held(desk)
    sam = Reader(desk_console, "sam", record)
    action, hidden = forms(sam.page, "compare")
    shown = sam.browser.post(action, {**hidden, "text": "Thank you, Sam"})
    action, hidden = forms(shown.text, "approve")
    sam.browser.post(action, {**hidden, "text": "Thank you, Sam"})
    sam.load()
    assert "The message is on its way." in sam.page
    assert "not sent" not in sam.page
    for act in ("approve", "compare", "decline", "take"):
        with pytest.raises(AssertionError):
            forms(sam.page, act)
    desk.work()
    sam.load()
    assert "Automation has it." in sam.page
    assert re.search(r'class="turn person".*?Thank you, Sam', sam.page, re.DOTALL)
    desk.clock.forward(180)
    sam.load()
    assert "on its way" not in sam.page


def test_a_release_that_hangs_can_be_asked_for_again(desk_console, desk):
    record = held(desk)
    sam = Reader(desk_console, "sam", record)
    sam.act("approve")
    desk.clock.forward(180)
    sam.load()
    assert sam.act("approve").status_code == 303


def test_a_reply_is_on_its_way_until_it_is_sent(desk_console, desk):
    record = desk.handed_off()
    sam = Reader(desk_console, "sam", record)
    sam.act("take")
    sam.load()
    sam.act("reply", text="It is me, Sam.")
    sam.load()
    assert re.search(r'class="turn person".*?It is me, Sam\..*?On its way', sam.page, re.DOTALL)
    desk.work()
    sam.load()
    assert sam.page.count("It is me, Sam.") == 1
    assert "On its way" not in sam.page


def test_what_the_carrier_reported_is_below_the_message(desk_console, desk):
    record = desk.handed_off()
    desk.act("take", record, by="sam@example.com")
    desk.act("reply", record, by="sam@example.com", text="It is me, Sam.")
    desk.work()
    record = desk.conversations.reread(record)
    sent = next(message.entry_id for message in record.messages if message.by)
    assert "Delivered" not in Reader(desk_console, "sam", record).page
    desk.conversations.note_delivery(record, sent, "delivered", 3)
    page = Reader(desk_console, "sam", record).page
    assert re.search(r"It is me, Sam\..*?Delivered", page, re.DOTALL)


def test_the_data_of_the_opening_is_no_message_of_the_recipient(desk_console, desk):
    record = opened(desk, 40, "Jo", "sms")
    page = Reader(desk_console, "sam", record).page
    assert '<li class="turn theirs">' not in page
    assert "recipient_first_name&#34;:" not in page
    assert '<dt>company</dt><dd dir="auto">Riverside Dental</dd>' in page


def test_another_companys_conversation_is_not_there_for_any_request(desk_console, desk):
    record = held(desk)
    path = f"/conversations/{record.opaque_id}"
    zoe, nothing = desk_console.browser("zoe"), "/conversations/" + "0" * 32
    before = desk.journal.story(record.opaque_id)
    for asked in ("", "/version?seen=x"):
        theirs, none = zoe.get(path + asked), zoe.get(nothing + asked)
        assert (theirs.status_code, theirs.text) == (404, none.text)
    posts = ("take", "approve", "reply", "note", "give_back", "close", "decline", "compare")
    for act in posts:
        assert zoe.post(f"{path}/{act}", {"once": "a" * 16, "text": "x"}).status_code == 404
    assert zoe.get("/inbox?company=ci-aaa-001").status_code == 404
    assert record.opaque_id not in zoe.get("/inbox").text
    assert desk.journal.story(record.opaque_id) == before
    desk.work()
    assert desk.sent() == []


def test_an_operator_without_a_company_sees_no_conversation(desk_console, desk):
    record = held(desk)
    oda = desk_console.browser("oda")
    for path in ("/inbox", f"/conversations/{record.opaque_id}"):
        assert oda.get(path).status_code == 403
    assert (
        oda.post(f"/conversations/{record.opaque_id}/take", {"once": "a" * 16}).status_code == 403
    )


def test_an_agent_cannot_act_on_what_a_colleague_has_and_a_lead_can(desk_console, desk):
    record = desk.handed_off()
    Reader(desk_console, "kim", record).act("take")
    sam = Reader(desk_console, "sam", record)
    with pytest.raises(AssertionError):
        forms(sam.page, "take")
    _, hidden = forms(sam.page, "note")
    assert sam.browser.post(f"{sam.path}/take", hidden).status_code == 409
    assert Reader(desk_console, "lea", record).act("take").status_code == 303


def test_the_list_shows_names_and_last_words_of_the_own_company_and_enters_who_looked(
    desk_console, desk
):
    record, other = held(desk), desk.handed_off("req2", company_id=OTHERS, tel="+15550100002")
    sam = desk_console.browser("sam")
    listed = rig.words_of(sam.get("/inbox"))
    assert "Jo" in listed
    assert "Tell me more" in listed
    assert record.primary_channel not in listed
    assert "human" not in listed, "the other company's"
    assert other.opaque_id not in sam.get("/inbox").text
    looks = desk.journal.story(f"inbox:{OURS}")
    assert [(look["action_type"], look["actor"]) for look in looks] == [
        ("inbox view", "sam@example.com")
    ], "once, while the list renews itself"
    desk.clock.forward(600)
    sam.get("/inbox")
    assert len(desk.journal.story(f"inbox:{OURS}")) == 2


def test_every_look_at_a_conversation_is_entered(desk_console, desk):
    record = held(desk)
    assert desk_console.looks(record) == []
    for who in ("sam", "lea", "sam"):
        assert record.primary_channel in Reader(desk_console, who, record).page
    looks = [f"{who}@example.com" for who in ("sam", "lea", "sam")]
    assert desk_console.looks(record) == looks
    desk_console.browser("sam").get(f"/conversations/{record.opaque_id}/version?seen=x")
    assert desk_console.looks(record) == looks, "it shows nothing of the conversation"


def test_the_list_takes_without_opening_and_the_second_is_told_who_has_it(desk_console, desk):
    record = desk.handed_off()
    sam, kim = desk_console.browser("sam"), desk_console.browser("kim")
    lists = [browser.get("/inbox").text for browser in (sam, kim)]
    answers = [
        browser.post(*forms(page, "take")) for browser, page in zip((sam, kim), lists, strict=True)
    ]
    assert [answer.status_code for answer in answers] == [303, 409]
    assert "another person has the conversation" in answers[1].text
    assert desk.conversations.reread(record).handoff["taken_by"] == "sam@example.com"


def test_an_agent_lands_in_the_inbox(desk_console):
    assert desk_console.browser("sam").get("/").headers["location"] == "/inbox"


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script><img src=x onerror=alert(1)>",
        '"><form action=//evil.example>',
        "=HYPERLINK(1)",
        "pay \u202e001$\u202c now",
        "{{ 7*7 }}",
    ],
)
def test_hostile_text_is_shown_as_text(desk_console, desk, text):
    record = desk.says(desk.begun(recipient_first_name=text), text + " human please, agent")
    desk.act("take", record, by="kim@example.com")
    page = Reader(desk_console, "sam", desk.conversations.reread(record)).page
    for raw in ("<script>alert", "<img src=x", "<form action=//", "\u202e", ">49<"):
        assert raw not in page
    if "\u202e" in text:
        assert "\u27e8U+202E\u27e9" in page


@pytest.mark.parametrize(("states", "said"), [(True, "states consent"), (False, "No consent is")])
def test_the_page_says_what_the_start_states_of_consent(desk_console, desk, states, said):
    record = desk.handed_off(comms_consent=states)
    page = desk_console.browser("sam").text(f"/conversations/{record.opaque_id}")
    assert said in page
    assert ("No consent is recorded for SMS." in page) != states


def test_what_people_did_calls_them_by_name_and_has_their_subject_as_title_alone(
    desk_console, desk, monkeypatch
):
    named = "ana@example.com <00u-ana at http://login.example.com>"
    for person, called in ((named, "ana@example.com"), (named.partition(" ")[2], "00u-ana")):
        record = desk.handed_off(f"req-{called}", tel=f"+1555010{len(called):04}")
        ana = Person(person, frozenset({Role.LEAD}), *[frozenset({OURS})] * 3)
        monkeypatch.setattr(rig, "PEOPLE", {**rig.PEOPLE, "ana": ana})
        reader, late = (Reader(desk_console, who, record) for who in ("ana", "lea"))
        assert reader.act("take").status_code == 303
        assert f"Nothing was done: {called} was faster (take)" in late.act("take").text
        late.load()
        assert f'<bdi title="{html.escape(person)}">{called}</bdi>: take' in late.page
        assert "00u-ana at" not in re.sub(r"<[^>]+>", "", late.page)


@pytest.mark.parametrize("nothing", ["   ", "\u200b\u2060", " \n\u00a0"])
def test_a_message_of_nothing_that_can_be_seen_is_never_sent(desk_console, desk, nothing):
    sent = len(desk.sent())
    sam = Reader(desk_console, "sam", held(desk))
    refused = sam.act("approve", text=nothing)
    assert refused.status_code == 400
    assert "is empty" in rig.words_of(refused)
    desk.work()
    assert not [text for text in desk.sent()[sent:] if "noted it" in str(text)]
