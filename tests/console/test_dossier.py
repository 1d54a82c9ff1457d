"""What is known beside a conversation's messages."""

from datetime import timedelta

from chalicelib.outreach.conversations.called_tools import ToolCall
from console.dossier import dossier


def of(desk, record):
    return dossier(desk.conversations, desk.conversations.get(record), desk.clock.now())


def test_of_a_stranger_nothing_is_recorded(desk):
    found = of(desk, desk.begun())
    assert (found.forbidden, found.consents, found.refusals, found.wishes) == ("", [], [], [])


def test_a_stop_forbids_and_its_words_are_the_evidence(desk):
    record = desk.says(desk.begun(), "STOP")
    found = of(desk, record)
    assert found.forbidden
    assert [one.words for one in found.refusals] == [found.forbidden]
    assert "STOP" in [one.said for one in found.evidence]


def test_a_wish_about_hours_is_said_in_words(desk):
    record = desk.says(desk.begun(), "Please only text me after 5pm")
    assert any("17:00" in one for one in of(desk, record).wishes)


def test_calls_of_tools_are_listed_with_their_results(desk):
    record, now = desk.begun(), desk.clock.now()
    for number, tool in enumerate(("book", "cancel")):
        at = now + timedelta(minutes=number)
        call = ToolCall(f"c{number}", f"e{number}", tool, at, at + timedelta(hours=1))
        assert desk.conversations.begin_call(record, call, is_confirmed=False)
    desk.conversations.keep_result(record, "c1", '{"status": "done", "text": "Cancelled"}')
    book, cancel = of(desk, record).calls
    assert (book.tool, book.result) == ("book", "")
    assert (cancel.tool, cancel.outcome, cancel.given["text"]) == ("cancel", "done", "Cancelled")
