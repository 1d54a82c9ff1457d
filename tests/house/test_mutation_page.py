"""The reliability page explains survivors that can still exist, and its figures add up."""

import ast
import re

import pytest

from bench.report.mutation import AT_LEAST, CORE, FILES, PAGE, explained
from tests.rigs.each_row import each_row

FIGURE = re.compile(r"^\| `([\w/]+)\.py` \| (\d+) \| (\d+) \|", re.MULTILINE)


def figures():
    return {name: (int(killed), int(of)) for name, killed, of in FIGURE.findall(PAGE.read_text())}


def as_told(lines):
    return " ".join(line.strip().replace("|", "¦") for line in lines)


@each_row("survivor", sorted(explained(), key=repr))
def test_each_explained_survivor_changes_lines_that_exist_in_its_function(survivor):
    name, function = survivor.function.split(".")
    source = (CORE / f"{name}.py").read_text()
    bodies = [
        as_told(source.splitlines()[node.lineno : node.end_lineno])
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.name == function
    ]
    assert any(survivor.was in body for body in bodies)


@pytest.mark.parametrize("name", FILES)
def test_killed_and_explained_mutants_add_up_for_each_file(name):
    killed, of = figures()[name]
    survivors = [survivor for survivor in explained() if survivor.function.startswith(f"{name}.")]
    assert killed + len(survivors) == of


def test_the_target_is_met_over_all_files():
    killed, of = (sum(column) for column in zip(*figures().values(), strict=True))
    assert killed >= AT_LEAST * of
