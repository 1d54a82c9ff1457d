"""A partition of the archive: which parts it has, what is current in them, and which are needless."""

import pytest

from chalicelib.facts.posting.parts import moved_row, partitions
from tests.rigs.fact_writer import fact

DAY = "FactEvent/day=2026-11-20/"


def day(**rows):
    """A day's partition, and how to read a part; `rows`: the ids of each part, by its short name."""
    contents = {f"{DAY}{name.replace('_', '-')}.ndjson.gz": ids for name, ids in rows.items()}
    (found,) = partitions((name, 0.0) for name in contents)
    return found, lambda part: [
        {"EventID": id_, "in": part.name[len(DAY) :].partition(".")[0]}
        for id_ in contents[part.name].split()
    ]


def test_objects_become_the_partitions_of_days_and_dimensions():
    names = [f"{DAY}2.ndjson.gz", "DimAgent/1.ndjson.gz", f"{DAY}whole-10.ndjson.gz", "a/b.csv"]
    dimension, facts = partitions((name, 5.0) for name in names)
    assert (dimension.folder, dimension.table) == ("DimAgent/", "DimAgent")
    assert (facts.folder, facts.table) == (DAY, "FactEvent")
    assert [(part.number, part.is_whole, part.modified) for part in facts.parts] == [
        (10, True, 5.0),
        (2, False, 5.0),
    ]


@pytest.mark.parametrize("name", ["shifts.csv", "FactEvent/day=2026-11-20/1.part", "1.ndjson.gz"])
def test_another_object_is_no_part(name):
    assert partitions([(name, 0.0)]) == []


def test_the_row_of_the_newest_part_is_current_and_of_two_with_one_number_the_whole_ones():
    found, rows_of = day(whole_20="a b", **{"20": "b", "9": "a c", "21": "d"})
    current = {row["EventID"]: row["in"] for _, row in found.current_rows(rows_of)}
    assert current == {"a": "whole-20", "b": "whole-20", "c": "9", "d": "21"}


def test_a_part_that_gives_a_row_is_never_needless():
    found, rows_of = day(whole_20="a b", **{"20": "b", "9": "a", "10": "a c", "21": "d"})
    giving = {part for part, _ in found.current_rows(rows_of)}
    needless = [part.number for part in found.replaced_parts(giving)]
    assert needless == [9, 20], "the oldest first, and not the 10, which alone has c"


def test_without_a_whole_part_nothing_is_needless():
    found, rows_of = day(**{"9": "a", "10": "a"})
    assert found.replaced_parts({part for part, _ in found.current_rows(rows_of)}) == []


def test_a_fact_that_has_moved_leaves_a_row_in_the_day_it_was_in():
    assert moved_row(fact(1, date="2026-11-19"), "2026-11-20") == {
        "EventID": "ALOWARE:1",
        "FactDateKey": "2026-11-20T00:00:00",
        "MovedTo": "2026-11-19",
    }
