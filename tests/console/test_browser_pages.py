"""Inbox and conversation in a real browser: keys, two persons at once, accessibility, no script."""

import pytest

from tests.rigs.browser import NARROW
from tests.rigs.console import HOST
from tests.rigs.openid_console import listening


@pytest.fixture
def site(desk_console):
    """The console, listening under the name that its rig answers to."""

    def under_its_name(_url):
        def called(environ, start_response):
            environ["HTTP_ORIGIN"] = environ.get("HTTP_ORIGIN", "").replace(
                environ["HTTP_HOST"], HOST
            )
            environ["HTTP_HOST"] = HOST
            if not environ["HTTP_ORIGIN"]:
                del environ["HTTP_ORIGIN"]
            return desk_console.app.wsgi_app(environ, start_response)

        return called

    with listening(under_its_name) as url:
        yield url


@pytest.fixture
def as_person(site, open_tab):
    """Opens a page as one of the rig's persons."""

    def opened(who, path, **how):
        tab = open_tab(**how)
        tab.page.context.add_cookies([{"name": "who", "value": who, "url": site}])
        tab.page.goto(f"{site}{path}")
        return tab

    return opened


def held(desk, request_id="req1", **more):
    record = desk.begun(request_id, auto_queue_reply_message=True, **more)
    return desk.says(record, "Tell me more")


def test_by_keys_alone_an_agent_takes_and_answers(as_person, desk):
    first = desk.handed_off()
    desk.handed_off("req2", tel="+15550100002")
    tab = as_person("sam", "/inbox")
    page = tab.page
    for key in ("j", "j", "k", "t"):
        page.keyboard.press(key)
    page.wait_for_url("**/conversations/*")
    assert first.opaque_id in page.url
    page.get_by_label("Your reply").focus()
    page.keyboard.type("It is me, Sam.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_load_state()
    page.get_by_text("sam@example.com: reply").wait_for()
    desk.work()
    assert desk.sent() == ["It is me, Sam."]
    page.goto(page.url)
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.textContent") == "Skip to the content"


def test_of_two_persons_who_click_at_once_one_sends_and_the_other_is_told(as_person, desk):
    record = held(desk)
    path = f"/conversations/{record.opaque_id}"
    sam, kim = (as_person(one, path) for one in ("sam", "kim"))
    with sam.page.expect_navigation(), kim.page.expect_navigation():
        for tab in (sam, kim):
            tab.page.get_by_role("button", name="Send as it is").click(no_wait_after=True)
    told = [tab.page.get_by_role("alert").count() for tab in (sam, kim)]
    desk.work()
    assert (sorted(told), len(desk.sent())) == ([0, 1], 1)
    loser = (sam, kim)[told.index(1)]
    assert "was faster (approve)" in loser.page.get_by_role("alert").inner_text()


def test_a_double_click_sends_once(as_person, desk):
    record = held(desk)
    tab = as_person("sam", f"/conversations/{record.opaque_id}")
    tab.page.get_by_role("button", name="Send as it is").dblclick(no_wait_after=True)
    tab.page.wait_for_load_state()
    tab.page.get_by_text("sam@example.com: approve").wait_for()
    desk.work()
    assert len(desk.sent()) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_violates_a_rule_of_accessibility_or_is_wider_than_a_phone(as_person, desk, scheme):
    record, mine = held(desk), desk.handed_off("req2", tel="+15550100002")
    desk.act("take", mine, by="sam@example.com")
    tab = as_person("sam", "/inbox", color_scheme=scheme)
    found = {}
    for path in (
        "/inbox",
        "/inbox?state=snoozed",
        f"/conversations/{record.opaque_id}",
        f"/conversations/{mine.opaque_id}",
        "/conversations/none",
    ):
        tab.page.set_viewport_size({"width": 1280, "height": 800})
        tab.page.goto(tab.page.url.split("/", 3)[0] + "//" + tab.page.url.split("/", 3)[2] + path)
        found[path] = tab.violations()
        tab.page.set_viewport_size(NARROW)
        assert not tab.is_wider_than_the_screen(), path
    assert {path: one for path, one in found.items() if one} == {}


def test_without_script_an_agent_edits_looks_at_the_difference_and_sends(as_person, desk):
    record = held(desk)
    tab = as_person("sam", "/inbox", java_script_enabled=False)
    tab.page.locator("[data-open]").click()
    assert record.opaque_id in tab.page.url
    tab.page.get_by_label("Edit").fill("Thank you.\nSam")
    tab.page.get_by_role("button", name="Show the difference").click()
    assert tab.page.locator("ins").all_inner_texts()[-1] == "Sam"
    tab.page.get_by_role("button", name="Send as edited").click()
    desk.work()
    assert desk.sent() == ["Thank you.\nSam"]


def test_an_open_page_says_that_the_conversation_has_changed(as_person, desk):
    record = desk.handed_off()
    tab = as_person("sam", f"/conversations/{record.opaque_id}")
    desk.act("take", record, by="kim@example.com")
    tab.page.evaluate("() => htmx.trigger(document.querySelector('[data-renew]'), 'renew')")
    assert "has changed" in tab.page.get_by_role("status").inner_text()


def test_hostile_text_runs_nothing(as_person, desk):
    text = "<script>document.title='x'</script><img src=x onerror=document.title='x'> human agent"
    record = desk.says(desk.begun(recipient_first_name=text), text)
    tab = as_person("sam", f"/conversations/{record.opaque_id}")
    assert "<img src=x" in tab.page.locator("main").inner_text()
    assert tab.page.title() != "x"
