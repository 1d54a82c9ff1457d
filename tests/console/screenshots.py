"""Pictures of the console for its page in `docs`; `make screenshots` runs it, no test run does."""

from pathlib import Path

import pytest

from tests.rigs.days_life import a_days_life, a_fortnight, an_operators_day

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
SIZE, PHONE = {"width": 1400, "height": 820}, {"width": 390, "height": 780}
DARK = {"overview", "conversation", "figures"}
"""Taken in the dark colours too."""


@pytest.fixture
def take(open_console):
    """Takes pictures of a console's pages."""

    def taken(console, who, pages, size=SIZE):
        PICTURES.mkdir(exist_ok=True)
        for scheme in ("light", "dark"):
            wanted = DARK & pages.keys() if scheme == "dark" else pages
            for name in wanted:
                tab = open_console(console, who, pages[name], viewport=size, color_scheme=scheme)
                tab.page.wait_for_load_state("networkidle")
                file = PICTURES / f"console-{name}-{scheme}.png"
                file.write_bytes(tab.page.screenshot())

    return taken


def test_of_the_pages_of_an_agent(desk_console, desk, take):
    """Invented people at the end of a day: waiting, late, taken, held, in doubt."""
    life = a_days_life(desk)
    mine, held = (f"/conversations/{life[name].opaque_id}" for name in ("Amara", "Sofia"))
    take(desk_console, "sam", {"inbox": "/inbox", "conversation": mine, "held": held})
    take(desk_console, "sam", {"phone": mine}, size=PHONE)


def test_of_the_pages_of_a_lead(desk_console, desk, take):
    """Fourteen days of invented conversations, and the list at the end of a day."""
    a_fortnight(desk)
    a_days_life(desk)
    take(desk_console, "lea", {"figures": "/figures"})


def test_of_the_pages_of_an_operator(console, take):
    """A stage that has run for weeks, with three effects of unknown outcome and an outage."""
    an_operators_day(console)
    effect = console.services.ledger.unsettled(limit=1)[0].key
    take(console, "jo", {"overview": "/", "effect": f"/unknown/one?key={effect}"})
