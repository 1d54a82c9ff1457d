"""The pages on security: their figures are the code's, and each of their sections names its tests."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest

from chalicelib.facts import aloware_webhook, hubspot_webhook
from chalicelib.once import body
from chalicelib.outreach.conversations import items, register_entries
from chalicelib.outreach.desk import door as desk_door
from chalicelib.outreach.door import access, router
from chalicelib.outreach.twilio import webhook as twilio_webhook
from chalicelib.support import webhook as richpanel_webhook
from ops.stage import packages
from ops.stage.config import configured
from ops.stage.template import StageTemplate

ROOT = Path(__file__).parents[2]
OVERVIEW = (ROOT / "docs" / "security.md").read_text()
TWO_PAGES = 1_150
"""The number of words on two printed pages with their tables."""
REFERENCE = (
    *("security-doors", "security-requests", "security-throttles", "security-operators"),
    *("personal-data", "erasing", "security-proofs", "security-promises"),
)
PAGE = "\n".join((ROOT / "docs" / f"{name}.md").read_text() for name in REFERENCE)
TESTS = ("security-tests", "security-tests-data")
PROOFS = "\n".join((ROOT / "docs" / f"{name}.md").read_text() for name in TESTS)
SECTIONS = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
CONFIG = json.loads((ROOT / ".chalice" / "config.json").read_text())
DAY = 86_400
KB = 1024
LIMITS = {
    "POST /webhook/richpanel": richpanel_webhook.MAX_BODY_BYTES,
    "POST /initiate-conversation": router.MAX_BODY_BYTES,
    "POST /desk/conversations/{conversation_id}/acts": desk_door.MAX_BODY_BYTES,
    "POST /webhook/twilio": twilio_webhook.MAX_BODY_BYTES,
    "POST /webhook/twilio/status": twilio_webhook.MAX_BODY_BYTES,
    "POST /webhook/aloware": aloware_webhook.MAX_BODY_BYTES,
    "POST /webhook/hubspot": hubspot_webhook.MAX_BODY_BYTES,
}


def proofs():
    """Rows of the table of tests: section, statement, file, test."""
    rows = [
        line for line in PROOFS.splitlines() if line.startswith("| ") and "| test |" not in line
    ]
    found = [
        re.fullmatch(r"\| ([^|]+) \| ([^|]+) \| (tests/\S+\.py)::(test_\w+) \|", row)
        for row in rows
    ]
    assert None not in found, "a row without a section, a statement or a test"
    return [row.groups() for row in found if row]


@cache
def named_in(file):
    """The names of the tests in a file."""
    tree = ast.parse((ROOT / file).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def resources(*types, stage="prod"):
    template = StageTemplate.load(stage, account="000000000000", region="us-east-1")
    return [resource.properties for resource in template.resources(*types)]


# --- the statements ---------------------------------------------------------------------------


def test_every_statement_names_a_test_that_exists():
    missing = [(file, name) for *_, file, name in proofs() if name not in named_in(file)]
    assert missing == []


def test_every_section_has_its_tests_and_every_test_its_section():
    named = {section for section, *_ in proofs()}
    assert named == set(SECTIONS) - {"Promises"}
    assert len(SECTIONS) == len(set(SECTIONS)), "a section is on one page"


def test_no_statement_is_there_twice():
    statements = [statement for _, statement, *_ in proofs()]
    assert len(statements) == len(set(statements))


# --- the overview -----------------------------------------------------------------------------


def test_the_overview_has_two_pages_and_leads_to_each_page_of_the_reference():
    assert len(re.findall(r"\w\S*", re.sub(r"\]\([^)]*\)", "]", OVERVIEW))) <= TWO_PAGES
    for name in (*REFERENCE, *TESTS):
        assert f"({name}.md" in OVERVIEW, name


# --- the figures ------------------------------------------------------------------------------


def test_the_limits_of_the_doors_are_the_codes():
    rows = re.findall(r"^\| (`POST [^|]+) \| (\d+) ([KM])B \|", PAGE, re.MULTILINE)
    shown = {
        door: int(number) * KB * (KB if unit == "M" else 1)
        for doors, number, unit in rows
        for door in re.findall(r"`(.+?)`", doors)
    }
    assert shown == LIMITS
    assert f"nested {body.MAX_DEPTH} levels deep" in PAGE
    assert f"hold {body.MAX_CONTAINERS:,} arrays and objects" in PAGE


def test_a_signature_of_the_page_is_valid_as_long_as_the_codes():
    minutes = {access.TOLERANCE_SECONDS // 60, hubspot_webhook.WINDOW_MS // 60_000}
    assert minutes == {5}
    assert "both valid for five minutes" in PAGE


@pytest.mark.parametrize("stage", CONFIG["stages"])
def test_queues_are_encrypted_and_keep_as_long_as_the_page_says(stage):
    for queue in resources("AWS::SQS::Queue", stage=stage):
        days = 1 if "-later-" in queue["QueueName"] else 14
        assert queue["MessageRetentionPeriod"] == days * DAY, queue["QueueName"]
        assert queue["SqsManagedSseEnabled"] is True, queue["QueueName"]


def test_no_table_has_a_key_that_a_function_would_need():
    """DynamoDB encrypts by a key of AWS's own unless a table names another."""
    assert not [
        resource for resource in resources("AWS::DynamoDB::Table") if "SSESpecification" in resource
    ]


@pytest.mark.parametrize("stage", CONFIG["stages"])
def test_logs_are_kept_and_tables_restored_as_long_as_the_page_says(stage):
    is_prod = stage == "prod"
    logs = resources("AWS::Logs::LogGroup", stage=stage)
    assert {log["RetentionInDays"] for log in logs} == {90 if is_prod else 14}
    for table in resources("AWS::DynamoDB::Table", stage=stage):
        recovery = table["PointInTimeRecoverySpecification"]
        assert recovery == {"PointInTimeRecoveryEnabled": is_prod}
    assert configured(stage)["DYNAMO_TTL_DAYS"] == "14"


def test_conversations_are_kept_as_long_as_the_page_says():
    assert items.TTL.days == 365
    assert register_entries.DO_NOT_CONTACT_TTL.days == 5 * 365
    (row,) = re.findall(r"^\| `conversations` \|(.+)$", PAGE, re.MULTILINE)
    assert "365 days; a do-not-contact mark and its evidence five years" in row


# --- the dependencies and the audits ----------------------------------------------------------


def test_every_deployed_package_is_pinned_and_none_is_a_vendors_sdk():
    names = {
        package.name
        for lock in packages.LOCKS.values()
        for package in packages.locked_packages(ROOT / lock)
    }
    vendors = {"richpanel", "twilio", "openai", "hubspot-api-client", "shopifyapi", "sendgrid"}
    assert not names & vendors


def test_the_audits_read_what_the_page_says():
    targets = dict(
        re.findall(r"^([a-z-]+):.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    )
    for target in ("check", "audit"):
        assert "bandit -q -c pyproject.toml -r app.py chalicelib console ops" in targets[target]
    for lock in packages.LOCKS.values():
        assert f"-r {lock}" in targets["audit"]
    assert "--strict --require-hashes" in targets["audit"]


def test_a_finding_that_is_accepted_has_its_reason_beside_it():
    """`bandit` has no exceptions; some of its rules are ruff's, whose exceptions say why."""
    found = 0
    for path in (
        ROOT / "app.py",
        *(ROOT / "chalicelib").rglob("*.py"),
        *(ROOT / "console").rglob("*.py"),
        *(ROOT / "ops").rglob("*.py"),
    ):
        text = path.read_text()
        assert "nosec" not in re.findall(r"#\s*(\w+)", text), path
        for rule, reason in re.findall(r"# noqa: (S\d+)(.*)", text):
            found += 1
            assert re.match(r" - \w+ \w+", reason), f"{path}: {rule}"
    assert found
