"""Every property of this folder again, with several times as many examples."""

import importlib
from pathlib import Path

import pytest

from tests.rigs.properties import MANY

MODULES = sorted(path.stem for path in Path(__file__).parent.glob("test_*.py"))


def properties():
    for name in MODULES:
        if name == Path(__file__).stem:
            continue
        module = importlib.import_module(f"tests.redaction.{name}")
        for one in vars(module).values():
            if hasattr(one, "hypothesis"):
                yield pytest.param(one, id=one.__name__)


@pytest.mark.long  # rarer combinations of what the folder's other tests combine
@pytest.mark.parametrize("prove", [*properties()])
def test_a_property_holds_for_many_examples(prove, monkeypatch):
    monkeypatch.setattr(prove, "_hypothesis_internal_use_settings", MANY)
    prove()
