"""Only `chalicelib.outreach.project` looks into a project's item: a setting has one reader."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.report import settings
from chalicelib.outreach.project.project import parts
from tests.rigs.each_row import each_row

ROOT = Path(__file__).parents[2]
PROJECT = ROOT / "chalicelib" / "outreach" / "project"
TREES = ("chalicelib/outreach", "chalicelib/wiring", "ops", "console", "local")
FILES = [
    *(
        path
        for tree in TREES
        for path in sorted((ROOT / tree).rglob("*.py"))
        if path.parent != PROJECT
    ),
    ROOT / "app.py",
]
SETTINGS = parts().keys() - {"company_id", "project_id"}
"""Names in an item; the ids are its key and in many others too."""
RECORDS = {
    "chalicelib/outreach/conversations/items.py": {"item"},
    "chalicelib/outreach/conversations/records.py": {"self.item"},
    "chalicelib/outreach/conversations/response_targets.py": {"record"},
    "chalicelib/outreach/hearing/matching.py": {"kept"},
}
"""Other names than `record.item` under which code holds a conversation's record."""
TABLE = {
    "chalicelib/outreach/build.py": "handed to `Companies` and `Senders`",
    "chalicelib/outreach/doors.py": "likewise",
    "chalicelib/settings.py": "its name",
    "chalicelib/wiring/core.py": "tables that a stage must have",
    "ops/companies/commands.py": "its name beside what was erased",
    "ops/companies/company.py": "items for `company check`, which hands them to `project.check`",
    "ops/companies/erase.py": "every item of every table, whatever it holds",
    "ops/companies/senders.py": "the rows of senders, and projects as `Project`",
    "ops/stage/names.py": "its name",
}
"""Who may name the table, and why."""


def _is_of_record(receiver: ast.expr, function: ast.AST | None) -> bool:
    """Whether it is a conversation's copy, or a sample item that the same function makes."""
    text = ast.unparse(receiver)
    if text.endswith("record.item"):
        return True
    for node in ast.walk(function) if function and isinstance(receiver, ast.Name) else ():
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            pairs = (
                zip(target.elts, node.value.elts, strict=True)
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
                else ((target, node.value),)
            )
            for name, value in pairs:
                made = ast.unparse(value)
                if ast.unparse(name) == text and (
                    made == "record.item" or made.startswith(("project(", "company.project("))
                ):
                    return True
    return False


def looks(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The receiver and the name of each look into a mapping for a setting that is no copy."""
    within = {
        inner: outer
        for outer in ast.walk(tree)
        if isinstance(outer, ast.FunctionDef)
        for inner in ast.walk(outer)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=receiver, slice=ast.Constant(value=str(key))):
                pass
            case ast.Call(
                func=ast.Attribute(value=receiver, attr="get" | "pop" | "setdefault"),
                args=[ast.Constant(value=str(key)), *_],
            ):
                pass
            case _:
                continue
        is_looked_up = key in SETTINGS and ast.unparse(receiver) != "Literal"
        if is_looked_up and not _is_of_record(receiver, within.get(node)):
            yield ast.unparse(receiver), key


@each_row("path", FILES)
def test_nothing_else_looks_into_a_projects_item(path: Path):
    known = RECORDS.get(str(path.relative_to(ROOT)), set())
    tree = ast.parse(path.read_text())
    assert [look for look in looks(tree) if look[0] not in known] == []
    assert not [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and (node.attr == "_item" and not ast.unparse(node).startswith("self."))
    ]


@pytest.mark.parametrize(
    "source",
    [
        "def f(item): return item.get('ai_config')",
        "def f(self, record): return self.current(record)['quiet_hours']",
        "def f(project): return (project.get('channel_config') or {}).get('sms')",
        "def f(item, record):\n    other = record.item\n    return item['language']",
    ],
)
def test_a_look_into_an_item_would_be_found(source: str):
    assert list(looks(ast.parse(source)))


def test_a_look_into_a_conversations_copy_is_none():
    source = "def f(record):\n    item = record.item\n    return item['language']"
    assert not list(looks(ast.parse(source)))


def test_the_page_says_what_holds_where_a_setting_cannot_be_read():
    """If this fails, run `python -m bench.report.settings`, which writes it."""
    assert (settings.PAGE).read_text() == settings.page()


def test_nobody_else_names_the_table():
    found = {
        str(path.relative_to(ROOT))
        for folder in ("chalicelib", "ops", "console", "local")
        for path in (ROOT / folder).rglob("*.py")
        if "company_data_table" in path.read_text()
    }
    assert found == TABLE.keys()


def test_a_class_of_settings_shares_its_name_with_none():
    """A reader would look into the wrong one; tests have names of their own."""
    found = Counter(
        node.name
        for folder in ("chalicelib", "ops", "console", "local")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
    )
    mine = {
        node.name
        for path in PROJECT.glob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
    }
    assert {name for name in mine if found[name] > 1} == set()
