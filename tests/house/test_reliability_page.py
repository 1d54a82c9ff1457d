"""The reliability page names an existing test for every scenario."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reliability-scenarios.md"
ROW = re.compile(r"^\| (F\d\d) \| (.+?) \| (.+?) \|$", re.MULTILINE)


def rows():
    return {number: (fault, proof) for number, fault, proof in ROW.findall(PAGE.read_text())}


def test_every_scenario_has_a_row():
    assert list(rows()) == [f"F{number:02}" for number in range(1, 61)]


def test_every_row_names_a_test_that_exists_or_says_why_there_is_none():
    wrong = []
    for number, (_, proof) in rows().items():
        file, _, name = proof.partition("::")
        if name:
            path = ROOT / file
            exists = path.exists() and re.search(rf"def {name}\(", path.read_text())
        else:
            exists = proof.startswith("cannot apply: ")
        if not exists:
            wrong.append(f"{number}: {proof}")
    assert wrong == []
