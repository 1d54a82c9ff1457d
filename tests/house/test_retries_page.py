"""The page on retries names every retry and wait, each with the number that the code has."""

import ast
import importlib
import json
import re
from datetime import timedelta
from pathlib import Path

from tests.rigs.each_row import each_row

ROOT = Path(__file__).resolve().parents[2]
PAGES = "".join(
    (ROOT / "docs" / name).read_text() for name in ("retries.md", "retries-recovery.md")
)
RESOURCES = re.compile(r"\.chalice/(\w+\.json): ")
CELLS = 5
ROW = re.compile(r"^\| `([^`]+)` \| (?:`([^`]+)`)? ?\| (.+?) \| (.*?) ?\| (.*?) ?\|$", re.MULTILINE)
NAME = re.compile(
    r"(^|_)(TRIES|RETRIES|ATTEMPTS|PATIENCE_SECONDS|(WAIT|PAUSE|RETRY)S?(_SECONDS)?)$|^_?BACKOFF_"
)


def rows():
    """Name to value, as the page shows them."""
    return {found[1]: found[2] for found in ROW.finditer(PAGES)}


def resolved(name):
    """What a dotted name stands for: a constant, an attribute of one, or a method."""
    module, _, rest = name.rpartition(".")
    while module:
        try:
            found = importlib.import_module(module)
        except ModuleNotFoundError:
            module, _, part = module.rpartition(".")
            rest = f"{part}.{rest}"
            continue
        for part in rest.split("."):
            found = getattr(found, part)
        return found
    raise LookupError(name)


def declared(node, key):
    """Every value of a key in the stage's declaration."""
    if isinstance(node, list):
        return [value for inner in node for value in declared(inner, key)]
    if not isinstance(node, dict):
        return []
    mine = [node[key]] if isinstance(node.get(key), int) else []
    return mine + [value for inner in node.values() for value in declared(inner, key)]


def shown(value):
    return str(value) if isinstance(value, timedelta) else repr(value)


def test_every_row_of_the_page_is_read():
    lines = [line for line in PAGES.splitlines() if line.startswith("| `")]
    assert len(lines) == len(rows()) > 40


@each_row("name", rows())
def test_each_number_of_the_page_is_the_one_in_the_code(name):
    value = rows()[name]
    if file := RESOURCES.match(name):
        resources = json.loads((ROOT / ".chalice" / file[1]).read_text())
        assert {str(made) for made in declared(resources, name[file.end() :])} == {value}
        return
    found = resolved(name)
    assert callable(found) if value is None else shown(found) == value


def constants():
    """Names of the product's module-level constants that say how often or how long to wait."""
    for path in sorted((ROOT / "chalicelib").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    if isinstance(target, ast.Name) and NAME.search(target.id):
                        yield f"{module}.{target.id}"


def test_every_constant_of_a_retry_or_a_wait_is_on_the_page():
    found = list(constants())
    assert len(found) > 10
    assert [name for name in found if name not in rows()] == []
