"""From 1.0.0 on layouts are kept: no stored attribute changes its name, its type or its row unnoticed."""

import json

import pytest

from chalicelib.outreach.conversations import items
from tests.once.ledger.whole.test_row_layout import attributes
from tests.reliability.test_releases import ON_PURPOSE, RECORDED, queued
from tests.rigs import layouts


@pytest.fixture
def system(outreach, richpanel, monkeypatch):
    monkeypatch.setattr(items, "ITEM_BYTES", 0)  # entries leave the item early, for their pages
    for ticket in ("1042", "1043"):
        richpanel.add_ticket(ticket, comments=[{"body": "I want a refund", "id": "c-1"}])
    return outreach


def test_what_is_stored_has_the_attributes_of_1_0(system):
    """A line of the difference is a new attribute, for the file, or a break: see docs/upgrading.md."""
    for recording in RECORDED:
        for number, body in enumerate(json.loads(recording.read_text())):
            if body["kind"] != ON_PURPOSE:
                queued(system, body, f"layout-{number}")
                system.run()
    now = layouts.stored(system.stage.aws.client("dynamodb"), system.stage.name)
    assert layouts.difference(layouts.read(), now) == []


def test_each_kind_of_row_of_the_ledger_has_the_attributes_of_1_0():
    """`tests/once/ledger/whole/test_row_layout.py` shows that the code writes what the layout documents."""
    kept = {kind: set(names) for kind, names in json.loads(layouts.LEDGER.read_text()).items()}
    assert attributes() == kept


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"status": "S"}, ["gone: t, evt:, at (N)"]),
        ({"status": "S", "at": "S"}, ["gone: t, evt:, at (N)", "new: t, evt:, at (S)"]),
        ({"status": "S", "at": "N", "by": "S"}, ["new: t, evt:, by (S)"]),
    ],
)
def test_a_change_of_a_layout_is_named(change, line):
    kept = {"t": {"evt:": {"status": "S", "at": "N"}}}
    assert layouts.difference(kept, {"t": {"evt:": change}}) == line


@pytest.mark.parametrize(
    ("keys", "kind"),
    [
        (["evt:rp:1042:c-1"], "evt:"),
        (["+15550100001", "ci#pi#r#1555"], "a recipient's"),
        (["internal:ci#+15550100001", "page#0a#1"], "internal: page#"),
    ],
)
def test_a_row_is_of_the_kind_that_its_keys_begin_with(keys, kind):
    assert layouts.kind_of(keys) == kind
