"""A name means one thing: no two public classes share one, nor two modules without a reason."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOPS = ("app.py", "chalicelib", "console", "local", "ops")
IN_EACH_SYSTEM = {
    "build": "makes a system's parts",
    "client": "the calls of one vendor",
    "door": "what answers one sender",
    "doors": "makes what answers senders",
    "effects": "the kinds of side effects",
    "flow": "what becomes of an event",
    "jobs": "what the queue carries",
    "keys": "event and action keys",
    "plan": "what an event is going to do",
    "reasons": "why something was not done",
    "settings": "the environment's variables",
    "store": "a table",
    "sweep": "what reconciliation looks for",
    "waiting": "events that wait for their turn",
    "webhook": "verifies and parses what one sender posts",
    "work": "makes what runs in the lanes",
}
"""The same thing in two systems, by its name there."""
SEEN_TWICE = {
    "__main__": "a command of Python's own",
    "app": "Chalice's and Flask's word for the application",
    "commands": "the commands of one group",
    "company": "what operators do with one, and the invented one",
    "journal": "stored, and entered by commands",
    "lambda_events": "read by the functions, made for them on one machine",
    "senders": "whose number it is, and how an operator changes that",
    "switches": "read by the functions, set by an operator",
    "tickets": "as Richpanel has them, and as an operator is shown them",
    "unfinished": "repaired by the sweep, and listed for an operator",
}
"""One thing, from two sides."""
SHOWN = ("console/pages", "local/vendors", "local/demo")
"""Folders of pages that show a module's subject, of simulated vendors, and of the demo's chapters."""


def _modules() -> Iterator[Path]:
    for top in TOPS:
        found = [ROOT / top] if top.endswith(".py") else sorted((ROOT / top).rglob("*.py"))
        yield from (file for file in found if file.name != "__init__.py")


def test_no_two_public_classes_share_a_name():
    places = defaultdict(list)
    for path in _modules():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(ROOT)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_two_modules_share_a_name_without_a_reason():
    places = defaultdict(list)
    for path in _modules():
        place = path.relative_to(ROOT)
        if str(place.parent) not in SHOWN:
            places[path.stem].append(str(place))
    twice = {name: found for name, found in places.items() if len(found) > 1}
    reasons = {*IN_EACH_SYSTEM, *SEEN_TWICE}
    assert {name: twice[name] for name in twice.keys() - reasons} == {}
    assert reasons - twice.keys() == set(), "a reason without two modules"
