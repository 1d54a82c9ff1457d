"""The pages' lists of promises and `tests/outside` agree, and those tests see only the outside."""

import ast
import re
from collections import Counter
from pathlib import Path

from tests.rigs.each_row import each_row

ROOT = Path(__file__).parents[2]
OUTSIDE = ROOT / "tests" / "outside"
INSIDE = {"app", "bench", "chalicelib", "console", "local", "ops"}
WITHOUT_PROMISES = {
    "capacity": "arithmetic and measured ceilings",
    "extending": "how the code is changed",
    "performance": "measured figures",
    "personal-data": "security-proofs has its promises",
    "security": "likewise",
    "security-doors": "likewise",
    "security-operators": "likewise",
    "security-tests": "likewise",
    "security-throttles": "likewise",
}
"""Pages that promise nothing to a user of the running system."""
OF_SEVERAL = {"security-proofs": "security"}
"""Pages whose files are named by the pages of which they have the promises."""
PAGES = sorted(one.stem for one in (ROOT / "docs").glob("*.md"))


@each_row("page", [one for one in PAGES if one not in WITHOUT_PROMISES])
def test_a_page_lists_a_promise_for_each_of_its_tests(page):
    assert _promised(page), f"docs/{page}.md has no section Promises"
    assert sorted(_promised(page)) == sorted(_tried(page))


def test_a_page_without_promises_lists_none():
    assert set(WITHOUT_PROMISES) < set(PAGES)
    assert not [one for one in WITHOUT_PROMISES if _promised(one) or _tried(one)]


def test_every_file_of_the_folder_belongs_to_a_page():
    strays = set(OUTSIDE.glob("test_*.py")) - {file for page in PAGES for file in _files(page)}
    assert strays == set()


def test_a_promise_is_made_on_one_page():
    counted = Counter(name for page in PAGES for name in _promised(page))
    assert [name for name, number in counted.items() if number > 1] == []


def test_nothing_of_the_product_is_imported():
    files = list(OUTSIDE.glob("*.py"))
    assert files
    assert {name for file in files for name in _imported(file)} & INSIDE == set()


def _promised(page):
    text = (ROOT / "docs" / f"{page}.md").read_text()
    section = re.search(r"^## Promises$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    lines = re.findall(r"^- (.+)$", section[1], re.MULTILINE) if section else []
    return [_name(line) for line in lines]


def _name(promise):
    """The test of a promise: its words."""
    words = re.sub(r"[^a-z0-9]+", "_", promise.lower().replace("'", "")).strip("_")
    return f"test_{words}"


def _files(page):
    """A page's file, or several of them: `test_outreach_stop.py`."""
    if page in WITHOUT_PROMISES:
        return []
    name = f"test_{OF_SEVERAL.get(page, page).replace('-', '_')}"
    return [*OUTSIDE.glob(f"{name}.py"), *OUTSIDE.glob(f"{name}_*.py")]


def _tried(page):
    trees = [ast.parse(file.read_text()) for file in _files(page)]
    found = [one.name for tree in trees for one in tree.body if isinstance(one, ast.FunctionDef)]
    return [name for name in found if name.startswith("test_")]


def _imported(file):
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (one.name.partition(".")[0] for one in node.names)
        if isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]
