"""The pages say what the code does: a page per alarm, real commands, diagrams of real states."""

from __future__ import annotations

import ast
import functools
import json
import re
from pathlib import Path

import pytest
import typer

from chalicelib.once import audit
from chalicelib.once.action import ActionStatus
from chalicelib.once.effect import Settle
from chalicelib.once.event import EventStatus
from chalicelib.once.ledger import rows
from chalicelib.support import state
from ops import cli
from tests.rigs.each_row import each_row
from tests.rigs.ops_cli import GROUPS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.glob("*.md")), ROOT / "README.md"]
LINKING = {*PAGES, *ROOT.glob("*.md"), *(ROOT / "tests" / "samples").rglob("*.md")}
RESOURCES = json.loads((ROOT / ".chalice" / "resources.json").read_text())
CONFIG = json.loads((ROOT / ".chalice" / "config.json").read_text())
FUNCTIONS = {"app.app": "api_handler"}


def page(name):
    return (DOCS / name).read_text()


def anchors(text):
    """GitHub's anchors of a page's headings."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def diagram(title):
    """The arrows of a state diagram of the architecture page."""
    text = page("architecture.md").split(f"## {title}\n")[1].split("```")[1]
    return {tuple(pair) for pair in re.findall(r"^ +(\S+) --> (\S+?):?(?: |$)", text, re.MULTILINE)}


# --- links ------------------------------------------------------------------------------------


@each_row("path", sorted(LINKING))
def test_every_link_of_a_page_leads_somewhere(path):
    for target, anchor in re.findall(r"\]\(([^)#:\s]*)(#[^)\s]+)?\)", path.read_text()):
        found = path.parent / target if target else path
        assert found.exists(), f"{path.name} links to {target}"
        if anchor:
            assert anchor[1:] in anchors(found.read_text()), f"{path.name} links to {anchor}"


# --- the map of modules -----------------------------------------------------------------------


PACKAGES = sorted(
    path
    for top in ("chalicelib", "console", "ops", "local", "bench")
    for path in (ROOT / top).rglob("__init__.py")
    if path.parent.name != "results"
)


@each_row("path", PACKAGES)
def test_the_map_of_a_package_names_every_module_in_it(path):
    entries = path.parent.iterdir()
    modules = {
        entry.stem for entry in entries if entry.suffix == ".py" or (entry / "__init__.py").exists()
    }
    named = set(re.findall(r"\w+", ast.get_docstring(ast.parse(path.read_text())) or ""))
    assert modules - named <= {"__init__", "__main__"}


@each_row("path", PACKAGES)
def test_the_map_of_a_package_names_nothing_that_is_gone(path):
    there = {entry.stem for entry in path.parent.iterdir()}
    text = ast.get_docstring(ast.parse(path.read_text())) or ""
    rows = re.findall(r"^ {0,4}(\w+/?(?:, \w+/?)*)  +\S", text, re.MULTILINE)
    named = {name.strip("/") for row in rows for name in row.split(", ")}
    assert named <= there


# --- runbook ----------------------------------------------------------------------------------


ALARM_PAGES = sorted(
    set(DOCS.glob("runbook-*.md"))
    - {DOCS / f"runbook-{subject}.md" for subject in ("deploying", "operations")}
)


def test_every_alarm_has_its_runbook_section_and_every_section_its_alarm():
    alarms = {
        resource["Properties"]["AlarmName"]["Fn::Sub"].removeprefix("rp-mw-${Stage}-")
        for resource in RESOURCES["Resources"].values()
        if resource.get("Type") == "AWS::CloudWatch::Alarm"
    }
    pages = "".join(page.read_text() for page in ALARM_PAGES)
    assert sorted(alarms) == sorted(re.findall(r"^## (\S+)$", pages, re.MULTILINE))


def test_every_runbook_section_of_an_alarm_contains_a_command_or_link():
    for path in ALARM_PAGES:
        for section in re.split(r"^## ", path.read_text(), flags=re.MULTILINE)[1:]:
            name, _, text = section.partition("\n")
            assert re.search(r"`|```|\[[a-z-]+\]\(#", text), name


def ops_commands(text):
    """Every operator's command of a page: its words up to the first argument."""
    lines = re.findall(r"python -m ops ((?:[^`\n])+)", text)
    return {tuple(line.split()) for line in lines}


@each_row("path", PAGES)
def test_every_command_of_a_page_exists_with_its_options(path):
    for words in ops_commands(path.read_text()):
        known = options_of(words[: 2 if words[0] in GROUPS else 1])
        for option in (word.partition("=")[0] for word in words if word.startswith("--")):
            assert option in known, f"{path.name}: {' '.join(words)}"


def options_of(words):
    """The options that a command of `python -m ops` takes, with those of every command."""
    command = every_command()
    for word in (part for part in words if not part.startswith("-")):
        command = getattr(command, "commands", {}).get(word)
        assert command, f"there is no command python -m ops {' '.join(words)}"
    return {option for param in command.params for option in param.opts} | {"--help"}


@functools.cache
def every_command():
    return typer.main.get_command(cli.app)


def test_every_make_target_of_a_page_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for path in PAGES:
        used = set(re.findall(r"`make ([a-z-]+)", path.read_text()))
        assert used <= targets, path.name


# --- architecture -----------------------------------------------------------------------------


def test_the_diagrams_show_every_state():
    for title, states in (
        ("States of an event", EventStatus),
        ("States of an action", ActionStatus),
    ):
        drawn = {state for arrow in diagram(title) for state in arrow} - {"[*]"}
        assert drawn == {state.value for state in states}


def test_done_is_a_final_state_in_the_diagram():
    away = {after for before, after in diagram("States of an action") if before == "done"}
    assert away == {"[*]"}


def test_the_sequence_diagram_names_the_calls_of_the_code():
    text = page("architecture.md").split("## One event\n")[1].split("```")[1]
    for room, words in {
        "once/worker.py": ("claim",),
        "once/plan_run.py": ("finish",),
        "once/effects.py": ("begin", "end_actions"),
    }.items():
        source = (ROOT / "chalicelib" / room).read_text()
        for word in words:
            assert word in text
            assert re.search(rf"ledger\.{word}\(", source), word


def test_the_page_lists_exactly_the_deployed_functions():
    rows = re.findall(r"^\| `(app\.\w+)` \|.*?\| (\d+) s \|", page("architecture.md"), re.MULTILINE)
    result = {FUNCTIONS.get(name, name.removeprefix("app.")): int(time) for name, time in rows}
    configured = CONFIG["lambda_functions"]
    assert result == {name: function["lambda_timeout"] for name, function in configured.items()}


@pytest.mark.parametrize("name", ["architecture.md", "personal-data.md"])
def test_the_retention_on_a_page_matches_the_code(name):
    days = {
        "rp_mw_idempotency": rows.RETENTION.days,
        "rp_mw_conversation_state": state.RETENTION.days,
        "rp_mw_audit_actions": audit.RETENTION.days,
    }
    for table, kept in days.items():
        (row,) = re.findall(rf"^\| `{table}` \|(.+)$", page(name), re.MULTILINE)
        assert f"{kept} days" in row


def test_every_table_is_listed_with_its_retention():
    tables = {
        resource["Properties"]["TableName"]["Fn::Sub"].removesuffix("-${Stage}")
        for resource in RESOURCES["Resources"].values()
        if resource.get("Type") == "AWS::DynamoDB::Table"
    }
    assert tables <= set(re.findall(r"^\| `([\w-]+)`", page("personal-data.md"), re.MULTILINE))


# --- extending and set-up ---------------------------------------------------------------------


def test_every_way_of_settling_is_explained():
    result = set(re.findall(r"^\| `(\w+)` \|", page("extending-vendors.md"), re.MULTILINE))
    assert result - {"settle"} == {settle.value for settle in Settle}  # the first is the heading


def test_the_set_up_names_the_real_header_and_secrets():
    text = page("richpanel-setup.md")
    source = (ROOT / "chalicelib" / "support" / "webhook.py").read_text()
    (header,) = set(re.findall(r'"(x-[a-z]+-webhook-token)"', source))
    assert f"`{header}: <token>`" in text
    for secret in ("richpanel/webhook_token", "richpanel/api_key"):
        assert secret in RESOURCES["Metadata"]["Secrets"]
        assert secret in text


def test_every_secret_is_listed_with_its_rotation():
    section = page("security-operators.md").split("## Changing")[1]
    result = set(re.findall(r"`([\w]+(?:/[\w]+)?)`", section))
    assert {name for name in RESOURCES["Metadata"]["Secrets"] if name != "Comment"} <= result


# --- deploying --------------------------------------------------------------------------------


@each_row("path", PAGES)
def test_a_long_template_is_deployed_through_a_bucket(path):
    """`aws cloudformation deploy` refuses more than 51,200 bytes unless it may put them in S3.

    The access stack's has fewer: `tests/ops/stage/test_access_stack.py`.
    """
    for command in re.findall(r"aws cloudformation deploy (?:[^\n]*\\\n)*[^\n]*", path.read_text()):
        assert "--s3-bucket" in command or "access.json" in command, path.name
