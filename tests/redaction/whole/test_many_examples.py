"""Every property of this folder again, with several times as many examples."""

import importlib
from pathlib import Path

import pytest

from tests.rigs.properties import MANY

FOLDER = Path(__file__).parents[1]
MODULES = sorted(FOLDER.rglob("test_*.py"))


def properties():
    for file in MODULES:
        if file == Path(__file__):
            continue
        names = file.relative_to(FOLDER).with_suffix("").parts
        module = importlib.import_module(".".join(("tests", "redaction", *names)))
        for var in vars(module).values():
            if hasattr(var, "hypothesis"):
                yield pytest.param(var, id=var.__name__)


@pytest.mark.long  # rarer combinations of what the folder's other tests combine
@pytest.mark.parametrize("prove", [*properties()])
def test_a_property_holds_for_many_examples(prove, monkeypatch):
    monkeypatch.setattr(prove, "_hypothesis_internal_use_settings", MANY)
    prove()
