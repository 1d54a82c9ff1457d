"""Figures on pages are those that were kept, and a page says when they are older than the code."""

import json
import re

import pytest

from bench.report import counts, page, sources
from bench.report.table import Row, matrix, number
from bench.sections import SECTIONS
from ops.cost import bill, event_kinds
from ops.cost.bill import Terms
from tests.rigs.each_row import each_row

RENEWED = "python -m bench.report.page"


@pytest.mark.parametrize("path", sorted(page.pages()), ids=lambda path: path.name)
def test_a_page_of_figures_is_generated_and_says_whether_the_code_has_changed_since(path):
    """If this fails, run `python -m bench.report.page`, which measures nothing."""
    assert path.read_text() == page.pages()[path], RENEWED


def test_every_section_and_every_page_of_results_has_its_sources():
    assert sources.SOURCES.keys() == SECTIONS.keys() | page.OTHERS.keys()


@each_row("name", sources.SOURCES)
def test_the_sources_of_a_section_exist(name):
    for place in sources.SOURCES[name]:
        assert (sources.ROOT / place).exists(), place


def test_a_changed_file_a_new_one_and_a_renamed_one_change_the_digest(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    monkeypatch.setitem(sources.SOURCES, "events", ("package", "module.py"))
    (tmp_path / "package" / "__pycache__").mkdir(parents=True)
    inside, module = tmp_path / "package" / "one.py", tmp_path / "module.py"
    inside.write_text("a = 1\n")
    module.write_text("b = 1\n")
    found = [sources.digest("events")]
    module.write_text("b = 2\n")
    found.append(sources.digest("events"))
    inside.rename(inside.with_name("other.py"))
    found.append(sources.digest("events"))
    (tmp_path / "package" / "new.json").write_text("{}")
    found.append(sources.digest("events"))
    (tmp_path / "package" / "__pycache__" / "one.pyc").write_bytes(b"\0")
    assert len({*found}) == len(found)
    assert sources.digest("events") == found[-1]


def test_better_english_and_another_form_change_no_digest_and_code_does(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    monkeypatch.setitem(sources.SOURCES, "events", ("module.py",))

    def digest(text):
        (tmp_path / "module.py").write_text(text)
        return sources.digest("events")

    before = digest('"""A module."""\n\nLIMIT = 5\n"""How many."""\n\n\ndef f(a):\n    return a\n')
    better = '"""The module."""\n# why\nLIMIT = (5)\n"""So many."""\ndef f(a):\n    "It."\n    return a\n'
    assert digest(better) == before
    assert digest(better.replace("5", "6")) != before
    assert digest(better.replace("return a", 'return "It."')) != before


def test_a_page_says_that_the_code_has_changed_since_and_only_then():
    now = sources.digest("redaction")
    assert sources.line("redaction", now) == f"Measured on the sources `{now}`."
    assert sources.line("redaction", now, "0" * 12).endswith("; the code has changed since.")
    assert "may have changed" in sources.line("redaction", now, None)


def test_every_section_has_expected_counts_or_measures_nothing_but_time():
    assert SECTIONS.keys() - counts.expected().keys() == set()
    without = {name for name, found in counts.expected().items() if not found}
    of_a_bundle = {"cold", "cold_worker"}  # a small run makes none; test_cold_path counts
    assert without == {"throughput", "redaction", *of_a_bundle}


def found(name, figure, *, is_exact=True):
    return Row("a section", name, "calls", figure, is_exact=is_exact)


def test_counts_and_dollars_of_an_old_run_are_not_shown_beside_those_of_the_code():
    rows = [
        found("10 messages: write units", 28, is_exact=False).as_json() | {"unit": "units"},
        Row("a section", "a million", "$", 18.4).as_json(),
        Row("a section", "a start", "ms", 210.0).as_json(),
    ]
    run = {"at": "then", "machine": "one", "load": 0, "size": "full", "rows": rows}
    text = "\n".join(page.figures({"events": run}))
    assert "a start | 210 ms" in text
    assert "28" not in text.partition("### A section")[2]
    assert "18.4" not in text.partition("### A section")[2]


def test_the_dollars_of_the_page_are_those_of_the_bill():
    text = page.PAGE.read_text()
    for name in ("routed event", "conversation started, SMS", "reply written by a model, SMS"):
        usd = bill.million(event_kinds.counted()[name], Terms())
        assert re.search(rf"^\| {name} \| {number(usd)} \$ \|", text, re.MULTILINE), name


def test_any_other_count_is_a_difference_and_a_time_is_none():
    then = {"events": {"one: calls": 9.0, "two: calls": 3.0}}
    rows = [found("one: calls", 8), found("three: calls", 1), found("time", 5, is_exact=False)]
    assert list(counts.differences("events", rows, then, is_small=True)) == [
        "events, one: calls: 8 instead of 9",
        "events, three: calls: 1 instead of nothing",
        "events, two: calls: nothing instead of 3",
    ]
    assert not list(
        counts.differences(
            "events", [found("one: calls", 9), found("two: calls", 3)], then, is_small=True
        )
    )


def test_a_run_of_another_size_is_compared_in_what_both_count():
    then = {"growth": {"100 items: calls": 9.0, "1,000 items: calls": 9.0}}
    rows = [found("1,000 items: calls", 10), found("100,000 items: calls", 10)]
    assert list(counts.differences("growth", rows, then, is_small=False)) == [
        "growth, 1,000 items: calls: 10 instead of 9"
    ]


def test_accepted_counts_replace_those_of_their_sections_only(tmp_path, monkeypatch):
    file = tmp_path / "counts.json"
    file.write_text(json.dumps({"events": {"one: calls": 9.0}, "growth": {"a: calls": 1.0}}))
    monkeypatch.setattr(counts, "COUNTS", file)
    counts.accept({"events": [found("one: calls", 8), found("time", 1, is_exact=False)]})
    of_the_bill = next(iter(event_kinds.counted()))
    counts.accept({"events": [found("one: calls", 8), found(f"{of_the_bill}: actions", 1)]})
    kept = json.loads(file.read_text())
    assert kept == {"events": {"one: calls": 8}, "growth": {"a: calls": 1.0}}, (
        "and none of the bill"
    )


def test_counts_are_shown_a_line_for_each_thing_and_a_column_for_each_count():
    assert list(matrix({"one: calls": 9, "one: units": 2.5, "two: units": 3})) == [
        "| | calls | units |",
        "|---|---:|---:|",
        "| one | 9 | 2.50 |",
        "| two |  | 3 |",
    ]
