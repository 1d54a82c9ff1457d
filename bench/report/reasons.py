"""Writes where each reason is made: `python -m bench.report.reasons`, the tables of docs/reasons.md.

A file makes a reason where its code names the constant of the reason's module.  Where no file does, the
code spells the reason; what it puts together from parts is in `COMPOSED`.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

from bench.report import marked
from chalicelib.facts import reasons as facts
from chalicelib.once import reasons as core
from chalicelib.once.reasons import Why, declared
from chalicelib.outreach import reasons as outreach
from chalicelib.support import reasons as support
from chalicelib.vendors import reasons as vendors

PAGE = marked.ROOT / "docs" / "reasons.md"
MODULES: Mapping[str, ModuleType] = {
    "core": core,
    "vendors": vendors,
    "support": support,
    "outreach": outreach,
    "facts": facts,
}
COMPOSED: Mapping[str, str] = {
    "compose:": "chalicelib/outreach/events/drafting.py",
    "secrets:": "chalicelib/outreach/events/drafting.py",
    "open:": "chalicelib/outreach/events/start.py",
    "retries:": "chalicelib/outreach/messages/ending.py",
    "declined:": "chalicelib/outreach/desk/changes.py",
    "draft_": "chalicelib/outreach/writing/review.py",
    "openai_empty_message": "chalicelib/outreach/writing/model_writer.py",
    "quiet_hours_unreadable": "chalicelib/outreach/events/waiting.py",
    "http_": "chalicelib/errors.py",
    "operator:abandon": "ops/repair/settle.py",
}
"""The file that puts a code together, by the code's beginning."""


def page() -> str:
    """The page as it should be."""
    text, files = PAGE.read_text(), makers()
    for name, module in MODULES.items():
        rows = [
            (_shown(code), ", ".join(f"`{file}`" for file in sorted(files[code])))
            for code in sorted(declared(module))
        ]
        table = marked.table(("reason", "made in"), rows)
        text = marked.replaced(
            text, f"<!-- {name} -->", f"<!-- end of {name} -->", ["", *table, ""]
        )
    return text


def makers() -> Mapping[str, set[str]]:
    """By the code of a reason, the files of `chalicelib` and `ops` that make it."""
    named: defaultdict[str, set[str]] = defaultdict(set)
    spelled: defaultdict[str, set[str]] = defaultdict(set)
    paths = [path for folder in ("chalicelib", "ops") for path in (marked.ROOT / folder).rglob("*")]
    for path in sorted(paths):
        file = path.relative_to(marked.ROOT)
        if path.suffix not in (".py", ".toml") or path.name in ("reasons.py", "causes.py"):
            continue
        for text in _texts(path):
            spelled[text].add(str(file))
        if path.suffix == ".py" and file.parts[0] == "chalicelib":
            name = ".".join(file.with_suffix("").parts).removesuffix(".__init__")
            for code in _named(ast.parse(path.read_text()), importlib.import_module(name)):
                named[code].add(str(file))
    return {
        code: named[code] or _composed(code) or spelled[code]
        for code in declared(*MODULES.values())
    }


def _composed(code: str) -> set[str]:
    return {file for beginning, file in COMPOSED.items() if code.startswith(beginning)}


def _named(tree: ast.Module, module: ModuleType) -> Iterator[str]:
    """The codes of the reasons whose constants a module's code names."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                value = getattr(module, name, None)
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                value = getattr(getattr(module, owner, None), name, None)
            case _:
                continue
        if isinstance(value, Why):
            yield str(value)


def _texts(path: Path) -> Iterator[str]:
    """The texts that a file holds: constants of a module, values of a table."""
    if path.suffix == ".toml":
        yield from re.findall(r'"([^"\n]+)"', path.read_text())
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _shown(code: str) -> str:
    return f"`{code}...`" if code[-1] in ":_" else f"`{code}`"


if __name__ == "__main__":
    PAGE.write_text(page())
