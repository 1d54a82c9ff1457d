"""What people do at the console, in real browsers over a whole stage on the local engine.

Each act is clicked twice, and by a second person who had the same page open: it happens once, the
page of the slower one says who was faster, and the journal names who did it.
"""

from collections import Counter

import pytest

from chalicelib.once.journal import Act
from ops.session import Session
from tests.rigs.browser import NARROW, WIDE
from tests.rigs.console import Console
from tests.rigs.engines import drain
from tests.rigs.tickets import ROUTED, put_dead_letter

pytestmark = pytest.mark.long  # browsers over what `test_stage` and `test_acts` prove without one
EVENT = "evt:rp:1042:c-1"


@pytest.fixture
def console(system):
    return Console(Session("dev"))


@pytest.fixture
def visit(console, open_console):
    """Opens a page of it as a person."""

    def opened(who, path="/", **how):
        return open_console(console, who, path, **how).page

    return opened


def act(page, button, **fields):
    """Fill the form that has the button, and click it twice."""
    form = page.locator("form", has=page.get_by_role("button", name=button, exact=True))
    for label, text in fields.items():
        form.get_by_label(label).fill(text)
    form.get_by_role("button", name=button, exact=True).dblclick(no_wait_after=True)


def main_text(page):
    return " ".join(page.locator("main").inner_text().split())


def persons(console, did):
    """Who did an act, by the journal."""
    day = console.services.clock.now().date().isoformat()
    entries = console.services.journal.story(f"journal#{day}")
    return [(entry["actor"], entry["reason"]) for entry in entries if entry["action_type"] == did]


def test_why_a_message_was_not_answered_is_two_clicks_from_the_overview(system, visit):
    system.post(system.ticket())
    system.run()
    page = visit("vi")
    page.get_by_role("searchbox").fill("1042")
    page.get_by_role("button", name="Find", exact=True).click()
    page.wait_for_url("**/find?q=1042")
    said = page.locator("p.lead").first.inner_text()
    assert said.startswith("Not answered automatically: automatic replies are not enabled")
    page.get_by_role("link", name=EVENT).first.click()  # the second: an address to share
    page.wait_for_url("**/story?key=*")
    assert page.locator("p.lead").first.inner_text() == said
    when = page.locator("time").first
    assert when.get_attribute("title") == when.get_attribute("datetime") != when.inner_text()


def test_dead_letters_are_redriven_once_after_a_dry_run(system, console, visit, log_stream):
    put_dead_letter(system, "1042")
    before = system.added()  # the mark that the message needs attention
    jo, kim = (visit(who) for who in ("jo", "kim"))
    for page in (jo, kim):
        page.get_by_role("link", name="Dead letters").first.click()
        page.get_by_role("link", name="What would a redrive of these do?").click()
        assert "1 letter: 4 would go" in main_text(page)
    assert system.added() == before
    act(jo, "Redrive", Why="Richpanel is back")
    jo.get_by_text("Sent back to their lanes").wait_for()
    act(kim, "Redrive", Why="mine as well")
    kim.get_by_role("heading", name="Somebody was faster").wait_for()
    system.run()
    assert system.added() == before + Counter(ROUTED)
    assert persons(console, "dlq redrive") == [("Operators/jo", "Richpanel is back")]
    jo.get_by_role("link", name="Journal").click()
    assert "Operators/jo" in main_text(jo)


PAGES = (
    *("/", "/find", "/unknown", "/letters", "/parked", "/charts", "/charts/overview", "/facts"),
    *(
        "/companies",
        "/writer",
        "/shadow",
        "/try",
        "/health",
        "/first-run",
        "/journal",
        f"/story?key={EVENT}",
    ),
    f"/story/again?key={EVENT}",
)


IN_DARK = ("/", "/letters", f"/story?key={EVENT}", f"/story/again?key={EVENT}")
"""Pages that have every colour among them."""


def test_no_operators_page_violates_a_rule_of_accessibility_or_is_wider_than_a_phone(
    system, console, open_console, log_stream
):
    put_dead_letter(system, "1042")
    console.services.journal.enter(Act(what="settle", key=EVENT, actor="Operators/" + "x" * 60))
    tab = open_console(console, "jo")
    found = {}
    for path in PAGES:
        tab.page.set_viewport_size(WIDE)
        tab.page.emulate_media(color_scheme="light")
        tab.page.goto(f"{tab.url}{path}")
        tab.page.wait_for_function("() => !document.querySelector('.htmx-request')")
        found[path] = tab.violations()
        if path in IN_DARK:
            tab.page.emulate_media(color_scheme="dark")
            found[f"{path} dark"] = tab.violations("color-contrast")
        tab.page.set_viewport_size(NARROW)
        assert not tab.is_wider_than_the_screen(), path
        found[f"{path} narrow"] = tab.small_targets()
    assert {path: faults for path, faults in found.items() if faults} == {}


class TestAReply:
    """Of unknown outcome: its request left, and the connection broke."""

    @pytest.fixture
    def app_environment(self, replies_environment):
        return replies_environment

    def test_an_unknown_effect_is_settled_once_with_evidence_and_its_event_goes_on(
        self, replies_rig, open_console, tracked_question
    ):
        replies_rig.richpanel.fault("drop", operation="send_message")
        replies_rig.run(replies_rig.ticket(tracked_question))
        key = replies_rig.reply_row()["event_id"]
        assert (replies_rig.reply_row()["status"], replies_rig.event()["status"]) == (
            "unknown",
            "parked",
        )
        console = Console(Session("dev"))
        jo, kim = (open_console(console, who).page for who in ("jo", "kim"))
        for page in (jo, kim):
            page.get_by_role("link", name="Effects of unknown outcome").click()
            page.get_by_role("link", name=key).click()
        jo.get_by_role("link", name="Ask the vendor now").click()
        asked = main_text(jo)
        assert "The vendor, asked now: undecided" in asked
        assert "may still arrive until" in asked
        assert replies_rig.reply_row()["status"] == "unknown"
        jo.get_by_role("checkbox").check()
        act(jo, "It did not happen", Why="the ticket shows no reply")
        jo.get_by_text("Settled as not done").wait_for()
        act(kim, "It happened", Why="I think it did")
        kim.get_by_role("heading", name="Somebody was faster").wait_for()
        said = "Operators/jo: settle not-done, because: the ticket shows no reply"
        assert said in main_text(kim)
        assert persons(console, "settle") == [("Operators/jo", "the ticket shows no reply")]
        drain(replies_rig.pump)
        assert sum(replies_rig.richpanel.effects_of("1042", "message").values()) == 1
        assert replies_rig.event()["status"] == "processed"
