"""What script adds at the desk: keys, drafts that survive, lengths, the list beside a conversation."""

import pytest

from chalicelib.outreach.writing.checks.segments import segments
from tests.rigs.browser import NARROW
from tests.rigs.days_life import a_days_life

LONG = "Your slot is on Thursday at nine. " * 6


@pytest.fixture
def life(desk):
    return a_days_life(desk)


@pytest.fixture
def visit(desk_console, open_console):
    """Opens a page as an agent, or as the person that is named."""

    def opened(path, who="sam", **how):
        return open_console(desk_console, who, path, **how)

    return opened


def test_a_draft_survives_a_reload_and_is_gone_once_it_was_sent(visit, life):
    page = visit(f"/conversations/{life['Amara'].opaque_id}").page
    page.get_by_label("Your reply").fill(LONG)
    meter = page.locator("[data-meter]")
    assert meter.inner_text() == f"{len(LONG)} of 1600 characters"
    page.reload()
    assert page.get_by_label("Your reply").input_value() == LONG
    page.get_by_label("Your reply").press("Control+Enter")
    page.get_by_text("Your reply is on its way.").wait_for()
    assert page.get_by_label("Your reply").input_value() == ""
    page.reload()
    assert page.get_by_label("Your reply").input_value() == ""


@pytest.mark.parametrize(
    "text", ["Hello", LONG, LONG.replace("nine", "neun €"), "ż" * 71, "👍" * 40]
)
def test_the_segments_that_are_shown_are_those_that_are_billed(visit, desk, text):
    record = desk.handed_off()
    desk.act("take", record, by="sam@example.com")
    page = visit(f"/conversations/{record.opaque_id}").page
    page.get_by_label("Your reply").fill(text)
    assert page.locator("[data-meter]").inner_text().endswith(f"· {segments(text)} SMS")


def test_the_list_is_beside_a_conversation_and_keys_go_through_it(visit, life):
    tab = visit(
        f"/conversations/{life['Amara'].opaque_id}", viewport={"width": 1400, "height": 800}
    )
    page = tab.page
    page.locator("[data-row].here").wait_for()
    assert page.title().startswith("(8) Conversation ")
    assert "Amara" not in page.title(), "a browser keeps the titles of pages"
    page.keyboard.press("r")
    assert page.evaluate("() => document.activeElement.name") == "text"
    page.keyboard.press("Escape")
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/conversations/{life['Sofia'].opaque_id}")
    page.keyboard.press("?")
    assert page.get_by_role("dialog").is_visible()
    page.set_viewport_size(NARROW)
    assert not tab.is_wider_than_the_screen()


def test_a_slash_finds(console, open_console):
    page = open_console(console, "jo").page
    page.keyboard.press("/")
    page.keyboard.type("1042")
    assert page.get_by_role("searchbox").input_value() == "1042"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_day_of_conversations_violates_no_rule_of_accessibility(visit, life, scheme):
    tab = visit("/inbox", viewport={"width": 1400, "height": 800}, color_scheme=scheme)
    found = {}
    for name in ("Amara", "Sofia", "Lena", "Mei"):
        tab.page.goto(f"{tab.url}/conversations/{life[name].opaque_id}")
        tab.page.locator("[data-row]").first.wait_for()
        for details in tab.page.locator("details").all():
            details.evaluate("(node) => { node.open = true }")
        found[name] = tab.violations()
    assert {name: faults for name, faults in found.items() if faults} == {}
