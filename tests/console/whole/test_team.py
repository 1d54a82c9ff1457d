"""To whom a conversation is handed, who is away, and what becomes of what they have."""

import html
import re
from datetime import timedelta

import pytest

from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.people.team_rows import KNOWN_FOR, LONGEST_AWAY
from console.rights import Person, Role
from tests.console.whole.test_conversations import Reader
from tests.rigs import console as rig
from tests.rigs.console import fields, words_of
from tests.rigs.desk import OTHERS, OURS
from tests.rigs.desk_console import PEOPLE, DeskConsole

KIM, SAM, LEA = "kim@example.com", "sam@example.com", "lea@example.com"
PROVEN = "kim@example.com <00u1 at login.example.com>"


@pytest.fixture
def console(desk, monkeypatch):
    """A console without a list of colleagues, before anyone has signed in."""
    monkeypatch.setattr(rig, "PEOPLE", {**rig.PEOPLE, **PEOPLE})
    return DeskConsole(desk)


def taken_by_sam(desk, request_id="req1", **more):
    record = desk.handed_off(request_id, **more)
    desk.act("take", record, by=SAM)
    return record


def holder(desk, record):
    return desk.conversations.reread(record).handoff.get("taken_by")


def later(console, **how):
    return (console.desk.clock.now() + timedelta(**how)).strftime("%Y-%m-%dT%H:%M")


def say(console, who, act, whose, company=OURS, **more):
    """Post the form of an absence, as the page has it."""
    browser = console.browser(who)
    given = {"company": company, "person": whose, "once": f"{act}-{who}-{len(more):012}", **more}
    return browser.post(f"/team/{act}", given)


def away(console, who=KIM, by="lea", **how):
    found = say(console, by, "away", who, until=later(console, **(how or {"days": 2})))
    assert found.status_code == 303, found.text
    return found


# --- to whom ------------------------------------------------------------------------------------


def test_a_name_outside_list_and_sign_ins_is_refused_and_the_way_to_a_list_is_named(console, desk):
    record = taken_by_sam(desk)
    sam = Reader(console, "sam", record)
    refused = sam.act("transfer", to="kim@exmaple.com")
    assert refused.status_code == 422
    said = words_of(refused)
    assert "names no colleague of this company" in said
    assert "CONSOLE_COLLEAGUES" in said
    assert "exmaple.com <" not in said
    assert holder(desk, record) == SAM


def test_who_has_signed_in_for_the_company_is_a_colleague_with_their_role(console, desk):
    record = taken_by_sam(desk)
    assert "kim@example.com" not in Reader(console, "sam", record).page
    console.signs_in("kim", "lea", "zoe")
    sam = Reader(console, "sam", record)
    options = html.unescape(" ".join(re.findall("<option.*?</option>", sam.page)))
    assert "kim@example.com, agent" in options
    assert "lea@example.com, lead" in options
    assert "zoe" not in options, "of another company"
    assert sam.act("transfer", to=KIM).status_code == 303
    assert holder(desk, record) == KIM


def test_whom_the_list_names_is_a_colleague_and_is_the_person_once_they_have_signed_in(
    desk, console
):
    console = DeskConsole(desk, colleagues={OURS: {KIM: DeskRole.LEAD, SAM: DeskRole.AGENT}})
    record = taken_by_sam(desk)
    sam = Reader(console, "sam", record)
    assert f'<option value="{KIM}">kim@example.com, lead</option>' in sam.page
    assert f'<option value="{SAM}"' not in sam.page, "who has it already"
    console.team.signed_in(PROVEN, {OURS: DeskRole.AGENT})
    sam.load()
    assert sam.page.count("kim@example.com, ") == 1
    assert sam.act("transfer", to=KIM).status_code == 303
    assert holder(desk, record) == PROVEN


def test_a_sign_in_with_other_roles_ends_the_earlier_ones(console, desk):
    console.team.signed_in(KIM, {OURS: DeskRole.AGENT, OTHERS: DeskRole.LEAD})
    console.team.signed_in(KIM, {OTHERS: DeskRole.AGENT})
    assert console.team.team_of(OURS) == ()
    assert [member.role for member in console.team.team_of(OTHERS)] == [DeskRole.AGENT]
    console.team.signed_in(KIM, {})
    assert console.team.team_of(OTHERS) == ()


def test_a_stranger_without_a_role_leaves_no_row(console, desk):
    console.team.signed_in("eve@example.com", {})
    rows, _ = desk.conversations_table.scan_page(limit=1_000)
    assert [row for row in rows if row["primary_channel"].startswith("team")] == []


def test_who_has_not_signed_in_for_a_month_is_no_colleague(console, desk):
    console.signs_in("kim")
    desk.clock.forward(KNOWN_FOR.total_seconds())
    assert console.team.team_of(OURS) == ()


# --- absence ------------------------------------------------------------------------------------


def test_to_hand_over_to_who_is_away_is_asked_first(desk_console, desk):
    away(desk_console)
    record = taken_by_sam(desk)
    sam = Reader(desk_console, "sam", record)
    assert "kim@example.com, agent, away until " in html.unescape(sam.page)
    asked = sam.act("transfer", to=KIM)
    assert asked.status_code == 200
    assert "kim@example.com is away" in words_of(asked)
    assert holder(desk, record) == SAM
    sure = sam.browser.post(
        f"/conversations/{record.opaque_id}/transfer",
        {**fields(asked, to=KIM), "though_away": "yes"},
    )
    assert sure.status_code == 303
    assert holder(desk, record) == KIM


def test_an_absence_ends_by_itself_or_when_it_is_said(desk_console, desk):
    record = taken_by_sam(desk)
    away(desk_console, hours=1)
    desk.clock.forward(3_600)
    assert Reader(desk_console, "sam", record).act("transfer", to=KIM).status_code == 303
    away(desk_console, SAM, hours=1)
    assert say(desk_console, "lea", "back", SAM).status_code == 303
    assert "away until" not in desk_console.browser("lea").text("/team")


def test_one_says_it_of_oneself_and_a_lead_of_everybody(desk_console, desk):
    said = {"until": later(desk_console, days=1)}
    assert say(desk_console, "sam", "away", KIM, **said).status_code == 403
    assert say(desk_console, "sam", "away", SAM, **said).status_code == 303
    assert say(desk_console, "lea", "away", KIM, **said).status_code == 303
    assert say(desk_console, "lea", "away", "eve@example.com", **said).status_code == 422
    assert say(desk_console, "zoe", "away", KIM, **said).status_code == 404
    assert say(desk_console, "oda", "away", KIM, **said).status_code == 403
    page = desk_console.browser("sam").text("/team")
    assert "You are away until" in page
    assert page.count("away until") == 3
    day = desk.clock.now().date().isoformat()
    entered = [
        (entry["actor"], entry["action_type"], entry["people"])
        for entry in desk.journal.story(f"journal#{day}")
        if entry["action_type"].startswith("team")
    ]
    assert entered == [  # in the same second, by name of the act's id
        ("lea@example.com", "team away", {"about": KIM}),
        ("sam@example.com", "team away", {"about": SAM}),
    ]


@pytest.mark.parametrize("until", ["", "soon", "2020-01-01T00:00", "far"])
def test_a_wrong_time_is_refused_by_its_field(desk_console, until):
    far = later(desk_console, days=LONGEST_AWAY.days + 1)
    found = say(desk_console, "sam", "away", SAM, until=far if until == "far" else until)
    assert found.status_code == 400
    assert "until: " in found.text
    assert "away until" not in desk_console.browser("sam").text("/team")


def test_an_own_absence_counts_at_every_company_of_ones_own(desk_console, monkeypatch):
    both = Person(SAM, frozenset({Role.AGENT}), frozenset({OURS, OTHERS}))
    monkeypatch.setattr(rig, "PEOPLE", {**rig.PEOPLE, "sam": both})
    away(desk_console, SAM, by="sam")
    for company in (OURS, OTHERS):
        assert [
            member.person for member in desk_console.team.team_of(company) if member.away_until
        ] == [SAM]


def test_what_somebody_away_has_is_shown_to_the_lead_and_put_back_in_one_act(desk_console, desk):
    mine = taken_by_sam(desk)
    second = taken_by_sam(desk, "req2", tel="+15550100002")
    kims = desk.handed_off("req3", tel="+15550100003")
    desk.act("take", kims, by=KIM)
    lea = desk_console.browser("lea")
    assert "No one who is away has a conversation." in lea.text("/team")
    away(desk_console, SAM)
    rows = lea.get("/inbox?state=away").text
    assert [record.opaque_id in rows for record in (mine, second, kims)] == [True, True, False]
    assert "Held by somebody away" not in desk_console.browser("kim").get("/inbox").text
    page = lea.get("/team")
    form = re.search(r'action="/inbox/acts">(.*?)</form>', page.text, re.DOTALL)[1]
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
    picked = re.findall(r'name="pick" value="([^"]*)"', form)
    assert {tick.partition("~")[0] for tick in picked} == {mine.opaque_id, second.opaque_id}
    done = lea.post("/inbox/acts", {**hidden, "pick": picked})
    assert "Put back: 2 of 2 done" in words_of(done)
    assert (desk.state(mine), desk.state(second), desk.state(kims)) == (
        "waiting",
        "waiting",
        "taken",
    )
    assert holder(desk, mine) is None
    assert desk.sent() == []


def test_a_name_is_shown_as_text(desk_console):
    desk_console.team.signed_in("<script>alert(1)</script>", {OURS: DeskRole.AGENT})
    page = desk_console.browser("lea").get("/team").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_another_companys_team_is_not_there(desk_console):
    assert desk_console.browser("zoe").get(f"/team?company={OURS}").status_code == 404
    assert "sam@example.com" not in desk_console.browser("zoe").text("/team")
