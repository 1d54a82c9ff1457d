"""The team, ticks and undo in a real browser: by keys, without script, on a phone, in both colours."""

import pytest

from tests.rigs.browser import NARROW, WIDE
from tests.rigs.days_life import a_days_life

SAM, KIM = "sam@example.com", "kim@example.com"


@pytest.fixture
def life(desk, desk_console):
    """A day's conversations, of which kim, who is away, has one."""
    found = a_days_life(desk)
    waiting = [name for name, record in found.items() if desk.state(record) == "waiting"]
    desk.act("take", found[waiting[0]], by=KIM)
    until = desk.clock.now().replace(hour=23)
    desk_console.team.mark_away("ci-aaa-001", KIM, until, by=KIM)
    return found


@pytest.fixture
def visit(desk_console, open_console):
    def opened(path, who="sam", **how):
        return open_console(desk_console, who, path, **how)

    return opened


def ticked(page):
    return page.locator("[data-tick]:checked").count()


def test_keys_tick_one_and_a_range_and_the_form_acts_on_all_of_them(visit, life, desk):
    page = visit("/inbox?state=waiting").page
    assert not page.locator("#bulk").is_visible()
    page.keyboard.press("j")
    page.keyboard.press("x")
    assert ticked(page) == 1
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Shift+X")
    assert ticked(page) == 3
    assert page.locator("[data-ticked]").inner_text() == "3 ticked:"
    page.keyboard.press("x")
    assert ticked(page) == 2
    page.get_by_role("button", name="Take", exact=True).locator("visible=true").last.click()
    page.get_by_role("heading", name="Take: 2 of 2 done").wait_for()
    page.get_by_role("button", name="Undo all").click()
    page.get_by_role("heading", name="Undo: 2 of 2 done").wait_for()


@pytest.mark.parametrize("script", [True, False])
def test_enter_on_a_tick_does_no_act(visit, life, desk, script):
    waiting = [name for name, record in life.items() if desk.state(record) == "waiting"]
    page = visit("/inbox?state=waiting", java_script_enabled=script).page
    page.locator("[data-tick]").first.check()
    page.locator("[data-tick]").first.press("Enter")
    if script:
        page.keyboard.press("x")  # the page is still there
        assert ticked(page) == 0
    else:
        page.get_by_text("act: one of take").wait_for()
    assert {desk.state(life[name]) for name in waiting} == {"waiting"}


def test_ticks_outlive_the_lists_own_renewal(visit, life, desk):
    page = visit("/inbox?state=waiting").page
    page.clock.install()
    page.locator("[data-tick]").first.check()
    page.evaluate("() => document.activeElement.blur()")
    page.clock.run_for(30_000)
    assert ticked(page) == 1


def test_it_works_without_script(visit, life, desk):
    tab = visit("/inbox?state=waiting", java_script_enabled=False)
    page = tab.page
    page.locator("[data-tick]").first.check()
    page.get_by_label("Hand to a colleague").select_option(KIM)
    page.get_by_role("button", name="Hand over").click()
    page.get_by_role("heading", name="kim@example.com is away").wait_for()
    page.get_by_role("button", name="Hand over all the same").click()
    page.get_by_role("heading", name="Hand to a colleague: 1 of 1 done").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.wait_for_url("**/conversations/*")
    assert "The conversation is as it was before." in page.locator(".says").inner_text()
    page.get_by_role("link", name="Team").click()
    page.get_by_label("Away until").fill("2026-11-21T09:00")
    page.get_by_role("button", name="Away", exact=True).click()
    page.get_by_text("You are away until").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_of_these_violates_a_rule_or_is_wider_than_a_phone(visit, life, desk, scheme):
    tab = visit("/inbox", who="lea", color_scheme=scheme)
    page, found = tab.page, {}

    def look(name):
        for size in (WIDE, NARROW):
            page.set_viewport_size(size)
            for details in page.locator("details").all():
                details.evaluate("(node) => { node.open = true }")
            found[f"{name} {size['width']}"] = [*tab.violations(), *tab.small_targets()]
            assert not tab.is_wider_than_the_screen(), name

    for path in ("/team", "/inbox?state=away"):
        page.goto(f"{tab.url}{path}")
        look(path)
    page.goto(f"{tab.url}/inbox?state=waiting")
    boxes = page.locator("[data-tick]")
    for place in range(2):
        boxes.nth(place).check()
    look("ticked")
    page.get_by_label("Hand to a colleague").select_option(KIM)
    page.get_by_role("button", name="Hand over").click()
    look("away?")
    page.get_by_role("button", name="Hand over all the same").click()
    page.get_by_role("button", name="Undo all").wait_for()
    look("done")
    page.locator("main a[href^='/conversations/']").first.click()
    page.get_by_role("button", name="Undo: Hand to a colleague").wait_for()
    look("undo")
    assert {path: faults for path, faults in found.items() if faults} == {}
