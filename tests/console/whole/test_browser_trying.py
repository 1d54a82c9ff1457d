"""A message is tried in a real browser: by keys alone, without script, narrow and wide, light and dark."""

import pytest

from tests.rigs.browser import NARROW, WIDE

pytestmark = pytest.mark.long  # browsers over what `test_trying` proves without one
ASKS = "Where is my order #1042? Thank you!"
HOSTILE = "<img src=x onerror=alert(1)> \u202epay"


def decision(page):
    return page.get_by_role("region", name="Decision")


def test_by_keys_alone_a_message_is_typed_and_decided(console, open_console):
    page = open_console(console, "vi", "/try").page
    page.get_by_label("Subject").focus()
    page.keyboard.type("Hello")
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.type(ASKS)
    page.get_by_label("Subject").focus()
    page.keyboard.press("Enter")  # decides, and adds no message
    decision(page).wait_for()
    assert "It would be answered automatically." in decision(page).inner_text()
    assert page.get_by_label("Text").input_value() == ASKS


def test_without_script_a_conversation_of_two_is_decided(console, open_console):
    page = open_console(console, "vi", "/try", java_script_enabled=False).page
    page.get_by_label("Text").fill("Where is my order?")
    page.get_by_role("button", name="Add a message").click()
    page.get_by_label("Text").nth(1).fill("I will look into it.")
    page.get_by_label("Written by").nth(1).select_option("a colleague")
    page.get_by_role("button", name="Decide").click()
    assert "the newest message is not the customer's" in decision(page).inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_answer_violates_a_rule_of_accessibility_or_is_wider_than_a_phone(
    console, open_console, scheme
):
    tab = open_console(console, "jo", "/try", color_scheme=scheme)
    page = tab.page
    for text, more in ((ASKS, ""), (f"{HOSTILE} My lawyer will sue. {'x' * 300}", ""), (ASKS, "x")):
        page.get_by_label("Text").fill(text)
        page.get_by_label("Sent, days ago").fill(more or "3")
        page.get_by_role("button", name="Decide").click()
        page.locator("[role=alert], [aria-label=Decision]").wait_for()
        for size in (WIDE, NARROW):
            page.set_viewport_size(size)
            assert tab.violations() == []
            assert not tab.is_wider_than_the_screen()
    assert tab.faults == []
