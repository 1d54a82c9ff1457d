"""Views of the inbox, Find and saved replies in a real browser: by keys, without script, narrow and wide."""

import pytest

from chalicelib.outreach.conversations.shelves import ShelfPlace, ShelvedThing, owned_by
from console.pages import saved_replies
from tests.rigs.browser import NARROW, WIDE
from tests.rigs.days_life import a_days_life
from tests.rigs.desk import OURS

LONG = "A view whose name is as long as it may b"


@pytest.fixture
def life(desk):
    """A day's conversations, two saved replies, and a view of a project that is gone."""
    texts = {"Hours": "Nine to five.", "Where it is": "Hello {customer_name}, at {place}. " * 8}
    for name, text in texts.items():
        _keep(desk, saved_replies.place_of(OURS), name, text=text)
    own = ShelfPlace(owned_by("lea@example.com"), "views", 20)
    _keep(desk, own, LONG, company=OURS, project="pi-old")
    _keep(desk, ShelfPlace(OURS, "views", 20), "Late", company=OURS, state="waiting")
    return a_days_life(desk)


def _keep(desk, place, name, **holds):
    thing = ShelvedThing(name, name, holds, "lea@example.com", "2026-11-20T09:00:00Z", name)
    desk.conversations.change_shelf(place, lambda shelf: shelf.adding(thing), [])


@pytest.fixture
def visit(desk_console, open_console):
    """Opens a page as one of the rig's persons."""

    def opened(who, path, **how):
        return open_console(desk_console, who, path, **how)

    return opened


def test_by_keys_alone_an_agent_finds_a_conversation(visit, life):
    page = visit("sam", "/inbox").page
    page.keyboard.press("/")
    page.keyboard.type("amara")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/conversations/{life['Amara'].opaque_id}")


def test_without_script_a_view_is_kept_followed_and_removed(visit, life):
    page = visit("lea", "/inbox?state=answered", java_script_enabled=False).page
    page.get_by_role("link", name="Keep or remove views").click()
    page.get_by_label("Name", exact=True).fill("Mine")
    page.get_by_label("For everybody of").check()
    page.get_by_role("button", name="Keep").click()
    page.get_by_role("link", name="Mine", exact=True).first.wait_for()
    assert "state=answered" in page.url
    other = visit("sam", "/inbox", java_script_enabled=False).page
    other.locator("ul[aria-label='Saved views']").get_by_role("link", name="Mine").click()
    assert "state=answered" in other.url
    page.get_by_role("link", name="Keep or remove views").click()
    page.get_by_role("button", name="Remove Mine").click()
    page.get_by_role("button", name="Remove Late").wait_for()
    assert page.get_by_role("link", name="Mine", exact=True).count() == 0


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_no_page_violates_a_rule_of_accessibility_or_is_wider_than_a_phone(visit, life, scheme):
    tab, found = visit("lea", "/inbox", color_scheme=scheme), {}
    gone = f"/inbox/views/{LONG.replace(' ', '%20')}"
    for path in (
        *("/saved-replies", f"/conversations/{life['Amara'].opaque_id}"),
        *(
            gone,
            "/inbox",
            f"/inbox/views?company={OURS}&state=waiting&project=pi-aaa-001",
            "/inbox/find",
        ),
    ):
        tab.page.set_viewport_size(WIDE)
        tab.page.goto(f"{tab.url}{path}")
        for details in tab.page.locator("details").all():
            details.evaluate("(node) => { node.open = true }")
        found[path] = tab.violations()
        tab.page.set_viewport_size(NARROW)
        assert not tab.is_wider_than_the_screen(), path
        found[f"{path} narrow"] = tab.small_targets()
    tab.page.get_by_label("A phone number").fill("a")
    tab.page.get_by_role("button", name="Find", exact=True).click()
    tab.page.locator("ol.found").wait_for()
    found["found"] = tab.violations()
    assert not tab.is_wider_than_the_screen()
    assert {path: faults for path, faults in found.items() if faults} == {}
