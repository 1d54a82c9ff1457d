"""Operators' pages: empty, full, with hostile text in every field, and without personal data."""

import csv
import html
import io
import re
import time
from types import SimpleNamespace

import pytest
from flask import url_for

from chalicelib.facts.model import Fact, Metric
from chalicelib.once import causes
from chalicelib.once.action import ActionStatus
from chalicelib.once.journal import Act
from chalicelib.once.timer import due_attributes
from console.pages import NAVIGATION
from console.pages.find import may_be_in_an_address
from console.rights import Right
from console.spreadsheet import as_csv
from ops.session import OpsError
from tests.rigs.console import fields, words_of
from tests.rigs.ledger import KEY, MODES, TAG, facts

PAGES = (
    *(
        "/",
        "/find",
        "/incidents",
        "/unknown",
        "/letters",
        "/parked",
        "/charts",
        "/charts?span=quarter",
    ),
    *(
        "/facts",
        "/companies",
        "/writer",
        "/shadow",
        "/try",
        "/health",
        "/journal",
        "/journal?key=evt:x&by=jo",
    ),
)
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'-alert(1)-'",
    '=HYPERLINK("http://evil.example")',
    "{{ 1337 * 7331 }}",
    "\u202eevil\u2066",
    "a\x00b\r\nSet-Cookie: x=1",
)


@pytest.mark.parametrize("path", PAGES)
def test_an_empty_page_says_what_appears_there(console, path):
    text = console.browser("vi").text(path)
    assert re.search(
        "appears? here|No |Nothing|Name a company|Find shows|Make the report|not run", text
    )


def test_every_entry_of_the_navigation_is_a_page_of_the_test(console):
    with console.app.test_request_context():
        entries = {
            url_for(endpoint)
            for _, group in NAVIGATION
            for _, endpoint, right in group
            if right is Right.LOOK
        }
        assert entries <= set(PAGES)


def test_a_page_is_complete_without_script(console):
    for path in PAGES:
        answer = console.browser().get(path)
        assert not re.search(
            r"<script(?![^>]*src=)|<style|\son\w+=|\sstyle=|javascript:", answer.text
        )
        assert '<html lang="en">' in answer.text


# --- one event --------------------------------------------------------------------------------


@pytest.fixture
def one_event(console):
    ledger = console.services.ledger
    lease = ledger.claim(facts(), MODES, lease_seconds=250, takeover=frozenset())
    ledger.begin(lease, [TAG], MODES)
    ledger.end_action(lease, TAG, ActionStatus.UNKNOWN, reason="timeout")
    return console


def test_the_overview_counts_what_waits_and_leads_to_it(one_event):
    text = one_event.browser().text("/")
    assert "1 Effects of unknown outcome" in text
    assert "1 \u00d7 timeout" in text
    assert TAG.key in one_event.browser().text("/unknown")


def test_a_story_begins_with_one_sentence_and_leads_to_the_unknown_effect(one_event):
    answer = one_event.browser().get("/story?key=evt:rp:1042:c-77")
    sentence = re.search(r'<p class="lead">(.*?)</p>', answer.text).group(1)
    assert sentence.startswith("Not answered yet")
    assert "python -m ops explain" in answer.text


def test_a_story_of_nothing_is_not_found_and_one_of_no_key_is_refused(console):
    assert console.browser().get("/story?key=+15550100001").status_code == 400
    assert console.browser().get("/story").status_code == 400


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/story", "key"),
        ("/story/again", "key"),
        ("/unknown/one", "key"),
        ("/journal", "key"),
        ("/journal", "by"),
        ("/incidents/one", "name"),
        ("/shadow/one", "ticket"),
        ("/find", "q"),
    ],
)
def test_what_is_longer_than_any_key_is_refused_by_name_and_not_as_an_outage(console, path, name):
    given = {"key": "evt:", name: ("act:" if "unknown" in path else "evt:") + "x" * 5_000}
    answer = console.browser().get(path, query_string=given)
    assert answer.status_code == 400
    assert f"{name}: longer than 1,024 bytes" in answer.text
    assert "xxxx" not in answer.text


def at_a_worker_again(ledger, key):
    lease = ledger.claim(facts(key), MODES, lease_seconds=250, takeover=frozenset())
    ledger.release(lease, reason="richpanel_http_503", due_epoch=time.time() + 900)
    ledger.claim(facts(key), MODES, lease_seconds=250, takeover=frozenset())


def test_what_a_worker_has_again_is_on_the_page_of_what_is_not_finished_and_counted(console):
    at_a_worker_again(console.services.ledger, KEY)
    jo = console.browser()
    assert KEY in jo.text("/parked")
    assert "1 Being attempted" in jo.text("/")


def test_what_workers_have_again_is_read_on_before_what_has_a_date(one_event):
    template = one_event.session.ledger_table.get({"event_id": KEY})
    table, again = one_event.session.ledger_table, "evt:rp:1042:c-0"
    at_a_worker_again(one_event.services.ledger, again)
    held = table.get({"event_id": again})
    keys = [f"evt:rp:x:{number:03d}" for number in range(240)]
    for key in keys[:120]:
        cause = causes.Cause.parsed(held[causes.CAUSE].partition("#")[0])
        more = causes.attributes(cause, key, held["received_at"])
        table.put({**held, **more, "event_id": key})
    for key in keys[120:]:
        table.put(
            {**template, "event_id": key, "status": "parked", **due_attributes("event", key, 5_000)}
        )
    seen, path, jo = [], "/parked", one_event.browser("jo")
    while path:
        text = jo.get(path).text
        seen += re.findall(r">(evt:rp:x:\d+)<", text)
        more = re.search(r'<a rel="next" href="([^"]+)"', text)
        path = html.unescape(more.group(1)) if more else None
    assert sorted(seen) == keys


@pytest.mark.parametrize(
    ("path", "kind", "prefix"), [("/unknown", "action", "act:x:"), ("/parked", "event", "evt:x:")]
)
def test_a_long_list_is_read_on_by_its_last_row(one_event, path, kind, prefix):
    table = one_event.session.ledger_table
    template = table.get({"event_id": TAG.key if kind == "action" else "evt:rp:1042:c-77"})
    for number in range(250):
        key = f"{prefix}{number:03d}"
        state = {"status": "unknown" if kind == "action" else "parked"}
        table.put(
            {
                **template,
                **state,
                "event_id": key,
                **due_attributes(kind, key, 5_000 + number // 50),
            }
        )
    seen, jo = [], one_event.browser("jo")
    while path:
        text = jo.get(path).text
        seen += re.findall(rf">({prefix}\d+)<", text)
        more = re.search(r'<a rel="next" href="([^"]+)"', text)
        path = html.unescape(more.group(1)) if more else None
    assert sorted(seen) == [f"{prefix}{number:03d}" for number in range(250)]


@pytest.mark.parametrize(
    "mark", ["x", "5", "5~", "-1~act:x", "~act:x", "\u00b2~act:x", "9" * 400 + "~act:x"]
)
def test_a_mark_that_is_not_ours_is_refused(console, mark):
    for path in ("/unknown", "/parked", "/facts"):
        assert console.browser().get(path, query_string={"after": mark}).status_code == 400


def test_facts_that_wait_are_read_on_by_the_last_one(console):
    ledger = console.services.facts.ledger
    wanted = {f"ALOWARE:{number}" for number in range(250)}
    ledger.keep(
        [Fact(key, "aloware", "7", "2026-11-20", Metric.CALLS, "") for key in sorted(wanted)]
    )
    jo, path, seen = console.browser("jo"), "/facts", []
    while path:
        text = jo.get(path).text
        seen += re.findall(r">(ALOWARE:\d+)<", text)
        more = re.search(r'<a rel="next" href="([^"]+)"', text)
        path = html.unescape(more.group(1)) if more else None
    assert sorted(seen) == sorted(wanted)


def test_an_incident_is_taken_and_mended_on_its_page_as_its_list_says(console):
    ledger, key = console.services.ledger, "evt:rp:1042:c-77"
    lease = ledger.claim(facts(key), MODES, lease_seconds=250, takeover=frozenset())
    ledger.release(lease, reason="richpanel_http_503", due_epoch=1.0)
    jo, name = console.browser("jo"), "richpanel.unavailable.tickets.1"
    assert f'href="/incidents/one?name={name}"' in jo.get("/incidents").text
    page = jo.get(f"/incidents/one?name={name}")
    assert "ticket 1042" in page.text
    assert "not decided yet" in page.text
    assert console.services.outbox.messages == [], "a page sends nothing"
    own, mended = (
        {**fields(page, name=name), "reason": "Richpanel is back", "event": key} for _ in range(2)
    )
    assert jo.post("/incidents/own", own).status_code == 303
    assert "Operators/jo has it" in words_of(jo.get(f"/incidents/one?name={name}"))
    assert jo.post("/incidents/mend", mended).status_code == 303
    assert len(console.services.outbox.messages) == 1
    assert "mended" in words_of(jo.get("/incidents"))
    assert console.browser("vi").post("/incidents/mend", mended).status_code == 403


# --- find -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "+15550100001",
        "jo@example.com",
        "0015550100001",
        "#A1001",
        "Jo Smith",
        '{"mw_trace_id": "1"}',
    ],
)
def test_what_may_be_personal_is_never_part_of_an_address(text):
    assert not may_be_in_an_address(text)


@pytest.mark.parametrize("text", ["evt:rp:1042:c-77", "act:rp_tag:1042:x:c", "1042", "a" * 32])
def test_a_key_has_an_address_that_can_be_shared(text):
    assert may_be_in_an_address(text)


def test_a_posted_key_is_sent_on_to_its_address_and_found_there(one_event):
    jo = one_event.browser("jo")
    answer = jo.post("/find", {"q": " evt:rp:1042:c-77 "})
    assert answer.status_code == 303
    assert "Not answered yet" in jo.text(answer.location)


def test_nothing_that_was_typed_about_a_person_comes_back(console, monkeypatch):
    monkeypatch.setattr("console.pages.find.searching", SimpleNamespace(look_up=_refusing))
    answer = console.browser().post("/find", {"q": "jo@example.com"})
    assert answer.status_code == 404
    assert "jo@example.com" not in answer.text


def _refusing(_session, text):
    raise OpsError(f"nothing is stored about {text}")


# --- hostile text -----------------------------------------------------------------------------


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_every_field_is_shown_as_text(console, text):
    ledger, key = console.services.ledger, f"evt:rp:1042:{text}"
    lease = ledger.claim(
        facts(key, source=text, source_message_id=text, conversation_id=text, trace_id=text),
        MODES,
        lease_seconds=250,
        takeover=frozenset(),
    )
    ledger.begin(lease, [TAG], MODES)
    ledger.end_action(lease, TAG, ActionStatus.UNKNOWN, reason=text)
    ledger.release(lease, reason=text, due_epoch=1.0)
    act = Act(what=text, key=key, actor=text, result=text, story=text, reason=text)
    console.services.journal.enter(act)
    day = console.services.clock.now().date().isoformat()
    shown = 0
    for path, query in (
        ("/", {}),
        ("/unknown", {"reason": text}),
        ("/unknown/one", {"key": TAG.key}),
        ("/parked", {"reason": text}),
        ("/story", {"key": key}),
        ("/find", {"q": key}),
        ("/journal", {"day": day}),
        ("/journal", {"key": key, "by": text}),
        ("/companies", {"company": text}),
        ("/writer", {"company": text}),
        ("/letters", {"reason": text}),
    ):
        answer = console.browser().get(path, query_string=query)
        assert answer.status_code in (200, 404), (path, words_of(answer)[-300:])
        shown += " ".join(text.split())[:9] in words_of(answer)
        for raw in ("<script>alert", "<img src=x", "9801547"):
            assert raw not in answer.text.replace("{{ 1337 * 7331 }}", ""), (path, raw)
        assert "Set-Cookie" not in answer.headers
    assert shown


def test_a_cell_of_a_file_is_never_a_formula(console):
    for reason in ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\uff1d1"):
        act = Act(what="settle", key="act:x", actor="=cmd|' /C calc'!A0", reason=reason)
        console.services.journal.enter(act)
    answer = console.browser().get("/journal.csv")
    assert answer.mimetype == "text/csv"
    lines = list(csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff"))))
    assert len(lines) == 6
    for line in lines:
        for name, cell in line.items():
            assert not cell.lstrip().startswith(("=", "+", "-", "@", "\uff1d")), (name, cell)
    assert as_csv(["a"], [["plain, text"]]) == '\ufeffa\r\n"plain, text"\r\n'


# --- the journal ------------------------------------------------------------------------------


def test_the_journal_is_filtered_by_person_and_day_in_its_address(console):
    for who in ("Operators/jo", "Operators/kim"):
        console.services.journal.enter(Act(what="settle", key="act:x", actor=who, reason="why"))
    jo = console.browser("jo")
    assert "Operators/kim" in jo.text("/journal")
    assert "Operators/kim" not in jo.text("/journal?by=jo")
    assert "No acts" in jo.text("/journal?day=2020-01-01")
    assert jo.get("/journal?day=yesterday").status_code == 400
    assert jo.get("/journal?day=0001-01-01").status_code == 400


def test_a_long_day_of_the_journal_is_read_on_and_its_file_is_whole(console):
    for number in range(250):
        who = f"Operators/{'kim' if number % 10 else 'jo'}"
        console.services.journal.enter(Act(what="settle", key=f"act:{number:03d}", actor=who))
        console.services.clock.forward(1)
    jo = console.browser("jo")

    def keys(path):
        seen = []
        while path:
            text = jo.get(path).text
            seen += re.findall(r">(act:\d+)<", text)
            more = re.search(r'<a rel="next" href="([^"]+)"', text)
            path = html.unescape(more.group(1)) if more else None
        return seen

    newest_first = [f"act:{number:03d}" for number in range(249, -1, -1)]
    assert keys("/journal") == newest_first
    assert keys("/journal?by=jo") == newest_first[9::10]
    lines = jo.get("/journal.csv?by=kim").text.splitlines()
    assert len(lines) == 1 + 225
    assert "act:001" in lines[1], "a file begins with the oldest"


def test_a_day_of_more_entries_than_a_file_holds_says_so(console, monkeypatch):
    monkeypatch.setattr("console.pages.acts.LINES", 5)
    for number in range(7):
        console.services.journal.enter(Act(what="settle", key=f"act:{number}", actor="jo"))
        console.services.clock.forward(1)
    lines = console.browser("jo").get("/journal.csv").text.splitlines()
    assert "the older ones are left out" in lines[1]
    assert ["act:2" in lines[2], "act:6" in lines[-1]] == [True, True]


# --- what people type ---------------------------------------------------------------------------


def test_hostile_text_that_a_person_types_is_shown_as_text_and_hides_nothing(
    one_event, monkeypatch
):
    monkeypatch.setattr("console.pages.find.searching", SimpleNamespace(look_up=_refusing))
    text = " ".join(sorted(HOSTILE[:-1], key=lambda value: not value.startswith("=")))
    jo, key = one_event.browser("jo"), "evt:rp:1042:c-77"
    effect = jo.get("/unknown/one", query_string={"key": TAG.key})
    form = {**fields(effect, outcome="done"), "reason": text, "ref": text}
    assert jo.post("/unknown/settle", form).status_code == 303
    shown = [
        jo.get("/"),
        jo.get("/story", query_string={"key": key}),
        jo.get("/journal"),
        jo.get("/journal", query_string={"by": text, "key": text}),
        jo.get("/companies", query_string={"company": text}),
        jo.get("/letters/redrive", query_string={"of": text}),
        jo.post("/find", {"q": text}),
        jo.post("/letters/redrive", {"of": text, "reason": text}),
        effect,
    ]
    for answer in shown:
        page = re.sub(r' value="[^"]*"', "", answer.text)  # an entry gives back what was typed
        page = page.replace("{{ 1337 * 7331 }}", "")
        for raw in ("<script>alert", "<img src=x", "9801547", "\u202e", "\u2066"):
            assert raw not in page, (answer.request.path, raw)
    assert "\u27e8U+202E\u27e9evil" in jo.get("/journal").text
    file = list(csv.reader(io.StringIO(jo.get("/journal.csv").text.removeprefix("\ufeff"))))
    assert not [cell for line in file for cell in line if cell.startswith("=") or "\u202e" in cell]


# --- switches ---------------------------------------------------------------------------------


def test_a_switch_that_stops_effects_is_the_first_thing_on_the_overview(console):
    ssm = console.services.client("ssm")
    ssm.put_parameter(Name="/rp-mw/dev/kill_switch", Value="true", Type="String", Overwrite=True)
    assert "kill_switch is true" in console.browser().text("/")
    ssm.delete_parameter(Name="/rp-mw/dev/shadow_mode")
    assert "shadow_mode is missing" in console.browser().text("/")
    assert "missing: nothing starts" in console.browser().text("/health")


def test_a_pile_that_cannot_be_read_hides_no_other(one_event):
    sqs = one_event.services.client("sqs")
    for url in sqs.list_queues()["QueueUrls"]:
        sqs.delete_queue(QueueUrl=url)
    text = one_event.browser().text("/")
    assert "Cannot be read" in text
    assert "1 Effects of unknown outcome" in text
