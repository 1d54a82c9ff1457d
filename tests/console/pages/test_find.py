"""What was written is on Find for who may read conversations, and the journal has who looked."""

import boto3
import pytest

from chalicelib.once.journal import Act
from console.rights import Person, Role
from local.stack.functions import Functions
from tests.rigs.console import fields
from tests.rigs.ledger import KEY, MODES, facts

TEXT = "Where is my order?"
MO = Person(
    "mo@example.com",
    frozenset({Role.OPERATOR, Role.AGENT}),
    frozenset({"ci-aaa-001"}),
)


@pytest.fixture
def asked(console):
    """The console with one ticket's event; the tickets that its function was asked for."""
    console.services.ledger.claim(facts(), MODES, lease_seconds=250, takeover=frozenset())
    seen_by = Act(what="replay", key=KEY, actor="Operators/kim", story="1042")
    console.services.journal.enter(seen_by)  # Find reaches the ticket's event by this entry
    seen = []

    def texts(event, _context):
        seen.append(event["ticket_id"])
        return {"said": [{"comment": "c-77", "by": "the customer", "text": TEXT}]}

    with Functions({"rp-mw-dev-ticket_texts": texts}, "http://127.0.0.1:9") as there:
        console.services._clients["lambda"] = boto3.client(
            "lambda",
            region_name="us-east-1",
            endpoint_url=there.url,
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
        )
        yield seen


def test_an_operator_who_reads_conversations_sees_what_was_written(console, asked):
    lo = console.browser("lo")
    assert TEXT not in lo.text("/find?q=1042")
    assert "With what was written" in lo.text("/find")
    assert "With what was written" not in console.browser("jo").text("/find")
    assert asked == []
    assert TEXT in lo.post("/find/texts", {"q": "1042"}).text
    assert asked == ["1042"]
    (entry,) = console.services.journal.story("story:1042")
    assert (entry["action_type"], entry["actor"]) == ("story view", "lo@example.com")


def test_a_person_of_one_company_sees_no_ticket_of_the_stage(console, asked, monkeypatch):
    monkeypatch.setattr("tests.rigs.console.PEOPLE", {"mo": MO})
    assert TEXT not in console.browser("mo").post("/find/texts", {"q": "1042"}).text
    assert asked == []


@pytest.mark.parametrize(("who", "status"), [("jo", 403), ("vi", 403), ("lea", 404)])
def test_who_lacks_one_of_both_rights_sees_none(console, asked, who, status):
    assert console.browser(who).post("/find/texts", {"q": "1042"}).status_code == status
    assert asked == []


def test_why_there_is_none_is_said_in_words(console, asked):
    console.services._clients["lambda"] = boto3.client(
        "lambda",
        region_name="us-east-1",
        endpoint_url="http://127.0.0.1:9",
        aws_access_key_id="testing",
        aws_secret_access_key="testing",
    )
    text = console.browser("lo").post("/find/texts", {"q": "1042"}).text
    assert "Richpanel was not asked for texts" in text
    assert TEXT not in text


def test_what_was_wrong_with_an_answer_is_said_once_from_the_story(console, asked):
    lo = console.browser("lo")
    form = fields(lo.post("/find/texts", {"q": "1042"}), key=KEY)
    answer = lo.post("/story/wrong", {**form, "code": "wrong_team"})
    assert answer.status_code == 303
    assert "this answer was wrong" in lo.text(answer.location)
    again = {**form, "once": "another-form-of-it", "code": "wrong_team"}
    assert lo.post("/story/wrong", again).status_code == 409
    assert lo.post("/story/wrong", {**form, "code": "it was rude"}).status_code == 400
    said = [
        entry for entry in console.services.journal.story("1042") if entry["result"] == "wrong_team"
    ]
    assert [(entry["actor"], entry["reason"]) for entry in said] == [("lo@example.com", "")]


def test_of_a_ticket_only_who_sees_the_stages_own_may_say_it(console, asked, monkeypatch):
    monkeypatch.setattr("tests.rigs.console.PEOPLE", {"mo": MO})
    form = {"key": KEY, "code": "wrong_team", "once": "a-form-of-theirs"}
    assert console.browser("mo").post("/story/wrong", form).status_code == 404
