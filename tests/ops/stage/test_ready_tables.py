"""A bundle holds every table ready-built, and each equals the one that the sources build."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from chalicelib import ready
from ops.stage import archive, ready_tables

ROOT = Path(__file__).parents[3]
MESSAGES = (
    "Where is my order #1001?",
    "wher is my ordr",
    "I want a refund and I will call my lawyer!!",
    "\u00bfD\u00f3nde est\u00e1 mi pedido?",
    "Please cancel it. Thanks",
    "my Zelda game arrived broken, is there any news?",
)
READING = """
import json, sys
sys.path.insert(0, sys.argv[1])
from chalicelib import ready
from chalicelib.support.conversation.conversation_words import is_neutral, requests_in
from chalicelib.support.intents.message_reading import read
from chalicelib.support.intents.own_words import marked_words
found = [
    [
        repr(meant.found), sorted(meant.risks), repr(meant.sentences),
        sorted(map(str, requests)), is_neutral(text),
    ]
    for text in json.loads(sys.argv[2])
    for meant, requests in [(read(text), requests_in(marked_words(text)))]
]
print(json.dumps([ready.FOLDER.is_dir(), found]))
"""


def marked() -> set[str]:
    """Every function of the sources with the decorator `ready`."""
    found = set()
    for file in (ROOT / "chalicelib").rglob("*.py"):
        module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for node in ast.walk(ast.parse(file.read_text())):
            marks = getattr(node, "decorator_list", ())
            if any(isinstance(mark, ast.Name) and mark.id == "ready" for mark in marks):
                found.add(f"{module}.{node.name}")  # type: ignore[attr-defined]  # a function
    return found


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundle")
    shutil.copytree(ROOT / "chalicelib", folder / "chalicelib")
    ready_tables.build(folder)
    return folder


def read(folder: Path) -> tuple[bool, list[object]]:
    run = subprocess.run(
        [sys.executable, "-B", "-c", READING, str(folder), json.dumps(MESSAGES)],
        capture_output=True,
        text=True,
        check=True,
    )
    is_ready, found = json.loads(run.stdout)
    return is_ready, found


def test_each_marked_builder_is_built():
    assert marked() == set(ready_tables.BUILDERS)


def test_messages_are_read_from_a_bundle_as_from_the_sources(bundled: Path):
    assert read(bundled) == (True, read(ROOT)[1])
    assert not read(ROOT)[0]


def test_what_a_bundle_holds_is_taken_and_not_built_again(bundled: Path):
    table = (
        bundled
        / "chalicelib"
        / "ready_tables"
        / "chalicelib.support.intents.grammar.grammars.pickle"
    )
    kept = table.read_bytes()
    table.write_bytes(b"no pickle")
    try:
        with pytest.raises(subprocess.CalledProcessError):
            read(bundled)
    finally:
        table.write_bytes(kept)


def test_the_same_sources_give_the_same_bytes(bundled: Path, tmp_path: Path):
    shutil.copytree(ROOT / "chalicelib", tmp_path / "chalicelib")
    ready_tables.build(tmp_path)

    def kept(folder: Path) -> dict[str, bytes]:
        files = archive.files(folder / "chalicelib" / "ready_tables")
        return {name: file.read_bytes() for name, file in files.items()}

    assert kept(tmp_path) == kept(bundled)


def test_a_builder_is_called_once_where_nothing_is_kept():
    calls = []

    @ready.ready
    def table() -> list[int]:
        calls.append(1)
        return [1]

    assert table() is table()
    assert calls == [1]
