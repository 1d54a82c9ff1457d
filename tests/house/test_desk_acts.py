"""The desk's acts are made of one row each: what the pages say of them, and what a new one touches."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bench.report import desk

ROOT = Path(__file__).parents[2]
SECTION = (ROOT / "docs" / "extending.md").read_text().split("\n## An act at the desk")[1]
LISTED = set(re.findall(r"^\| [^|]*\| `([^`]+)` \|", SECTION.split("\n## ")[0], re.MULTILINE))
COPIED = ("bench", "chalicelib", "console", "docs", "local", "ops", "tests", ".chalice")

CHANGE = '''

def praise(case: Case) -> PlannedAct:
    """Colleagues see how good the answer was."""
    return PlannedAct(ActChange(attributes={"praised": case.asked.value_of("grade")}))
'''
ROW = """        DeskAct(
            "praise",
            changes.praise,
            ActWords("Praise it", "says how good the answer was"),
            (ActField("grade", "of the answer", "Grade", 20, is_needed=True),),
            offered=OfferedTo.ALL,
        ),
"""
CHANGES, ACTS = (f"chalicelib/outreach/desk/{name}.py" for name in ("changes", "acts"))
PAGES = ("docs/openapi.yaml", "docs/outreach-people.md")
TESTS = (
    "tests/outreach/desk/whole/test_acts.py",
    "tests/console/whole/test_conversations.py",
)


@pytest.mark.parametrize("path", desk.pages(), ids=lambda path: path.name)
def test_a_page_says_what_the_registry_says(path):
    """If this fails, run `python -m bench.report.desk`, which writes it."""
    assert path.read_text() == desk.pages()[path]


# --- an act that is added and removed again -----------------------------------------------------


class Tree:
    """A copy of the tree, to which the act `praise` is added."""

    def __init__(self, folder):
        self.folder = folder
        for name in COPIED:
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("samples"))

    def runs(self, module):
        """A module of the copy, as a command."""
        return subprocess.run(
            [sys.executable, "-m", module],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    def put(self, path, before, added):
        """Add to a file, right before some text of it."""
        text = (self.folder / path).read_text()
        assert text.count(before) == 1, path
        (self.folder / path).write_text(text.replace(before, added + before))

    def add(self, *, without=""):
        """Add the act at every place on the page's list, except `without`."""
        steps = {
            CHANGES: ("\n\ndef _step_in(", CHANGE),
            ACTS: ("    )\n}\n\n\ndef plan_act(", ROW),
            **dict.fromkeys(TESTS, ('    "note": {"text": "Called before"},\n', GRADE)),
        }
        for path, (before, added) in steps.items():
            if path != without:
                self.put(path, before, added)
        self.runs("bench.report.desk")
        if without in PAGES:
            self.restore(without)

    def restore(self, *paths):
        """The files as they are in the repository."""
        for path in paths:
            shutil.copy2(ROOT / path, self.folder / path)

    def changed(self):
        """The files that are not as in the repository."""
        return {
            str(path.relative_to(self.folder))
            for path in self.folder.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
            if path.read_bytes() != (ROOT / path.relative_to(self.folder)).read_bytes()
        }


LACKS = {
    ACTS: {"api", "command_line", "form", "openapi", "page", "tests"},
    **dict(zip(PAGES, ({"openapi"}, {"page"}), strict=True)),
    **{test: {"tests"} for test in TESTS},
}
"""The checks that fail when a place is left out, by place; without its function nothing starts."""
GRADE = '    "praise": {"grade": "good"},\n'


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    return Tree(tmp_path_factory.mktemp("tree") / "copy")


@pytest.fixture
def tree(copied):
    yield copied
    copied.restore(*LISTED)


def test_the_list_has_these_places():
    assert {CHANGES, ACTS, *PAGES, *TESTS} == LISTED


def test_an_act_is_added_by_the_list_alone_and_removed_again(tree):
    tree.add()
    seen = tree.runs("tests.rigs.invented_act")
    assert json.loads(seen.stdout) == {}, seen.stderr
    assert tree.changed() == LISTED
    tree.restore(CHANGES, ACTS, *TESTS)
    tree.runs("bench.report.desk")
    assert tree.changed() == set()


@pytest.mark.long  # a process for each place
@pytest.mark.parametrize("place", sorted(LISTED))
def test_an_act_that_is_left_out_of_a_listed_place_is_noticed_there(tree, place):
    tree.add(without=place)
    seen = tree.runs("tests.rigs.invented_act")
    if place == CHANGES:
        assert "has no attribute 'praise'" in seen.stderr
    else:
        assert json.loads(seen.stdout).keys() == LACKS[place], seen.stderr
