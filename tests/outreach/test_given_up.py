"""A start that the queue gives up before its conversation was opened."""

from types import SimpleNamespace

import pytest

from chalicelib.once.flow import Event
from chalicelib.outreach.flow import OutreachFlow
from tests.rigs.ledger import facts


@pytest.mark.parametrize(
    ("key", "freed"), [("evt:start:s1", ["evt:start:s1"]), ("evt:reply:r1", [])]
)
def test_a_start_of_which_nothing_was_opened_frees_its_place(key, freed):
    abandoned = []
    flow = OutreachFlow(
        SimpleNamespace(find=lambda opaque_id: None),
        None,
        SimpleNamespace(abandon=abandoned.append),
        None,
        check_secrets=None,
        message_id_header=None,
        receive_count=lambda: 10,
        processor_version="1",
    )
    assert flow.escalation(Event(facts(key), None), "dead_letter:bug") is None
    assert abandoned == freed


def test_a_resend_that_failed_marks_no_conversation_and_asks_no_person():
    """The operator who asked for it sees what came of it; the conversation itself is unharmed."""
    flow = OutreachFlow(
        SimpleNamespace(find=lambda opaque_id: pytest.fail("it looked at the conversation")),
        None,
        None,
        None,
        check_secrets=None,
        message_id_header=None,
        receive_count=lambda: 10,
        processor_version="1",
    )
    for reason in ("dead_letter:bug", "refused:http_400"):
        assert flow.escalation(Event(facts("evt:start:s1:resend:n1"), None), reason) is None
