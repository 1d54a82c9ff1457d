"""The promises of docs/setup.md, tried from outside: of what needs no account."""

import pytest

ANSWERS = """
systems = ["support", "outreach", "facts"]
way = "direct"
account = "999999999999"
alarm_email = "night@example.com"
"""


@pytest.fixture
def unchanged(stack):
    """The vendors and the switches are as they were when the test ends."""
    before = _seen(stack)
    yield
    assert _seen(stack) == before


def test_the_plan_shows_every_step_with_its_state_and_changes_nothing(stack, unchanged):
    steps = stack.ops("setup", "--plan", "--json").data
    named = str(steps)
    for step in ("place", "artifacts", "secrets", "dataset", "deploy", "address", "first company"):
        assert step in named


def test_what_is_to_be_pasted_has_every_address_and_no_secret(stack, unchanged):
    pastes = stack.ops("setup", "--pastes").out
    for door in ("webhook/richpanel", "initiate-conversation", "webhook/twilio", "webhook/aloware"):
        assert f"{stack.url}/{door}" in pastes
    assert "webhook/hubspot" in pastes
    for secret in ("WEBHOOK_TOKEN", "ALOWARE_TOKEN", "HUBSPOT_CLIENT_SECRET"):
        assert stack.hints[secret] not in pastes


def test_answers_for_another_account_are_refused_and_nothing_is_made(stack, tmp_path, unchanged):
    answers = tmp_path / "answers.toml"
    answers.write_text(ANSWERS)
    refused = stack.ops("setup", "--yes", "--file", answers, code=1)
    assert "999999999999" in refused.out + refused.err


def test_without_a_terminal_the_walk_asks_for_a_file_and_changes_nothing(stack, unchanged):
    assert "--file" in stack.ops("setup", "--yes", code=2).err


def _seen(stack):
    return (
        stack.ops("switch", "get", "--history").out,
        stack.powerbi.get("datasets"),
        len(stack.richpanel.get("effects")["effects"]),
        len(stack.twilio.get("messages")["messages"]),
    )
