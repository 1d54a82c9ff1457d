"""One act on several conversations: each as if it were done alone, and what was not done says why."""

import re

import pytest

from chalicelib.outreach.desk.undoing import UNDO_FOR
from console.pages.bulk import BULK
from console.pages.outcomes import GONE, MOST
from tests.console.whole.test_conversations import Reader
from tests.rigs.console import fields, words_of
from tests.rigs.desk import OTHERS

KIM, SAM = "kim@example.com", "sam@example.com"


def several(desk, many=3, **more):
    return [
        desk.handed_off(f"req{number}", tel=f"+1555010{number:04}", **more)
        for number in range(1, many + 1)
    ]


class Ticking:
    """A person who reads the inbox, ticks conversations and posts its form."""

    def __init__(self, console, who, path="/inbox"):
        self.browser, self.desk = console.browser(who), console.desk
        self.load(path)

    def load(self, path="/inbox"):
        page = self.browser.get(path).text
        self.ticks = {
            tick.partition("~")[0]: tick
            for tick in re.findall(r'name="pick" value="([^"]+)"', page)
        }
        form = re.search(r'<form id="bulk".*?</form>', page, re.DOTALL)
        self.form = form[0] if form else ""
        self.hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', self.form))

    def act(self, act, records, **more):
        self.desk.clock.forward(1)
        picked = [self.ticks[record.opaque_id] for record in records]
        return self.browser.post("/inbox/acts", {**self.hidden, "act": act, "pick": picked, **more})


def holders(desk, records):
    return [desk.conversations.reread(record).handoff.get("taken_by") for record in records]


def undo_form(answer):
    return {
        **fields(answer, token="form-token-of-sam"),
        "done": re.findall(r'name="done" value="([^"]+)"', answer.text),
    }


def test_the_acts_in_bulk_write_no_message():
    assert {"take", "put_back", "give_back", "close", "transfer"} == set(BULK)


def test_every_act_in_bulk_is_done_to_each_and_undone_by_one_form(desk_console, desk):
    records = several(desk)
    sam = Ticking(desk_console, "sam")
    assert "3 of 3 done" in words_of(sam.act("take", records))
    assert holders(desk, records) == [SAM] * 3
    for act, more, state in (
        ("put_back", {}, "waiting"),
        ("transfer", {"to": KIM}, "taken"),
        ("close", {}, "closed"),
        ("give_back", {}, "given_back"),
    ):
        sam.load()
        done = sam.act(act, records, **more)
        assert "3 of 3 done" in words_of(done), act
        assert {desk.state(record) for record in records} == {state}
        if act == "transfer":
            assert holders(desk, records) == [KIM] * 3
        desk.clock.forward(1)
        undone = sam.browser.post("/inbox/undo", undo_form(done))
        assert "Undo: 3 of 3 done" in words_of(undone)
        assert holders(desk, records) == [SAM] * 3
        assert {desk.state(record) for record in records} == {"taken"}
    desk.work()
    assert desk.sent() == []


def test_each_is_done_under_its_own_condition_and_what_was_not_says_why(desk_console, desk):
    records = several(desk, 4)
    free, kims, written, closed = records
    sam = Ticking(desk_console, "sam")
    desk.act("take", kims, by=KIM)
    desk.says(written, "Hello?")
    desk.act("close", closed, by=KIM)
    done = words_of(sam.act("take", records))
    assert "Take: 1 of 4 done" in done
    assert done.count("Nothing was done:") == 3
    assert f"{KIM} was faster (take)" in done.replace("ci-aaa-001/", "")
    assert holders(desk, [free, kims, written]) == [SAM, KIM, None]
    sam.load()
    assert "another person has the conversation" in words_of(sam.act("put_back", [kims, free]))
    assert holders(desk, [free, kims]) == [None, KIM]


def test_another_companys_conversation_is_as_one_that_does_not_exist(desk_console, desk):
    (mine,) = several(desk, 1)
    theirs = desk.handed_off("req9", company_id=OTHERS, tel="+15550100009")
    sam, zoe = Ticking(desk_console, "sam"), Ticking(desk_console, "zoe")
    sam.ticks |= zoe.ticks
    answer = sam.act("take", [mine, theirs])
    none = sam.browser.post(
        "/inbox/acts", {**sam.hidden, "act": "take", "pick": f"{'0' * 32}~{'0' * 16}"}
    )
    assert "1 of 2 done" in words_of(answer)
    assert words_of(answer).count(f"{theirs.opaque_id[:8]} : {GONE}") == 1
    assert GONE in words_of(none)
    assert holders(desk, [theirs]) == [None]
    assert "alert" not in answer.text


def test_a_form_that_is_posted_twice_acts_once(desk_console, desk):
    records = several(desk)
    sam = Ticking(desk_console, "sam")
    first, again = sam.act("take", records), sam.act("take", records)
    assert words_of(first) == words_of(again)
    for record in records:
        acts = [entry["action_type"] for entry in desk.journal.story(record.opaque_id)]
        assert acts.count("handoff take") == 1


@pytest.mark.parametrize(
    ("given", "status", "said"),
    [
        ({"act": "take", "pick": []}, 400, "pick: tick a conversation"),
        ({"act": "take", "pick": ["x"]}, 400, "pick: the form is not one of ours"),
        ({"act": "reply", "pick": ["a~b"]}, 400, "act: one of take, put_back"),
        ({"act": "transfer", "pick": ["a~b"]}, 400, "to: choose a colleague"),
        ({"act": "take", "pick": ["a~b"] * (MOST + 1)}, 422, "pick: at most 50 at once"),
    ],
)
def test_a_wrong_form_is_refused_by_its_field_and_does_nothing(
    desk_console, desk, given, status, said
):
    (record,) = several(desk, 1)
    sam = Ticking(desk_console, "sam")
    answer = sam.browser.post("/inbox/acts", {**sam.hidden, **given})
    assert (answer.status_code, said in words_of(answer)) == (status, True)
    assert holders(desk, [record]) == [None]


def test_a_tick_of_an_unreadable_version_is_refused(desk_console, desk):
    (record,) = several(desk, 1)
    sam = Ticking(desk_console, "sam")
    sam.ticks[record.opaque_id] = f"{record.opaque_id}~<script>"
    answer = sam.act("take", [record])
    assert "0 of 1 done" in words_of(answer)
    assert "<script>" not in answer.text.replace("<script src", "")
    assert holders(desk, [record]) == [None]


def test_fifty_are_done_at_once(desk_console, desk):
    records = several(desk, MOST)
    sam = Ticking(desk_console, "sam")
    assert f"{MOST} of {MOST} done" in words_of(sam.act("take", records))


def test_handing_over_to_who_is_away_is_asked_once_for_all(desk_console, desk):
    records = several(desk)
    sam = Ticking(desk_console, "sam")
    until = desk.clock.now().replace(year=desk.clock.now().year + 1)
    desk_console.team.mark_away("ci-aaa-001", KIM, until, by=SAM)
    asked = sam.act("transfer", records, to=KIM)
    assert "kim@example.com is away" in words_of(asked)
    assert holders(desk, records) == [None] * 3
    again = {
        **fields(asked, to=KIM),
        "pick": re.findall(r'name="pick" value="([^"]+)"', asked.text),
    }
    assert "3 of 3 done" in words_of(
        sam.browser.post("/inbox/acts", {**again, "though_away": "yes"})
    )
    assert holders(desk, records) == [KIM] * 3


# --- one act, taken back ------------------------------------------------------------------------


def undo_on(page):
    """The form by which the page takes an act back; None where it offers none."""
    found = re.search(r'<form class="undo".*?</form>', page, re.DOTALL)
    return found and dict(re.findall(r'name="(\w+)" value="([^"]*)"', found[0]))


def test_an_own_act_is_taken_back_from_its_page_within_minutes(desk_console, desk):
    (record,) = several(desk, 1)
    sam = Reader(desk_console, "sam", record)
    assert undo_on(sam.page) is None
    sam.act("take")
    sam.load()
    assert "Undo: Take" in sam.page
    assert undo_on(Reader(desk_console, "lea", record).page) is None, "another person's act"
    desk.clock.forward(1)
    answer = sam.browser.post("/inbox/undo", undo_on(sam.page))
    assert (answer.status_code, holders(desk, [record])) == (303, [None])
    sam.load()
    assert "The conversation is as it was before." in sam.page
    assert undo_on(sam.page) is None
    sam.act("take")
    desk.clock.forward(UNDO_FOR.total_seconds())
    sam.load()
    assert undo_on(sam.page) is None


def test_the_last_act_is_taken_back_from_the_inbox(desk_console, desk):
    (record,) = several(desk, 1)
    sam = Reader(desk_console, "sam", record)
    sam.act("take")
    sam.load()
    inbox = sam.browser.get(sam.act("transfer", to=KIM).headers["location"]).text
    assert "Undo: Hand to a colleague" in inbox
    desk.clock.forward(1)
    sam.browser.post("/inbox/undo", undo_on(inbox))
    assert holders(desk, [record]) == [SAM]


def test_once_something_has_happened_nothing_is_taken_back_and_the_page_says_so(desk_console, desk):
    (record,) = several(desk, 1)
    sam = Reader(desk_console, "sam", record)
    sam.act("take")
    sam.load()
    form = undo_on(sam.page)
    desk.says(record, "Hello?")
    answer = sam.browser.post("/inbox/undo", form)
    assert answer.status_code == 409
    assert "Nothing was done: something has happened with it since." in words_of(answer)
    assert holders(desk, [record]) == [SAM]
    sam.load()
    assert undo_on(sam.page) is None


def test_a_reply_is_not_taken_back(desk_console, desk):
    (record,) = several(desk, 1)
    sam = Reader(desk_console, "sam", record)
    sam.act("take")
    sam.load()
    sam.act("reply", text="It is me.")
    sam.load()
    assert undo_on(sam.page) is None


def test_an_undo_of_another_person_or_company_does_nothing(desk_console, desk):
    (record,) = several(desk, 1)
    sam = Reader(desk_console, "sam", record)
    sam.act("take")
    sam.load()
    form = undo_on(sam.page)
    for who, why in (("lea", "nothing of yours"), ("zoe", GONE)):
        answer = desk_console.browser(who).post(
            "/inbox/undo", {**form, "token": f"form-token-of-{who}"}
        )
        assert (answer.status_code, why in words_of(answer)) == (409, True)
    assert holders(desk, [record]) == [SAM]
