"""What a person has written: gone once its act is done, also on Back; kept until then; refused in words."""

import pytest

WRITTEN = "Your slot is on Thursday at nine."


@pytest.fixture
def mine(desk):
    """A conversation that waits for a person."""
    return desk.handed_off()


@pytest.fixture
def visit(desk_console, open_console, desk):
    """Opens the conversation as sam, who takes it: the page says so."""

    def opened(record, **how):
        path = f"/conversations/{record.opaque_id}"
        page = open_console(desk_console, "sam", path, **how).page
        page.get_by_role("button", name="Take", exact=True).click()
        page.get_by_text("You have the conversation.").wait_for()
        desk.clock.forward(1)
        return page

    return opened


def send(page):
    page.get_by_role("button", name="Send", exact=True).click()


def reply(page):
    return page.get_by_label("Your reply")


@pytest.mark.parametrize("has_script", [True, False])
def test_back_after_send_shows_an_empty_box_and_nothing_leaves_twice(visit, desk, mine, has_script):
    page = visit(mine, java_script_enabled=has_script)
    reply(page).fill(WRITTEN)
    send(page)
    page.get_by_text("Your reply is on its way.").wait_for()
    page.go_back()
    assert reply(page).input_value() == ""
    desk.work()
    assert desk.sent() == [WRITTEN]


def test_a_page_that_the_browser_kept_whole_is_read_again(visit, desk, mine):
    """As Back shows it where a browser keeps pages in memory."""
    page = visit(mine)
    reply(page).fill(WRITTEN)
    desk.act("reply", mine, by="sam@example.com", text="Another")
    with page.expect_navigation():
        page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    page.locator(".messages").get_by_text("Another").wait_for()


def test_a_draft_is_kept_beside_the_news_of_another_act(visit, mine):
    page = visit(mine)
    reply(page).fill(WRITTEN)
    page.reload()
    assert reply(page).input_value() == WRITTEN


def test_what_was_sent_after_the_session_had_ended_is_there_after_signing_in(visit, desk, mine):
    page = visit(mine)
    reply(page).fill(WRITTEN)
    who = page.context.cookies()
    page.context.clear_cookies()
    send(page)
    page.get_by_role("heading", name="Please sign in").wait_for()
    page.context.add_cookies(who)
    page.get_by_role("link", name="Sign in").click()
    reply(page).wait_for()
    assert reply(page).input_value() == WRITTEN
    send(page)
    page.get_by_text("Your reply is on its way.").wait_for()
    desk.work()
    assert desk.sent() == [WRITTEN]
    page.reload()
    assert reply(page).input_value() == ""


def test_without_script_what_was_not_sent_is_on_the_page_that_asks_to_sign_in(visit, mine):
    page = visit(mine, java_script_enabled=False)
    reply(page).fill(WRITTEN)
    page.context.clear_cookies()
    send(page)
    page.get_by_role("heading", name="Please sign in").wait_for()
    assert WRITTEN in page.locator("main").inner_text()


def test_a_refused_reply_leads_to_its_reason_and_its_field(visit, mine):
    page = visit(mine)
    reply(page).fill("   ")
    send(page)
    alert = page.get_by_role("alert")
    alert.wait_for()
    assert alert.inner_text().strip() == "\u201cYour reply\u201d is empty."
    assert alert.evaluate("(node) => node === document.activeElement")
    assert page.get_by_role("status").filter(has_text="You have").count() == 0
    described = "(one) => document.getElementById(one.getAttribute('aria-describedby')).role"
    assert reply(page).get_attribute("aria-invalid") == "true"
    assert reply(page).evaluate(described) == "alert"
    assert page.get_by_label("A note for colleagues").get_attribute("aria-invalid") is None


@pytest.mark.parametrize("control", ["[data-open]", "[data-take]", "[data-tick]"])
def test_the_list_is_renewed_under_a_focus_that_stays_on_its_conversation(
    desk_console, open_console, desk, control
):
    first, second = desk.handed_off(), desk.handed_off("req2", tel="+15550100002")
    page = open_console(desk_console, "sam", "/inbox").page
    row = page.locator("[data-row]", has=page.locator(f"[href$='{second.opaque_id}']"))
    page.clock.install()
    page.reload()
    row.locator(control).focus()
    desk.act("take", first, by="kim@example.com")
    page.clock.run_for(30_000)
    page.locator("[data-row] .holder", has_text="kim@example.com").wait_for()
    assert row.locator(control).evaluate("(node) => node === document.activeElement")


def test_the_list_is_not_renewed_under_a_field_that_is_written_in(desk_console, open_console, desk):
    desk.handed_off()
    page = open_console(desk_console, "sam", "/inbox").page
    page.clock.install()
    page.reload()
    page.get_by_text("Filter", exact=True).click()
    page.get_by_label("Project").fill("pi")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.run_for(30_000)
    page.evaluate("() => fetch('/inbox?last')")
    assert len(asked) == 1
