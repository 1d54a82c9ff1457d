"""A company's figures in a real browser: accessible, as wide as a phone, without script, by keys."""

import pytest

from tests.rigs.browser import NARROW
from tests.rigs.days_life import a_days_life, a_fortnight

OTHER_COLOURS = pytest.param("dark", marks=pytest.mark.long)


@pytest.mark.parametrize("scheme", ["light", OTHER_COLOURS])
def test_the_figures_violate_no_rule_of_accessibility_and_are_no_wider_than_a_phone(
    desk_console, desk, open_console, scheme
):
    tab = open_console(desk_console, "lea", "/figures", color_scheme=scheme)
    found = {"empty": tab.violations()}
    a_fortnight(desk)
    a_days_life(desk)
    for path in ("/figures", "/figures?by=week"):
        tab.page.set_viewport_size({"width": 1280, "height": 800})
        tab.page.goto(f"{tab.url}{path}")
        for folded in tab.page.locator("summary").all():
            folded.click()
        found[path] = tab.violations()
        tab.page.set_viewport_size(NARROW)
        assert not tab.is_wider_than_the_screen(), path
    assert {path: faults for path, faults in found.items() if faults} == {}


def test_without_script_a_lead_goes_by_keys_from_days_to_weeks(desk_console, desk, open_console):
    a_days_life(desk)
    tab = open_console(desk_console, "lea", "/", java_script_enabled=False)
    assert tab.page.url.endswith("/figures")
    tab.page.get_by_role("link", name="By week").focus()
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_url("**by=week*")
    assert tab.page.locator("[aria-current=true]").inner_text() == "By week"
    tab.page.get_by_role("link", name="wait for a person now").click()
    tab.page.wait_for_url("**/inbox?*")
