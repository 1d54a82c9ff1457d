"""What persons say of an answer that was wrong is a label without a text, and reaches a report once."""

import pytest

from ops.companies import false_stops
from ops.repair import wrong_answer
from ops.session import OpsError, OvertakenError
from ops.support import labels
from tests.rigs.conversation_samples import new
from tests.rigs.ledger import KEY, MODES, facts
from tests.rigs.ops_session import session as offline_session


@pytest.fixture
def session():
    made = offline_session()
    made.services.ledger.claim(facts(), MODES, lease_seconds=250, takeover=frozenset())
    return made


def decided(session, event=KEY):
    table = session.services.table(session.services.settings.state_table)
    ends = int(session.services.clock.now().timestamp()) + 60
    decision = {"event": event, "decision": "answer", "at": "2026-11-20T09:00:00.000Z"}
    table.put(
        {"conversation_id": "1042", "expires_at": ends, "version": 1, "decisions": [decision]}
    )


def test_the_decision_of_a_tickets_message_gets_the_label_that_the_report_counts(session):
    decided(session)
    assert wrong_answer.store_mistake(session, KEY, "wrong_order") == "shadow-report"
    state = session.services.support.state.read("1042")
    assert labels.of_event(state.labels, KEY) == "wrong_order"
    (entry,) = session.services.journal.story("1042")
    assert (entry["action_type"], entry["result"]) == ("wrong-answer", "wrong_order")


def test_without_a_decision_the_journal_has_it_alone(session):
    assert wrong_answer.store_mistake(session, KEY, "wrong_order") == "journal"
    assert len(session.services.journal.story("1042")) == 1


def test_it_is_said_once(session):
    wrong_answer.store_mistake(session, KEY, "wrong_order")
    with pytest.raises(OvertakenError):
        wrong_answer.store_mistake(session, KEY, "wrong_team")
    assert len(session.services.journal.story("1042")) == 1


@pytest.mark.parametrize(
    ("event", "code"),
    [(KEY, "wrong_tone"), (KEY, "anything"), ("evt:none", "wrong_order")],
)
def test_what_it_cannot_be_is_refused_and_nothing_is_kept(session, event, code):
    with pytest.raises(OpsError):
        wrong_answer.store_mistake(session, event, code)
    assert session.services.journal.story("1042") == []


def test_no_machine_answers_a_notice_or_a_persons_act():
    assert not wrong_answer.codes_of("evt:rp:1042:n:1")
    assert not wrong_answer.codes_of("evt:desk:1")
    assert wrong_answer.codes_of("evt:reply:sms:SM1") == wrong_answer.OF_CONVERSATIONS


def test_what_a_conversations_answers_were_is_counted_by_project(session):
    conversations = session.services.outreach.conversations
    record = conversations.open(new()).record
    row = session.ledger_table.get({"event_id": KEY})
    event = {"event_id": "evt:reply:sms:SM1", "conversation_id": record.opaque_id}
    session.ledger_table.put({**row, **event})
    assert wrong_answer.store_mistake(session, event["event_id"], "wrong_tone") == "writer wrong"
    (found,) = false_stops.said_wrong(session, record.company_id)
    assert found == {"project": record.project_id, "code": "wrong_tone", "answers": 1}
    assert false_stops.said_wrong(session, record.company_id, "another") == []
