"""A test is found by the place of what it tests; see CONTRIBUTING.md."""

import re
from pathlib import Path

from tests.rigs.each_row import each_row

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
OWN = {
    *(
        "attack",
        "contracts",
        "crash",
        "deployed",
        "docs",
        "fuzz",
        "house",
        "outside",
        "reliability",
    ),
    "simulation",
}
"""Folders of tests of their own kind; any other mirrors `chalicelib`, or the tree beside it."""
BESIDE = ("console", "local", "ops")
FILES = sorted(TESTS.rglob("test_*.py"))
SCENARIOS = dict(
    re.findall(
        r"^\| (F\d\d) \| (.+?) \|",
        (ROOT / "docs/reliability-scenarios.md").read_text(),
        re.MULTILINE,
    )
)


def _mirrored(folder):
    """The folder of the product that a folder of tests mirrors."""
    parts = folder.relative_to(TESTS).parts
    return ROOT.joinpath(*(() if parts[:1] and parts[0] in BESIDE else ("chalicelib",)), *parts)


@each_row(
    "file",
    [file for file in FILES if file.relative_to(TESTS).parts[0] not in OWN],
)
def test_a_test_mirrors_a_module_or_is_of_a_package_as_a_whole(file):
    if file.parent.name == "whole":
        assert _mirrored(file.parent.parent).is_dir()
        return
    subject, folder = file.stem.removeprefix("test_"), _mirrored(file.parent)
    names = {path.stem for path in folder.glob("*.py")} | {path.name for path in folder.glob("*/")}
    assert any(subject == name or subject.startswith(f"{name}_") for name in names)


def test_a_scenarios_number_carries_its_sentence():
    """A reader of ``F22`` in a test need not look it up."""
    bare = re.compile(r'"""(?:F\d\d(?:, | and )?)+\.?"""')
    assert SCENARIOS
    assert [str(file) for file in FILES if bare.search(file.read_text())] == []
