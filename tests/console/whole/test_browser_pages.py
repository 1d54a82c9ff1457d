"""Inbox and conversation in a real browser: keys, two persons at once, accessibility, no script."""

import pytest

from console.rights import Person, Role
from tests.rigs import console as rig
from tests.rigs.browser import NARROW
from tests.rigs.desk import OURS


@pytest.fixture
def as_person(desk_console, open_console):
    """Opens a page as one of the rig's persons."""

    def opened(who, path, **how):
        return open_console(desk_console, who, path, **how)

    return opened


def held(desk, request_id="req1", **more):
    record = desk.begun(request_id, auto_queue_reply_message=True, **more)
    return desk.says(record, "Tell me more")


@pytest.mark.long  # the same acts without a mouse
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


@pytest.mark.long  # two browsers for two forms
def test_of_two_persons_who_click_at_once_one_sends_and_the_other_is_told(as_person, desk):
    record = held(desk)
    path = f"/conversations/{record.opaque_id}"
    sam, kim = (as_person(name, path) for name in ("sam", "kim"))
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


@pytest.mark.long  # every act, not sending alone
def test_an_agent_takes_edits_sends_and_gives_back_once(as_person, desk):
    """Each is clicked twice, and by a colleague who had the same page open."""
    record = desk.handed_off()
    path = f"/conversations/{record.opaque_id}"
    sam, lea = (as_person(name, path).page for name in ("sam", "lea"))

    def clicked(page, button, **fields):
        form = page.locator("form", has=page.get_by_role("button", name=button, exact=True))
        for label, text in fields.items():
            form.get_by_label(label.replace("_", " ")).fill(text)
        form.get_by_role("button", name=button, exact=True).dblclick(no_wait_after=True)

    clicked(sam, "Take")
    sam.get_by_text("You have it.").wait_for()
    clicked(lea, "Take")
    assert "sam@example.com was faster (take)" in lea.get_by_role("alert").inner_text()
    desk.clock.forward(1)
    clicked(sam, "Send", Your_reply="It is me, Sam.")
    sam.get_by_text("sam@example.com: reply").wait_for()
    desk.work()
    desk.clock.forward(1)
    sam.reload()
    lea.goto(lea.url)  # the act's own address, which leads back to the conversation
    sam.get_by_text("Give back…").click()
    clicked(sam, "Give back", A_hint_for_automation="Call at nine")
    sam.wait_for_url("**/inbox?did=*")
    clicked(lea, "Take from sam@example.com (not proven)")
    assert "sam@example.com was faster (give back)" in lea.get_by_role("alert").inner_text()
    desk.work()
    assert desk.sent()[:1] == ["It is me, Sam."]
    acts = [
        (entry["action_type"], entry["actor"])
        for entry in desk.journal.story(record.opaque_id)
        if entry["action_type"].startswith("handoff")
    ]
    assert acts == [(f"handoff {act}", "sam@example.com") for act in ("take", "reply", "give_back")]


@pytest.mark.long  # the forms of one more person
def test_a_person_whose_name_has_an_apostrophe_takes_answers_and_hands_over(
    as_person, desk, monkeypatch
):
    name = "o'brien@example.com"
    agent = Person(name, frozenset({Role.AGENT}), frozenset({OURS}))
    monkeypatch.setattr(rig, "PEOPLE", {**rig.PEOPLE, "obrien": agent})
    record = desk.handed_off()
    page = as_person("obrien", f"/conversations/{record.opaque_id}").page
    page.get_by_role("button", name="Take", exact=True).click()
    page.get_by_text("You have it.").wait_for()
    page.get_by_label("Your reply").fill("It is me.")
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_text(f"{name}: reply").wait_for()
    page.get_by_text("Hand to a colleague…").click()
    page.locator(".beside select[name=to]").select_option("kim@example.com")
    page.get_by_role("button", name="Hand to a colleague").click()
    page.wait_for_url("**/inbox?did=*")
    page.locator(".holder", has_text="kim@example.com").wait_for()
    desk.work()
    assert desk.sent() == ["It is me."]
    assert desk.entries(record)[-1] == ("assistant", "person", name, "It is me.")


OTHER_COLOURS = pytest.param("dark", marks=pytest.mark.long)


@pytest.mark.parametrize("scheme", ["light", OTHER_COLOURS])
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
        tab.page.goto(f"{tab.url}{path}")
        found[path] = tab.violations()
        tab.page.set_viewport_size(NARROW)
        assert not tab.is_wider_than_the_screen(), path
    assert {path: faults for path, faults in found.items() if faults} == {}


def test_without_script_an_agent_edits_looks_at_the_difference_and_sends(as_person, desk):
    record = held(desk)
    tab = as_person("sam", "/inbox", java_script_enabled=False)
    tab.page.locator("[data-open]").click()
    assert record.opaque_id in tab.page.url
    tab.page.get_by_text("Edit…").click()
    tab.page.get_by_label("Edit").fill("Thank you.\nSam")
    tab.page.get_by_role("button", name="Show the difference").click()
    assert "Sam" in tab.page.locator("ins").last.inner_text()  # waits for the page
    tab.page.get_by_role("button", name="Send as edited").click()
    desk.work()
    assert desk.sent() == ["Thank you.\nSam"]


@pytest.mark.long  # a script that only informs
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
