"""Plain seeds notice a broken core soon, and every break still fits the code."""

import pytest

from tests.rigs.each_row import each_row
from tests.rigs.one_case import one_case
from tests.simulation.breaks import BREAKS, Edit
from tests.simulation.power import LEAST, noticed

SOON = 150
"""Plain seeds within which these breaks must be noticed; docs/reliability-tests.md has the rest."""
SEEN = {
    "reset without fence": 80,
    "takeover without fence": 129,
    "lease taken early": 18,
    "second look skipped": 7,
    "nonce forgotten": 15,
    "ended before it is audited": 14,
    "statement's error taken for success": 5,
}
"""The breaks, and the seed that notices each today."""


@each_row("broken", BREAKS)
def test_a_break_still_fits_the_code_and_is_undone(broken):
    before = [edit.current() for edit in broken.edits]
    with broken.applied():
        during = [edit.current() for edit in broken.edits]
    assert all(former is not other for former, other in zip(before, during, strict=True))
    assert [edit.current() for edit in broken.edits] == before


def test_a_break_that_no_longer_fits_is_refused():
    gone = Edit("chalicelib.once.effects:Effects._send", (("no such piece", ""),))
    with pytest.raises(LookupError, match="0 times"), gone.applied():
        pass


def test_most_breaks_need_no_test_of_their_own():
    assert sum(not broken.test for broken in BREAKS) >= LEAST


@pytest.mark.parametrize("since", ["today", pytest.param("first", marks=pytest.mark.long)])
@one_case("name", SEEN)
def test_plain_seeds_soon_notice_a_break(name, since):
    """From the seed that notices it today; in the long run from the first."""
    (broken,) = (known for known in BREAKS if known.name == name)
    first = SEEN[name] if since == "today" else 1
    assert noticed(broken, range(first, first + SOON)).seed
