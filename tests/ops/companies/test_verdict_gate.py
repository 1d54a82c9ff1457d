"""New settings are tried on the verdict set before they are stored."""

import json

import pytest

from local import company, simulated_model
from ops.companies.verdict_lines import MOST
from tests.ops.whole.test_every_command import DRAFT
from tests.rigs.ops_cli import runner

ID, PROJECT = company.COMPANY_ID, company.PROJECT_ID
PUT = ("writer", "put-verdicts", ID, PROJECT, "--yes")


@pytest.fixture
def run(outreach, capsys):
    return runner(capsys)


@pytest.fixture
def put(outreach, tmp_path, run):
    """`company put` with other settings of the writer; `put(knowledge=[...], options=["--judge"])`."""

    def do(options=(), attributes=None, **writer):
        path = tmp_path / "item.json"
        item = {**outreach.project, **(attributes or {})}
        if writer:
            item["ai_config"] = {**item.get("ai_config", {}), "writer": writer}
        path.write_text(json.dumps(item))
        return run("company", "put", path, "--yes", *options)

    return do


def lines(*said):
    return "\n".join(
        json.dumps(
            {
                **DRAFT,
                "id": f"e{place}",
                "draft": {"text": text, "claims": None},
                "verdict": verdict,
                "why": "as agreed",
                "invented": True,
            }
        )
        for place, (verdict, text) in enumerate(said)
    )


def test_without_a_set_settings_are_stored_as_before(put, openai):
    assert put(instructions="Be brief.").code == 0
    assert not openai.calls_of("respond")


def test_it_asks_no_model_unless_it_is_asked_to(outreach, model_start, openai, put, run):
    company.create_written_by_model(outreach.stage)
    openai.answer_by(simulated_model.answer)
    outreach.new_container()
    said = lines(("good", "We are glad that you wrote."))
    assert run(*PUT, typed=said).code == 0
    ai = {**company.ai_config_of_models("dev"), "writer": {"judge_model": "gpt-6-luna"}}
    assert put(attributes={"ai_config": ai}).code == 0
    assert not openai.calls_of("respond")
    ai["writer"]["instructions"] = "Be brief."
    put(["--judge"], attributes={"ai_config": ai})
    assert openai.calls_of("respond")


def test_only_a_change_of_what_is_written_is_held_against_the_set(put, run):
    assert run(*PUT, typed=lines(("good", "It costs $5."))).code == 0
    assert put(attributes={"project_status": "paused"}).code == 0
    refused = put(instructions="Be brief.")
    assert refused.code == 1
    assert "e0 is good and stopped by amount (as agreed)" in refused.err


def test_a_reason_stores_them_and_is_entered_with_the_examples(put, run):
    run(*PUT, typed=lines(("good", "It costs $5."), ("bad", "Hello."), ("good", "Hello.")))
    why = ["--despite-verdicts", "the price list follows"]
    assert put(why, instructions="Be brief.").code == 0
    entry = run("journal", "--json").data[-1]
    saw = json.loads(entry["saw"])
    assert entry["did"] == "company put"
    assert (saw["despite_verdicts"], saw["verdicts"]) == ("the price list follows", ["e0", "e1"])


def test_a_set_that_agrees_stores_no_reason(put, run):
    run(*PUT, typed=lines(("good", "Hello.")))
    assert put(["--despite-verdicts", "in case"], instructions="Be brief.").code == 0
    assert "despite_verdicts" not in run("journal", "--json").data[-1]["saw"]


def test_a_set_has_a_bound(run):
    too_many = lines(*[("good", "Hello.")] * (MOST + 1))
    assert "at most" in run(*PUT, typed=too_many).err
    assert run("writer", "verdicts", ID, PROJECT, "--json").out == ""


def listed(run):
    """The verdicts without their ends, which each putting moves."""
    lines = run("writer", "verdicts", ID, PROJECT, "--json").out.splitlines()
    return [{k: v for k, v in json.loads(line).items() if k != "until"} for line in lines]


def test_what_was_listed_can_be_put_again_and_removed(run):
    run(*PUT, typed=lines(("good", "Hello."), ("bad", "Pay £5.")))
    before = listed(run)
    assert run(*PUT, typed="\n".join(map(json.dumps, before))).code == 0
    assert listed(run) == before
    assert run("writer", "remove-verdict", ID, PROJECT, "e1", "--yes").code == 0
    assert run("writer", "remove-verdict", ID, PROJECT, "e1", "--yes").code == 1
    assert len(run("writer", "verdicts", ID, PROJECT, "--json").out.splitlines()) == 1


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"verdict": "fine"}, "verdict"),
        ({"verdict": "bad", "why": ""}, "why"),
        ({"id": "jo@example.com"}, "id"),
        ({"invented": "yes"}, "invented"),
        ({"recipient": None}, "recipient"),
        ({"notes": "x"}, "notes"),
    ],
)
def test_a_wrong_line_is_named_by_number_and_field(run, change, field):
    line = {**json.loads(lines(("good", "Hello."))), **change}
    said = run(*PUT, typed=json.dumps(line))
    assert (said.code, said.err.strip()) == (2, f"error: line 1: field {field}")
