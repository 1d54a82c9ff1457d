"""Pictures of the console for its page in `docs`; `make screenshots` runs it, no test run does."""

from pathlib import Path

import pytest

from chalicelib.once.action import ActionStatus
from tests.rigs.ledger import MODES, TAG, facts

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
SIZE = {"width": 1100, "height": 720}
DARK = {"overview", "conversation"}
"""Taken in the dark colours too."""


@pytest.fixture
def take(open_console):
    """Takes pictures of a console's pages."""

    def taken(console, who, pages):
        PICTURES.mkdir(exist_ok=True)
        for scheme in ("light", "dark"):
            wanted = DARK & pages.keys() if scheme == "dark" else pages
            for name in wanted:
                tab = open_console(console, who, pages[name], viewport=SIZE, color_scheme=scheme)
                tab.page.wait_for_load_state("networkidle")
                file = PICTURES / f"console-{name}-{scheme}.png"
                file.write_bytes(tab.page.screenshot(full_page=True))

    return taken


def test_of_the_pages_of_an_agent(desk_console, desk, take):
    """Invented conversations: one that asks for a person, one whose answer is held, one taken."""
    desk.handed_off("req1")
    held = desk.begun("req2", tel="+15550100002", auto_queue_reply_message=True)
    held = desk.says(held, "Tell me more, please. Is it open on Saturdays?")
    taken = desk.handed_off("req3", tel="+15550100003")
    desk.act("take", taken, by="kim@example.com")
    take(
        desk_console, "lea", {"inbox": "/inbox", "conversation": f"/conversations/{held.opaque_id}"}
    )


def test_of_the_pages_of_an_operator(console, take):
    """One effect of unknown outcome."""
    ledger = console.services.ledger
    lease = ledger.claim(facts(), MODES, lease_seconds=250, takeover=frozenset())
    ledger.begin(lease, [TAG], MODES)
    ledger.end_action(lease, TAG, ActionStatus.UNKNOWN, reason="read_timeout")
    take(console, "jo", {"overview": "/", "effect": f"/unknown/one?key={TAG.key}"})
