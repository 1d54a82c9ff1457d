"""`support decision` and `support label`: one decision made in shadow, its reply, and what is said of it."""

import pytest

from tests.rigs.ops_cli import runner
from tests.rigs.replies import EMAIL

TRACKING = {"number": "1Z999AA1", "url": "https://c.example/1Z999AA1", "company": "UPS"}


@pytest.fixture
def app_environment(replies_environment):
    return {**replies_environment, "RICHPANEL_OUTBOUND_ENABLED": "false"}


@pytest.fixture
def run(capsys):
    return runner(capsys)


@pytest.fixture
def asked(replies_rig, shopify):
    shopify.add_order("#1001", email=EMAIL, tracking=TRACKING)
    replies_rig.run(replies_rig.ticket("Where is my order #1001?"))
    return replies_rig


def test_the_reply_is_rendered_again_and_its_facts_are_the_same(asked, run):
    found = run("support", "decision", "1042", "--json").data
    assert found["decision"]["decision"] == "answer"
    assert found["reply"]["facts"] == "same"
    assert TRACKING["number"] in found["reply"]["text"]
    assert not any(sentence["changed"] for sentence in found["reply"]["sentences"])
    assert found["reply"]["other_release"] == []


def why_not(run, ticket):
    return run("explain", ticket, "--json").data["events"][-1]["story"]["why_not"]


def test_the_story_says_what_would_have_been_done(asked, run):
    assert why_not(run, "1042").endswith(". Otherwise it would have been answered.")
    asked.run(asked.ticket("Where is my order #1002?", "1043"))
    assert "Otherwise a person answers: the shop has no such order" in why_not(run, "1043")


def test_what_people_did_since_does_not_change_the_reply(asked, run):
    asked.richpanel.add_comment("1042", "It is on its way", operator=True, author_id="agent-7")
    asked.richpanel._tickets["1042"].tags.append("no-bot")
    asked.richpanel._tickets["1042"].fields["status"] = "CLOSED"
    found = run("support", "decision", "1042", "--json").data
    assert found["reply"]["facts"] == "same"


def test_changed_facts_are_named_with_their_sentences(asked, run, shopify):
    """Only the sentence with the link rests on another fact."""
    status = "https://shop.example/orders/other"
    shopify.change_order("#1001", fields={"statusPageUrl": status})
    found = run("support", "decision", "1042", "--json").data["reply"]
    assert found["facts"] == "changed"
    assert [sentence["changed"] for sentence in found["sentences"]].count(True) == 1
    assert "facts have changed since" in run("support", "decision", "1042").out


def test_an_order_that_is_in_trouble_now_would_not_be_answered(asked, run, shopify):
    shopify.change_order("#1001", fields={"displayFinancialStatus": "REFUNDED"})
    found = run("support", "decision", "1042", "--json").data["reply"]
    assert (found["facts"], found["text"], found["because"]) == ("changed", None, "order_refunded")


def test_showing_a_decision_writes_nothing_and_asks_no_model(asked, run, openai):
    before = asked.everything_stored()
    run("support", "decision", "1042")
    assert asked.everything_stored() == before
    assert openai.calls == ()


def test_a_message_that_is_gone_is_said(asked, run):
    asked.richpanel._tickets["1042"].comments.clear()
    said = run("support", "decision", "1042")
    assert said.code == 1
    assert "does not show the message" in said.err


def test_a_label_is_kept_beside_the_decision_and_in_the_journal(asked, run):
    decided = asked.state().decisions
    said = run("support", "label", "1042", "--wrong", "wrong_team", "--because", "seen", "--yes")
    assert said.code == 0, said.err
    assert run("support", "decision", "1042", "--json").data["label"] == "wrong_team"
    assert run("support", "label", "1042", "--right", "--yes").code == 0
    state = asked.state()
    assert [label["code"] for label in state.labels] == ["right"], "the last word counts"
    assert state.decisions == decided
    acts = run("journal", "--json").data
    assert [act["did"] for act in acts] == ["support label", "support label"]
    assert acts[0]["reason"] == "seen"


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("1042",), 2, "--right or --wrong"),
        (("1042", "--right", "--wrong", "wrong_team"), 2, "--right or --wrong"),
        (("1042", "--wrong", "Ada Lovelace"), 2, "wrong_team"),
        (("77", "--right"), 1, "no decision"),
        (("1042", "--right", "--message", "c-9"), 1, "no decision on message"),
    ],
)
def test_a_label_that_cannot_be_is_refused(asked, run, words, code, says):
    said = run("support", "label", *words, "--yes")
    assert said.code == code
    assert says in said.err
    assert "Lovelace" not in said.err
    assert asked.state().labels == ()
