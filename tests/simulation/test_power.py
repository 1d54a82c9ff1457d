"""Plain seeds notice a broken core soon, and every break still fits the code."""

import pytest

from tests.simulation.breaks import BREAKS, Edit
from tests.simulation.power import LEAST, noticed

SOON = 150
"""Plain seeds within which these breaks must be noticed; docs/reliability.md has the rest."""


@pytest.mark.parametrize("broken", BREAKS, ids=lambda one: one.name)
def test_a_break_still_fits_the_code_and_is_undone(broken):
    before = [edit.current() for edit in broken.edits]
    with broken.applied():
        during = [edit.current() for edit in broken.edits]
    assert all(one is not other for one, other in zip(before, during, strict=True))
    assert [edit.current() for edit in broken.edits] == before


def test_a_break_that_no_longer_fits_is_refused():
    gone = Edit("chalicelib.once.effects:Effects._send", (("no such piece", ""),))
    with pytest.raises(LookupError, match="0 times"), gone.applied():
        pass


def test_most_breaks_need_no_test_of_their_own():
    assert sum(not one.test for one in BREAKS) >= LEAST


@pytest.mark.parametrize(
    "name",
    [
        "reset without fence",
        "takeover without fence",
        "lease taken early",
        "second look skipped",
        "nonce forgotten",
        "ended before it is audited",
        "statement's error taken for success",
    ],
)
def test_plain_seeds_soon_notice_a_break(name):
    (broken,) = (one for one in BREAKS if one.name == name)
    assert noticed(broken, range(1, SOON)).seed
