"""What is known beside a conversation's messages."""

from datetime import timedelta

from chalicelib.outreach.conversations.called_tools import ToolCall
from console.dossier import dossier


def of(desk, record):
    return dossier(desk.conversations, desk.conversations.reread(record), desk.clock.now())


def test_of_a_stranger_nothing_is_recorded(desk):
    found = of(desk, desk.begun())
    assert (found.forbidden, found.consents, found.refusals, found.wishes) == ("", [], [], [])


def test_what_a_start_states_is_shown_as_its_statement_and_is_no_recorded_consent(desk):
    said = {"comms_consent_at": "2026-11-20T08:59:00.000Z", "comms_consent_source": "form /apply"}
    found = of(desk, desk.begun(comms_consent=True, **said))
    assert [(statement.given_at, statement.words) for statement in found.stated] == [
        tuple(said.values())
    ]
    assert found.consents == []
    assert of(desk, desk.begun("req2", comms_consent=False)).stated == []


def test_a_statement_for_the_first_channel_is_none_for_the_next_one(desk):
    record = desk.begun(comms_consent=True, continues={"tried": ["whatsapp"]})
    assert of(desk, record).stated == []


def test_a_stop_forbids_and_its_words_are_the_evidence(desk):
    record = desk.says(desk.begun(), "STOP")
    found = of(desk, record)
    assert found.forbidden
    assert [refusal.words for refusal in found.refusals] == [found.forbidden]
    assert "STOP" in [proof.said for proof in found.evidence]


def test_a_wish_about_hours_is_said_in_words(desk):
    record = desk.says(desk.begun(), "Please only text me after 5pm")
    assert any("17:00" in wish for wish in of(desk, record).wishes)


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
