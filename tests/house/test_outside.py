"""The pages' lists of promises and `tests/outside` agree, and those tests see only the outside."""

import ast
import re
from collections import Counter
from pathlib import Path

from tests.rigs.each_row import each_row

ROOT = Path(__file__).parents[2]
OUTSIDE = ROOT / "tests" / "outside"
INSIDE = {"app", "bench", "chalicelib", "console", "local", "ops"}
OF_SEVERAL = {
    "console": "console-rights",
    "retries": "retries-recovery",
    "security": "security-promises",
    "support": "support-promises",
}
"""Pages whose promises are on another page."""
PAGES = sorted(path.stem for path in (ROOT / "docs").glob("*.md"))


PROMISING = ("architecture", "decisions", "facts", "redaction", "setup", "upgrading", "writer")
"""Some of the pages that must promise something to a user of the running system."""


@each_row("page", PAGES)
def test_a_page_lists_a_promise_for_each_of_its_tests(page):
    assert sorted(_promised(page)) == sorted(_tried(page))
    assert _promised(page) or page not in PROMISING


def test_every_file_of_the_folder_belongs_to_a_page():
    assert [path.name for path in OUTSIDE.glob("test_*.py") if not _page_of(path)] == []


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
    """The tests of a page: `test_outreach_stop.py` is of `outreach-stop`, not of `outreach`."""
    return [path for path in OUTSIDE.glob("test_*.py") if _page_of(path) == page]


def _page_of(file):
    """The page with the longest name that the file's name begins with."""
    name = f"{file.stem.removeprefix('test_').replace('_', '-')}-"
    page = max((known for known in PAGES if name.startswith(f"{known}-")), key=len, default="")
    return OF_SEVERAL.get(page, page)


def _tried(page):
    trees = [ast.parse(file.read_text()) for file in _files(page)]
    found = [node.name for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [name for name in found if name.startswith("test_")]


def _imported(file):
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        if isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]
