"""The promises of docs/setup.md, tried from outside: of what needs no account."""

import pytest

from tests.rigs.one_case import one_case

ANSWERS = """
systems = ["support", "outreach"]
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
    for step in ("place", "access", "secrets", "dataset", "deploy", "address", "first company"):
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


def test_the_walk_stops_at_the_first_step_that_fails_and_says_what_to_do(
    stack, tmp_path, unchanged
):
    answers = tmp_path / "answers.toml"
    answers.write_text(ANSWERS)
    before = _states(stack)
    stopped = stack.ops("setup", "--yes", "--file", answers, "--json", code=1).data
    assert [(step["step"], step["state"]) for step in stopped["steps"]] == [("place", "failed")]
    assert stopped["pastes"] == []
    said = stack.ops("setup", "--yes", "--file", answers, code=1).out
    assert "Next: export AWS_PROFILE" in said
    assert _states(stack) == before, "no later step is done"


@one_case(
    ("line", "named"),
    [
        ('[secrets]\n"richpanel/api_key" = "hunter2"', "richpanel/api_key"),
        ('[variables]\nNO_SUCH_VARIABLE = "hunter2"', "NO_SUCH_VARIABLE"),
        ("[variables]\nPOWERBI_TENANT_ID = 7 # hunter2", "POWERBI_TENANT_ID"),
        ('password = "hunter2"', "password"),
        ('[secrets]\n"richpanel/apikey" = "RP_KEY"', "richpanel/apikey"),
        ('company = "no such file"', "no such file"),
        ('company = "cut.json"', "cut.json"),
        ('company = "wrong.json"', "project_status"),
    ],
)
def test_a_wrong_answer_is_named_and_never_shown_and_nothing_is_made(
    stack, tmp_path, unchanged, line, named
):
    answers = tmp_path / "answers.toml"
    answers.write_text(f"{ANSWERS}\n{line}\n")
    (tmp_path / "cut.json").write_text('{"company_id": "hunter2')
    (tmp_path / "wrong.json").write_text('{"project_status": {"hunter2": 7}}')
    refused = stack.ops("setup", "--yes", "--file", answers, code=None)
    assert refused.code in (1, 2)
    assert named in refused.err
    assert refused.out == "", "no step was begun"
    assert "hunter2" not in refused.out + refused.err


def test_answers_from_a_file_are_not_carried_out_without_yes(stack, tmp_path, unchanged):
    answers = tmp_path / "answers.toml"
    answers.write_text(ANSWERS.replace("999999999999", "000000000000"))
    assert "--yes" in stack.ops("setup", "--file", answers, code=1).err


def test_the_keys_of_the_stage_are_not_asked_for_again(stack):
    assert "never typed in" in stack.ops("setup", "--secret", "keys/ids", "--yes", code=1).err


def _states(stack):
    """Every step's state, as the plan shows it."""
    return {row["step"]: row["state"] for row in stack.ops("setup", "--plan", "--json").data}


def _seen(stack):
    return (
        stack.ops("switch", "get", "--history").out,
        [dataset["id"] for dataset in stack.powerbi.get("datasets")["datasets"]],
        len(stack.richpanel.get("effects")["effects"]),
        len(stack.twilio.get("messages")["messages"]),
    )
