"""Pictures of the console for its page in `docs`; `make screenshots` runs it, no test run does."""

from pathlib import Path

import pytest

from tests.rigs.desk import OURS
from tests.rigs.openid_console import listening

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
SIZE = {"width": 1100, "height": 720}


@pytest.fixture
def pages(desk_console, desk):
    """Invented conversations: one that asks for a person, one whose answer is held, one taken."""
    desk.handed_off("req1")
    held = desk.begun("req2", tel="+15550100002", auto_queue_reply_message=True)
    held = desk.says(held, "Tell me more, please. Is it open on Saturdays?")
    taken = desk.handed_off("req3", tel="+15550100003")
    desk.act("take", taken, by="kim@example.com")
    assert OURS
    return {
        "inbox": "/inbox",
        "conversation": f"/conversations/{held.opaque_id}",
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_take_pictures(desk_console, pages, open_tab, scheme):
    def under_its_name(_url):
        def called(environ, start_response):
            environ["HTTP_HOST"] = "127.0.0.1:8090"
            return desk_console.app.wsgi_app(environ, start_response)

        return called

    PICTURES.mkdir(exist_ok=True)
    with listening(under_its_name) as url:
        tab = open_tab(viewport=SIZE, color_scheme=scheme)
        tab.page.context.add_cookies([{"name": "who", "value": "lea", "url": url}])
        for name, path in pages.items():
            tab.page.goto(f"{url}{path}")
            tab.page.screenshot(path=PICTURES / f"console-{name}-{scheme}.png", full_page=True)
