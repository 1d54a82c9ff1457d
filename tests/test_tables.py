"""A table is read when it is looked at, and a wrong row is named."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from pathlib import Path

import pytest

from chalicelib.tables import Rows, TableError, beside, read

ROOT = Path(__file__).parents[1]


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Fruit:
    colour: Colour
    grams: float
    at: date | None = None
    is_sweet: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Basket:
    fruits: Mapping[str, Fruit]
    by_number: Mapping[int, str] = field(default_factory=dict)


WHOLE = """
[fruits.apple]
colour = "red"
grams = 150
at = 2026-01-31
is_sweet = true
names = '''
  red apple

  pomme (?:rouge|verte)
'''
[fruits.plum]
colour = "red"
grams = 20.5
names = ["plum"]
[by_number]
7 = "seven"
"""


def of(text, tmp_path):
    file = tmp_path / "basket.toml"
    file.write_text(text)
    return read(file, Basket)


def test_a_file_is_rows_of_its_schema(tmp_path):
    apple = Fruit(
        *(Colour.RED, 150.0, date(2026, 1, 31)),
        is_sweet=True,
        names=("red apple", "pomme (?:rouge|verte)"),
    )
    plum = Fruit(Colour.RED, 20.5, names=("plum",))
    found = of(WHOLE, tmp_path)
    assert found == Basket({"apple": apple, "plum": plum}, {7: "seven"})
    assert isinstance(found.fruits["apple"].grams, float)
    assert isinstance(found.fruits["plum"].colour, Colour)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("grams = 150", "grams = '150'", "fruits.apple.grams is no float"),
        ("grams = 150", "grams = true", "fruits.apple.grams is no float"),
        ("grams = 150\n", "", "fruits.apple.grams is missing"),
        ("grams = 150", "grams = 150\nkg = 1", "fruits.apple.kg is no field of Fruit"),
        (
            '[fruits.plum]\ncolour = "red"',
            '[fruits.plum]\ncolour = "blue"',
            "plum.colour is no Col",
        ),
        ("is_sweet = true", "is_sweet = 1", "fruits.apple.is_sweet is no bool"),
        ("at = 2026-01-31", "at = 2026-01-31T00:00:00", "fruits.apple.at is no date"),
        ('["plum"]', '["plum", 5]', "fruits.plum.names[1] is no str"),
        ("7 =", "seven =", "by_number.seven is no int"),
        ("[fruits.plum]", "[fruits.apple]", "apple"),
        ("[by_number]", "[fruits.pear]", "fruits.pear.7 is no field of Fruit"),
        (WHOLE, "fruits = 5", "fruits is no "),
        (WHOLE, "fruits.apple = 5", "fruits.apple is no table"),
        (WHOLE, "", "basket.toml: fruits is missing"),
    ],
)
def test_a_wrong_row_is_named_with_its_file_and_field(old, new, said, tmp_path):
    assert old in WHOLE
    with pytest.raises(TableError) as caught:
        of(WHOLE.replace(old, new, 1), tmp_path)
    assert str(caught.value).startswith("basket.toml: ")
    assert said in str(caught.value)


def test_a_table_is_read_once_and_only_when_it_is_looked_at():
    reads = []
    table = Rows(lambda: reads.append(1) or {"a": 1})
    assert reads == []
    assert table["a"] == 1
    assert {**table} == table == {"a": 1}
    assert table.get("b") is None
    assert len(reads) == len(table) == 1


def test_a_file_lies_beside_its_module():
    assert beside(__file__, "samples").is_dir()


# --- cold starts --------------------------------------------------------------------------------


def test_importing_the_app_reads_no_table_and_every_module_that_has_one_imports_without_it():
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in sorted((ROOT / "chalicelib").rglob("*.py"))
        if "tables import" in path.read_text()
    ]
    code = (
        "import importlib, json, sys, app\n"
        "for one in json.loads(sys.argv[1]): importlib.import_module(one)\n"
        "print('tomllib' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(modules)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
        env={**os.environ, "STAGE": "dev"},
    )
    assert modules
    assert done.stdout.strip() == "False"
