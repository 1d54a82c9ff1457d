"""A company's ids are its own: no request names another's conversation, or a row that is none."""

import pytest

from local import company
from tests.rigs import neighbour as other
from tests.rigs.outreach import TEL

OWN = f"{company.COMPANY_ID}#{company.PROJECT_ID}#"
MARK = f"do-not-contact#{company.COMPANY_ID}"


def refused(answer, field):
    """Whether the answer blames the caller, names the field and shows no value."""
    body = answer.json_body
    assert (answer.status_code, body["error_code"]) == (400, "INVALID_REQUEST")
    assert field in body["message"]
    assert company.COMPANY_ID not in body["message"]
    return True


def test_a_conversation_named_as_anothers_mark_silences_no_recipient(outreach, neighbour):
    assert refused(neighbour.start(given=MARK), "conversation_id")
    outreach.run()
    assert outreach.start("req1").status_code == 200
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1


def test_anothers_future_id_cannot_be_taken(outreach, neighbour):
    future = f"{OWN}req1#{TEL.lstrip('+')}"
    assert refused(neighbour.start(given=future), "conversation_id")
    outreach.run()
    assert outreach.start("req1").json_body["conversation_id"] == future
    outreach.run()
    assert outreach.fate("req1").json_body["state"] == "sent"
    assert len(outreach.twilio.sent_to(TEL)) == 1


def test_an_id_of_an_existing_mark_makes_no_job_that_fails_forever(outreach):
    outreach.services.outreach.conversations.forbid(TEL, company.COMPANY_ID, "stop")
    body = {
        "frontend_payload": company.request("req1", "sms", TEL),
        "conversation_data": {"conversation_id": MARK},
    }
    assert refused(outreach.post(body), "conversation_id")
    assert outreach.run() == []


@pytest.mark.parametrize(
    "given",
    [
        "from-the-router",
        OWN,
        OWN.lower().rstrip("#"),
        f"{company.COMPANY_ID}#another-project#x",
        f"{other.COMPANY_ID}#{other.PROJECT_ID}#x",
        f"x{OWN}x",
        "page#0#00000000",
        "seen#0#x",
        "draft#0#x",
        "pointer",
    ],
)
def test_a_conversations_id_begins_with_its_companys_and_projects_ids(outreach, given):
    body = {
        "frontend_payload": company.request("req1", "sms", TEL),
        "conversation_data": {"conversation_id": given},
    }
    assert refused(outreach.post(body), "conversation_id")


@pytest.mark.parametrize("field", ["company_id", "project_id"])
def test_a_separator_in_an_id_is_refused(outreach, field):
    answer = outreach.start(company_data={field: "ci-aaa-001#pi"})
    assert refused(answer, field)
