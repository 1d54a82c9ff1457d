"""Every reason that is stored is declared with who refused and words, and the pages say the same."""

import ast
import functools
import importlib
import re
from pathlib import Path

import pytest

from bench.report import reasons as made
from chalicelib.facts import reasons as facts
from chalicelib.once import reasons as core
from chalicelib.once.reasons import By, Why, declared
from chalicelib.outreach import reasons as outreach
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.twilio.codes import REASONS
from chalicelib.outreach.writing.review import RULES
from chalicelib.support import reasons as support
from chalicelib.vendors import reasons as vendors
from ops.inspect.explain.plain_words import CATALOGUE
from tests.rigs.each_row import each_row

ROOT = Path(__file__).parents[2]
MODULES = (core, vendors, outreach, support, facts)
GIVEN = {
    **dict.fromkeys(("HandBackError", "BusyError", "LeaseLostError", "HandedBackError"), 0),
    **dict.fromkeys(("UnavailableError", "SwitchesUnreadableError", "NotYet", "Refusal"), 0),
    **dict.fromkeys(
        ("suppressed_refusal", "lookup_failed_refusal", "_withdrawn", "NoAnswer", "Limit"), 0
    ),
    **dict.fromkeys(
        (
            "NotAnEvent",
            "hand_off_plan",
            "hand_off_action",
            "withhold",
            "keep_reason",
            "Lookup",
            "_park",
        ),
        1,
    ),
    **dict.fromkeys(("PlannedAction", "note_reply_failed", "store_start_failed", "_failed"), 1),
    **dict.fromkeys(("fail",), 2),
}
"""Where a call takes a reason, by the name of what is called."""
KEYWORDS = ("reason", "hand_off_reason", "lacks")
STATED = ("failure_reason", "withheld_reason", "hand_off_to_human_reason")
"""Attributes that hold reasons."""
NOT_STORED = ("event", "metric", "note", "Act", "enter", "Turn", "Answer", "evaluate")
"""Calls whose `reason` is a field of a log line, a figure or a person's own words."""
FILES = sorted((ROOT / "chalicelib").rglob("*.py"))


def name_of(called):
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def given(tree):
    """Every expression of a module that is stored as a reason."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value in STATED:
                    yield value
        if not isinstance(node, ast.Call) or name_of(node.func) in NOT_STORED:
            continue
        yield from (keyword.value for keyword in node.keywords if keyword.arg in KEYWORDS)
        name = name_of(node.func)
        args = node.args
        if name == "PlannedAction" and not (
            args and isinstance(args[0], ast.Constant) and args[0].value == "hand_off"
        ):
            continue
        if name in GIVEN and len(args) > GIVEN[name]:
            yield args[GIVEN[name]]


def choices(expression):
    match expression:
        case ast.IfExp(body=body, orelse=other):
            return [*choices(body), *choices(other)]
        case ast.BoolOp(values=values):
            return [choice for value in values for choice in choices(value)]
        case _:
            return [expression]


def text_of(expression, module):
    """The code, or its beginning where the rest is known only in a run; empty where all of it is."""
    if isinstance(expression, ast.JoinedStr):
        found = ""
        for part in expression.values:
            inner = part.value if isinstance(part, ast.FormattedValue) else part
            text = text_of(inner, module)
            found += text
            if not text:
                break
        return found
    if isinstance(expression, ast.Constant):
        return expression.value if isinstance(expression.value, str) else ""
    if isinstance(expression, ast.Name | ast.Attribute):
        value = vars(module).get(name_of(expression)) if _is_global(expression, module) else None
        if isinstance(expression, ast.Attribute) and isinstance(expression.value, ast.Name):
            owner = vars(module).get(expression.value.id)
            value = getattr(owner, expression.attr, None)
        return str(value) if isinstance(value, str) else ""
    return ""


def _is_global(expression, module):
    return isinstance(expression, ast.Name) and expression.id in vars(module)


def spelled(expression):
    """The letters that an expression itself spells."""
    parts = expression.values if isinstance(expression, ast.JoinedStr) else [expression]
    texts = [part.value for part in parts if isinstance(part, ast.Constant)]
    return "".join(text.strip("|:") for text in texts if isinstance(text, str))


@functools.cache
def stored(file):
    """The reasons that a module stores: its line, the expression and the code's text."""
    return tuple(_stored(file))


def _stored(file):
    path = file.relative_to(ROOT)
    module = importlib.import_module(".".join(path.with_suffix("").parts))
    for whole in given(ast.parse(file.read_text())):
        for choice in choices(whole):
            code = text_of(choice, module).rpartition("|")[2]
            if not code.isupper():  # a code of a door's answer
                yield f"{path}:{choice.lineno}", choice, code


@each_row("file", FILES)
def test_a_stored_reason_is_declared_with_words(file):
    without = [
        (where, code)
        for where, _, code in stored(file)
        if code and CATALOGUE.read(code) is None and CATALOGUE.read(f"{code}timeout") is None
    ]
    assert without == []


@each_row("file", FILES)
def test_a_stored_reason_is_given_by_its_name_and_not_spelled_again(file):
    assert [(where, spelled(text)) for where, text, _ in stored(file) if spelled(text)] == []


@pytest.mark.parametrize(
    "line",
    [
        'raise NotAnEvent(status, "new_code")',
        'raise NotYet("new_code", until)',
        'raise PermanentError(PROVIDER, "send", reason="new_code")',
        'return hand_off_plan("reply", "new_code")',
        'PlannedAction("hand_off", "|new_code")',
        'record.move({"failure_reason": "new_code"})',
        'raise NotAnEvent(status, found or f"new_code:{other}")',
    ],
)
def test_the_walk_sees_a_code_wherever_it_is_given(line):
    found = [choice for whole in given(ast.parse(line)) for choice in choices(whole)]
    assert [spelled(text) for text in found if spelled(text)] == ["new_code"]
    assert CATALOGUE.read("new_code") is None


def test_the_walk_sees_the_reasons_of_outreach():
    found = {code for file in FILES for _, _, code in stored(file)}
    assert {"window_closed", "asked_by_writer", "no_longer_waiting"} <= found


def test_a_code_is_declared_once():
    declared_there = [
        var for module in MODULES for var in vars(module).values() if isinstance(var, Why)
    ]
    codes = [str(reason) for reason in declared_there]
    assert sorted({code for code in codes if codes.count(code) > 1}) == []
    assert set(By) == {reason.by for reason in declared_there}


def test_words_can_follow_because():
    names = {name.partition(" ")[0] for _, name in vendors.PROVIDERS.values()}
    names |= {"WhatsApp", "{}", "Richpanel", "Power"}
    for code, reason in declared(*MODULES).items():
        first = reason.words.partition(" ")[0]
        assert first in names or first == first.lower(), code
        assert reason.words[-1] not in ".!?", code


def test_rules_of_drafts_reasons_of_the_register_and_codes_of_twilio_are_declared():
    codes = {f"draft_{rule}" for rule in RULES} | set(map(str, MarkReason))
    assert {code for code in codes if CATALOGUE.read(code) is None} == set()
    assert all(CATALOGUE.read(f"refused:{reason}").by == REASONS[reason].by for reason in REASONS)


@each_row(
    ("code", "by", "words"),
    [
        ("send:window_closed", By.LIMIT, "the message could not be sent: WhatsApp takes"),
        ("twilio_window_closed", By.LIMIT, "WhatsApp takes free text only"),
        ("refused:no_template", By.PROJECT, "it was refused: no WhatsApp template"),
        ("secrets:secret_missing", By.US, "the company's secret cannot be used: the secret"),
        ("conversations_for_a_person", By.US, "the message asks for a function"),
        ("dead_letter:richpanel_breaker_open", By.US, "it was given up after ten attempts: our"),
        ("openai_model_breaker_open", By.US, "our circuit breaker lets no request to this model"),
        ("twilio_local_rate_limit", By.LIMIT, "our share of the rate limit of Twilio"),
        ("company_timeout", By.COMPANY, "the company's endpoint did not answer in time"),
        ("richpanel_http_500", By.VENDOR, "Richpanel answered with the error 500"),
        ("refused:21610", By.RECIPIENT, "it was refused: Twilio refused it with the code 21610"),
        ("ses_MessageRejected", By.VENDOR, "Amazon SES refused it with the code MessageRejected"),
        ("withheld:kill_switch", By.SWITCH, "the switch kill_switch was on"),
        ("switches_unreadable:kill_switch", By.US, "the switch kill_switch could not be read"),
        ("bug_KeyError", By.US, "our own code failed (KeyError)"),
        ("ai_config_unreadable", By.PROJECT, "the project's ai_config cannot be read"),
        ("dynamodb_contended", By.US, "too many wrote"),
        ("compose:empty_message", By.VENDOR, "the message could not be written: the model"),
    ],
)
def test_a_reason_of_several_parts_blames_who_refused(code, by, words):
    found = CATALOGUE.read(code)
    assert found.by == by
    assert found.words.startswith(words)


def test_a_code_that_is_not_declared_blames_no_one():
    assert CATALOGUE.read("of_a_later_release") is None
    assert CATALOGUE.words("of_a_later_release") == "of_a_later_release"


# --- pages ----------------------------------------------------------------------------------------


def test_the_page_of_outreach_has_each_of_its_reasons():
    section = page("outreach-reasons") + page("outreach-reasons-ours")
    rows = re.findall(r"^\| (`.+?`) \| (\w+) \| (.+) \|$", section, re.MULTILINE)
    expected = [
        (shown(reason), reason.by.value, reason.words) for reason in declared(outreach).values()
    ]
    assert sorted(rows) == sorted(expected)


def test_the_page_of_support_names_each_reason_and_no_other():
    section = re.search(
        r"^## Why nothing was sent$(.*?)^Machine mail",
        page("support-orders"),
        re.MULTILINE | re.DOTALL,
    )[1]
    named = set(re.findall(r"`([a-z_0-9:]+?)(?:\.\.\.)?` ?[,|:.;]", section))
    known = declared(core, support)
    assert {
        prefix for prefix in named if not any(code.startswith(prefix) for code in known)
    } == set()
    families = [prefix for prefix in named if prefix[-1] in ":_"]
    missing = {code for code in declared(support) if code not in named}
    assert {prefix for prefix in missing if not prefix.startswith(tuple(families))} == set()
    rows = re.findall(r"^\| (`.+?`) \| ([a-z]+) \| (.+) \|$", section, re.MULTILINE)
    assert rows
    assert set(rows) <= {
        (shown(reason), reason.by.value, reason.words) for reason in known.values()
    }


def test_the_codes_of_refused_effects_in_the_runbook_are_known():
    section = re.search(
        r"^## refused-effects$(.*?)^## ", page("runbook-vendors"), re.MULTILINE | re.DOTALL
    )[1]
    cells = " ".join(re.findall(r"^\| (`[^|]+) \|", section, re.MULTILINE))
    codes = set(re.findall(r"`(\w+)`", cells)) - {"send_message", "http_4xx"}
    assert codes
    assert {code for code in codes if CATALOGUE.read(code) is None} == set()


def test_the_page_of_reasons_says_where_each_is_made():
    """If this fails, run `python -m bench.report.reasons`, which writes it."""
    assert page("reasons") == made.page()
    files = made.makers()
    assert {code for code, found in files.items() if not found} == set()
    assert all((ROOT / file).exists() for found in files.values() for file in found)


def page(name):
    return (ROOT / "docs" / f"{name}.md").read_text()


def shown(code):
    """A code as a page shows it; the beginning of others with dots."""
    return f"`{code}...`" if code[-1] in ":_" else f"`{code}`"
