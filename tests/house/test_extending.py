"""The page on extending lists every place a change touches, and nothing was added past its lists."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from chalicelib import settings
from chalicelib.once.job import Job
from chalicelib.support.decision import ORDER_STATUS_INTENTS
from chalicelib.support.intents.classify import DEFAULT_INTENT, PRIORITY, TIER_0
from chalicelib.support.intents.departments import RISK_FLAGS, ROUTES
from chalicelib.support.intents.words import TABLES
from chalicelib.support.opinion import _FLAGS
from chalicelib.support.replies.guard_rails import TEMPLATE_OF
from chalicelib.support.replies.template_texts import TEXTS
from chalicelib.support.replies.templates import CATALOGUE
from chalicelib.wiring import Services
from chalicelib.wiring.jobs import KINDS
from tests.rigs.each_row import each_row

ROOT = Path(__file__).parents[2]
PAGE = "".join(
    (ROOT / "docs" / name).read_text()
    for name in ("extending.md", "extending-operation.md", "extending-vendors.md")
)

QUOTED = re.compile(r"`([^`]+)`")
PAIR = re.compile(r"`(\w+)` in `([^`]+)`")
A_PATH = re.compile(r"[\w.<>-]+(/[\w.<>-]*)+|[\w<>-]+\.(py|md|json|toml|yaml)")
A_ROW = re.compile(r"^\| (?P<step>[^|]*)\| (?P<place>[^|]+) \| (?P<extend>[^|]+) \|$", re.MULTILINE)


def paths_of(text: str) -> list[str]:
    return [path for path in QUOTED.findall(text) if A_PATH.fullmatch(path)]


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}")[1].split("\n## ")[0]


@cache
def names_in(path: str) -> frozenset[str]:
    """What a file defines: functions, classes and assigned names; of other files every word."""
    text = (ROOT / path).read_text()
    if not path.endswith(".py"):
        return frozenset(re.findall(r"\w+", text))
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Assign(targets=targets):
                found |= {target.id for target in targets if isinstance(target, ast.Name)}
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
    return frozenset(found)


# --- the page itself ----------------------------------------------------------------------------


@each_row("path", sorted(set(paths_of(PAGE))))
def test_a_path_of_the_page_exists(path: str):
    known, chosen, _ = path.partition("<")
    assert (ROOT / (known.rpartition("/")[0] if chosen else path)).exists()


@each_row(("name", "path"), sorted(set(PAIR.findall(PAGE))))
def test_a_name_is_in_the_file_that_the_page_says(name: str, path: str):
    assert name in names_in(path)


def rows_to_extend() -> list[tuple[str, str]]:
    """Each name that a row says to extend, with each of the row's files."""
    found = []
    for row in A_ROW.finditer(PAGE):
        if row["extend"].startswith("new:") or row["place"].startswith("place"):
            continue
        alone = PAIR.sub("", row["extend"])
        names = [name for name in QUOTED.findall(alone) if name.isidentifier()]
        places = [path for path in paths_of(row["place"]) if "<" not in path]
        found += [(name, place) for name in names for place in places]
    return found


@each_row(("name", "path"), sorted(set(rows_to_extend())))
def test_what_a_row_says_to_extend_is_in_each_of_its_files(name: str, path: str):
    assert name in names_in(path)


def test_the_page_names_enough_to_be_worth_checking():
    assert len(set(paths_of(PAGE))) > 60
    assert len(set(rows_to_extend())) > 50


# --- sources ------------------------------------------------------------------------------------


def webhooks() -> dict[str, str]:
    """Every route for a webhook, and the method of a system's doors that its handler calls."""
    found = {}
    for node in ast.parse((ROOT / "app.py").read_text()).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "app.route":
                route = ast.literal_eval(decorator.args[0])
                called = re.search(r"services\(\)\.\w+_doors\.(\w+)\(", ast.unparse(node))
                if route.startswith("/webhook/") and called:
                    found[route] = called[1]
    return found


def test_every_webhook_is_found():
    assert len(webhooks()) > 4


@pytest.mark.parametrize(("route", "method"), sorted(webhooks().items()))
def test_a_webhook_is_on_the_page_with_the_method_that_answers_it(route: str, method: str):
    (row,) = re.findall(rf"^\| `{route}` \| (.+) \|$", section("A source"), re.MULTILINE)
    ((name, path),) = PAIR.findall(row)
    assert name == method
    assert path.endswith("/doors.py")
    assert method in names_in(path)


@each_row(
    "file",
    [
        "docs/openapi.yaml",
        "docs/security-doors.md",
        "tests/rigs/openapi.py",
        "tests/house/test_webhook_answers.py",
    ],
)
@each_row("route", sorted(webhooks()))
def test_a_webhook_is_in_the_files_of_the_last_steps(route: str, file: str):
    assert file in paths_of(section("A source"))
    assert re.search(rf"{route}\b(?!/)", (ROOT / file).read_text())


def every_job() -> dict[str, type[Job]]:
    def below(model: type[Job]) -> list[type[Job]]:
        return [found for sub in model.__subclasses__() for found in (sub, *below(sub))]

    models = [model for model in below(Job) if model.__module__.startswith("chalicelib.")]
    named = {model: model.model_fields["kind"].default for model in models}
    return {kind: model for model, kind in named.items() if isinstance(kind, str)}


@each_row("kind", sorted(every_job()))
def test_a_kind_of_job_can_be_read_from_the_queue(kind: str):
    assert KINDS[kind] is every_job()[kind]


# --- actions ------------------------------------------------------------------------------------


@cache
def kinds() -> dict[str, str]:
    """Every kind of effect, with the file of the table that has it."""
    found: dict[str, str] = {}
    for path in (ROOT / "chalicelib").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "EffectKind":
                name = ast.literal_eval(node.args[0])
                assert name not in found, f"two are of the kind {name}"
                found[name] = str(path.relative_to(ROOT))
    return found


def test_the_page_lists_every_kind_of_action_in_its_file():
    listed: dict[str, str] = {}
    table = section("An action").split("Today's kinds:")[1]
    for row in re.findall(r"^\| (.+) \| (.+) \|$", table, re.MULTILINE):
        for path in paths_of(row[0]):
            listed |= dict.fromkeys(QUOTED.findall(row[1]), path)
    assert listed == kinds()


def test_every_kind_is_in_the_table_of_its_file_and_wired():
    """Facts have a writer of their own, with executors by `posting.build`."""
    services = Services(settings.load({"STAGE": "dev"}))  # builds nothing but mappings
    tables = {path: import_module(path[:-3].replace("/", ".")).KINDS for path in kinds().values()}
    named = {name: kind.name for table in tables.values() for name, kind in table.items()}
    assert named == {name: name for name in kinds()}
    assert {*services.executors, *services.posting.executors} == set(kinds())


def test_every_kind_of_job_has_a_flow_or_a_keeper():
    services = Services(settings.load({"STAGE": "dev"}))
    assert {*services.flows, *services.keepers} == set(every_job())


def test_every_kind_that_is_planned_is_in_a_table():
    planned = set()
    for path in (ROOT / "chalicelib").rglob("*.py"):
        planned |= set(re.findall(r'PlannedAction\(\s*"(\w+)"', path.read_text()))
    assert planned <= set(kinds())
    assert len(planned) > 2


# --- intents ------------------------------------------------------------------------------------

ROUTED_ONLY = set(
    QUOTED.findall(section("An intent").split("routed only are ")[1].split(".\n", maxsplit=1)[0])
)
BOTH = {"delivered_not_received"}
"""Answered by the order where that can, else acknowledged."""
WHICH = {
    "every one": set(PRIORITY),
    "every one but `unknown_other`": set(PRIORITY) - {DEFAULT_INTENT},
    "tier 0": set(TIER_0),
    "order status": set(ORDER_STATUS_INTENTS),
    "acknowledged": set(PRIORITY) - TIER_0 - (ORDER_STATUS_INTENTS - BOTH) - ROUTED_ONLY,
}


def rows_of_intents() -> list[tuple[str, str]]:
    rows = A_ROW.finditer(section("An intent"))
    found = [(row["step"].strip(), row["place"]) for row in rows if paths_of(row["place"])]
    assert len(found) > 8
    return found


TEMPLATE_FILES = ("replies/templates.py", "replies/template_texts.toml")


@pytest.mark.parametrize(("which", "place"), rows_of_intents())
def test_the_intents_of_a_row_are_in_its_file(which: str, place: str):
    (path,) = paths_of(place)
    words = {intent: intent for intent in WHICH[which]}
    if path.endswith(TEMPLATE_FILES):
        words = {intent: TEMPLATE_OF.get(intent, intent) for intent in words}
    text, shown = (
        (ROOT / path).read_text(),
        r"^(\[\w+\.)?%s(\]$| = )" if path.endswith(".toml") else '"%s"',
    )
    missing = {
        key for key, word in words.items() if not re.search(shown % word, text, re.MULTILINE)
    }
    assert not missing


def test_every_intent_is_handled_in_the_tables_that_the_rows_name():
    """Compared by value, as a name that the file holds may be in another of its tables."""
    assert set(TABLES) == WHICH["every one but `unknown_other`"]
    assert set(ROUTES) >= set(PRIORITY)
    assert set(RISK_FLAGS) == set(_FLAGS.values()) == set(TIER_0)
    assert set(TEMPLATE_OF) == WHICH["acknowledged"]
    assert set(PRIORITY) >= ROUTED_ONLY
    assert {CATALOGUE[tag].tier for tag in TEMPLATE_OF.values()} == {1}
    assert set(TEMPLATE_OF.values()) <= set(TEXTS)


@pytest.mark.parametrize("part", ["dev", "held_out"])
def test_every_intent_has_labelled_messages(part: str):
    lines = (ROOT / "tests" / "samples" / "intents" / f"{part}.jsonl").read_text().splitlines()
    assert {json.loads(line)["intent"] for line in lines} == set(PRIORITY)


# --- tables -------------------------------------------------------------------------------------


def test_every_table_is_on_the_page_beside_its_test():
    rows = [row for row in A_ROW.finditer(section("A row of a table")) if paths_of(row["place"])]
    listed = {path for row in rows for path in paths_of(row["place"])}
    shipped = (ROOT / "chalicelib").rglob("*.toml")
    assert listed == {str(file.relative_to(ROOT)) for file in shipped}
    assert all(re.search(r"`tests/[\w/]+\.py`", row["extend"]) for row in rows)


# --- alarms -------------------------------------------------------------------------------------


def alarms() -> dict[str, str]:
    """Every declared alarm and its description."""
    declared = json.loads((ROOT / ".chalice" / "resources.json").read_text())["Resources"]
    found = {}
    for resource in declared.values():
        if resource.get("Type") == "AWS::CloudWatch::Alarm":
            name = resource["Properties"]["AlarmName"]["Fn::Sub"].removeprefix("rp-mw-${Stage}-")
            found[name] = resource["Properties"]["AlarmDescription"]
    return found


@each_row(("name", "description"), sorted(alarms().items()))
def test_an_alarm_leads_to_its_section_of_the_runbook(name: str, description: str):
    page, _, anchor = description.rpartition("Runbook: ")[2].partition("#")
    assert anchor == name
    assert re.search(rf"^## {name}$", (ROOT / page).read_text(), re.MULTILINE)
    assert f"({Path(page).name}#{name})" in (ROOT / "docs" / "runbook.md").read_text()


# --- a setting of a project ---------------------------------------------------------------------

TREE = (
    *("app.py", "pyproject.toml", ".chalice"),
    *("chalicelib", "console", "docs", "local", "ops", "tests"),
)
Edits = dict[str, dict[str, str]]
"""By file: what is put before which text."""
ROW: Edits = {
    "chalicelib/outreach/project/project.py": {
        "    def __init__(self, item: Mapping[str, Any]) -> None:\n": (
            "    greeting: Part[str | None] = Part(\n"
            '        lambda: fields.Wording | None, "no greeting", nothing, is_copied=True\n'
            "    )\n\n"
        )
    }
}
READER: Edits = {
    "chalicelib/outreach/writing/template_writer.py": {
        "        if form is Form.TEXT:\n            return": (
            "        text = Project(record.item).greeting or text\n"
        ),
    }
}
NOTICED = pytest.mark.long  # a process more, to show that the invented test can fail
INVENTED = '''
"""An invented setting, from the command to the message."""

import json

from tests.rigs.ops_cli import runner
from tests.rigs.outreach import TEL


def test_it_is_stored_checked_and_read(outreach, capsys, tmp_path):
    run, path = runner(capsys), tmp_path / "item.json"
    path.write_text(json.dumps({**outreach.project, "greeting": "canary" * 200}))
    wrong = run("company", "check", "--file", path, "--json")
    assert any(row["detail"].startswith("greeting:") for row in wrong.data), "not checked"
    assert run("company", "put", path).code == 1
    path.write_text(json.dumps({**outreach.project, "greeting": "Good day."}))
    said = run("company", "put", path, "--json")
    assert (said.code, said.data["findings"]) == (0, []), "not known"
    outreach.start(channel="sms")
    outreach.run()
    (sent,) = outreach.twilio.sent_to(TEL)
    assert sent["body"].startswith("Good day."), "not read"
'''


@pytest.fixture(scope="module")
def branch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree."""
    made = tmp_path_factory.mktemp("branch")
    for name in TREE:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, made / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, made / name)
    (made / "tests/ops/companies/test_company.py").write_text(INVENTED)
    return made


@pytest.mark.parametrize(
    ("edits", "lack"),
    [
        pytest.param(ROW | READER, None, id="at both places"),
        pytest.param(READER, "not checked", id="without its row", marks=NOTICED),
        pytest.param(ROW, "not read", id="without its reader", marks=NOTICED),
    ],
)
def test_a_setting_is_added_at_its_row_and_its_reader(branch: Path, edits: Edits, lack: str | None):
    """Done, and undone again, by touching only what the page lists."""
    assert {*ROW} <= {*paths_of(section("A setting of a project"))}
    kept = {path: (branch / path).read_text() for path in edits}
    for path, additions in edits.items():
        text = kept[path]
        for before, added in additions.items():
            assert text.count(before) == 1
            text = text.replace(before, added + before)
        (branch / path).write_text(text)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n0", "tests/ops/companies/test_company.py"],
        cwd=branch,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    for path, text in kept.items():
        (branch / path).write_text(text)
    assert run.returncode == (1 if lack else 0), run.stdout + run.stderr
    assert lack is None or lack in run.stdout
