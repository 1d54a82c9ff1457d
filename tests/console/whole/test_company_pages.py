"""A company's keys, register, costs, and whether it may send: what its people see and do, and no others."""

import csv
import html
import io
import re

import pytest

from chalicelib.outreach.door.access import DeskRole
from console import grants
from console.rights import Person, Role
from local import company
from ops.companies import api_keys, register
from ops.session import Session
from tests.rigs import console as rig
from tests.rigs.console import Console, fields, words_of
from tests.rigs.outreach import MAIL, TEL

OURS, PROJECT, OTHERS = company.COMPANY_ID, company.PROJECT_ID, "ci-bbb-001"
KEYS, REGISTER, ASK = "/company/keys", "/company/register", "/company/may-i-send"
HOSTILE = '=HYPERLINK("http://evil.example") <script>alert(1)</script> \u202e'
MADE = re.compile(r"<code>([A-Za-z0-9_-]{43})</code>")


@pytest.fixture
def stage_console(outreach):
    """The console of a stage with two companies."""
    other = company.project("dev", company_id=OTHERS, channel_config={}, allowed_channels=[])
    company.put_project(outreach.stage, other)
    return Console(Session("dev"))


@pytest.fixture
def dev(stage_console):
    return stage_console.browser("dev")


def acts(console, of=OURS):
    found = console.services.journal.story(f"company:{of}")
    return [entry["action_type"] for entry in found]


def lifted(console, company_id=OURS):
    return [entry["address"] for entry in register.listed(console.session, company_id)]


# --- keys -----------------------------------------------------------------------------------------


def test_a_key_is_made_shown_once_works_and_is_listed_with_who_made_it(
    outreach, stage_console, dev
):
    given = fields(dev.get(KEYS), role="router")
    answer = dev.post(KEYS, given)
    (key,) = MADE.findall(answer.text)
    outreach.new_container()
    assert outreach.fate("none", key=key).status_code == 404, "it opens the door"
    page = dev.get(KEYS)
    assert key not in page.text
    assert re.search(f"{api_keys.id_of(key)} the company's systems dev@example.com", words_of(page))
    assert "not known" in words_of(page), "the key that was there before"
    assert dev.post(KEYS, given).status_code in (400, 409), "a form makes one key"
    assert len(api_keys.active(stage_console.session, OURS)) == 2
    assert key not in str(list(stage_console.services.journal.story(f"company:{OURS}")))


def test_a_third_key_of_a_role_is_refused_before_it_would_end_the_first(stage_console, dev):
    once = fields(dev.get(KEYS), role="agent")
    dev.post(KEYS, fields(dev.get(KEYS), role="router"))
    before = api_keys.active(stage_console.session, OURS)
    assert "Two are active. Revoke one first." in dev.text(KEYS)
    assert dev.post(KEYS, {**once, "role": "router"}).status_code == 400
    assert api_keys.active(stage_console.session, OURS) == before


def test_one_key_is_revoked_with_a_tick_and_a_reason_and_no_other(outreach, stage_console, dev):
    dev.post(KEYS, fields(dev.get(KEYS), role="router"))
    dev.post(KEYS, fields(dev.get(KEYS), role="lead"))
    newest, first = api_keys.active(stage_console.session, OURS)
    form = fields(dev.get(KEYS), id=api_keys.id_of(first))
    assert dev.post(f"{KEYS}/revoke", {**form, "reason": "lost"}).status_code == 400
    assert dev.post(f"{KEYS}/revoke", {**form, "sure": "yes"}).status_code == 400
    answer = dev.post(
        f"{KEYS}/revoke", {**form, "sure": "yes", "reason": "lost"}, follow_redirects=True
    )
    assert "The key is revoked" in words_of(answer)
    assert api_keys.active(stage_console.session, OURS) == (newest,)
    (left,) = api_keys.company_access(stage_console.session, OURS).desk_keys
    assert left[1] is DeskRole.LEAD
    outreach.new_container()
    assert outreach.fate("none", key=first).status_code == 401
    assert acts(stage_console) == ["company key"] * 3


# --- may I send -----------------------------------------------------------------------------------


def asked(dev, **given):
    given = {"channel": "sms", "recipient": TEL, **given}
    return dev.post(ASK, {**fields(dev.get(ASK)), "project": PROJECT, **given})


def test_who_may_be_written_to_is_said_and_nothing_is_stored(outreach, stage_console, dev):
    answer = asked(dev)
    assert "It may be sent." in words_of(answer)
    assert TEL not in answer.request.full_path
    register.add(stage_console.session, OURS, TEL)
    answer = asked(dev)
    assert "It may not be sent. Time alone does not change that." in words_of(answer)
    assert "do_not_contact" in answer.text
    assert outreach.twilio.sent_to(TEL) == []


def test_a_rule_of_the_place_is_said_in_words_with_its_source_and_when_it_is_next_possible(
    outreach, dev
):
    outreach.set_project(jurisdictions={"enforced": True}, require_consent=True)
    answer = asked(dev, recipient="+13055550100", at="2026-11-27T22:30:00-05:00")
    said = words_of(answer)
    assert "It may not be sent. Next possible: 2026-11-28T13:00:00.000Z" in said
    assert "Marketing comes from 8:00 to 20:00. Florida" in said
    assert "Florida Telemarketing Act" in said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"recipient": "nobody"}, "the recipient is not an address of the channel"),
        ({"at": "tomorrow"}, "the time must be an ISO time with a time zone"),
        ({"channel": "fax"}, "channel: one of"),
        ({"purpose": "fun"}, "purpose: one of"),
        ({"project": "pi-none"}, "There is no such page"),
    ],
)
def test_a_wrong_question_is_refused_by_its_field(dev, given, said):
    answer = asked(dev, **given)
    assert answer.status_code in (400, 404)
    assert said in words_of(answer)
    assert "nobody." not in words_of(answer)


# --- the register ---------------------------------------------------------------------------------


def test_a_file_is_judged_before_anything_is_written_and_then_taken_once(stage_console, dev):
    text = f"address\n{TEL}\n\n{MAIL}\n"
    judged = dev.post(f"{REGISTER}/judge", {**fields(dev.get(REGISTER)), "text": text})
    assert "2 entries are right. Nothing is written yet." in words_of(judged)
    assert lifted(stage_console) == []
    kept = html.unescape(re.search(r"<textarea[^>]*>\n(.*?)</textarea>", judged.text, re.DOTALL)[1])
    form = {**fields(judged), "text": kept, "reason": "our old list"}
    answer = dev.post(f"{REGISTER}/import", form, follow_redirects=True)
    assert "Taken: 2 entries are in the register." in words_of(answer)
    assert TEL in answer.text
    assert dev.post(f"{REGISTER}/import", form).status_code == 409
    assert sorted(lifted(stage_console)) == sorted([TEL, MAIL])
    assert acts(stage_console).count("do-not-contact import") == 1
    assert TEL not in str(list(stage_console.services.journal.story(f"company:{OURS}")))


def test_what_is_refused_is_a_list_of_line_and_field_without_its_value(stage_console, dev):
    text = f"address,since\n{TEL},2026-11-20\n\nnobody,\n{MAIL},soon\n"
    page = dev.get(REGISTER)
    judged = dev.post(f"{REGISTER}/judge", {**fields(page), "text": text})
    assert judged.status_code == 400
    assert "Nothing was written: 2 rows are wrong" in words_of(judged)
    rows = re.findall(r'<td class="number">(\d+)</td><td>(\w+)</td>', judged.text)
    assert rows == [("4", "address"), ("5", "since")]
    assert "nobody" not in judged.text
    form = {"company": OURS, "once": "x" * 16, "reason": "x", "text": text}
    assert dev.post(f"{REGISTER}/import", form).status_code == 400
    assert lifted(stage_console) == []


def test_a_chosen_file_is_judged_like_a_pasted_one(dev):
    file = (io.BytesIO(f"\ufeff{TEL}\n".encode()), "list.csv")
    judged = dev.post(f"{REGISTER}/judge", {**fields(dev.get(REGISTER)), "file": file})
    assert "1 entry is right" in words_of(judged)
    file = (io.BytesIO(b"\xff\xfe"), "list.csv")
    wrong = dev.post(f"{REGISTER}/judge", {**fields(dev.get(REGISTER)), "file": file})
    assert "file: it is not UTF-8" in words_of(wrong)


def test_an_export_is_taken_again_and_holds_no_formula_and_a_look_is_entered(stage_console, dev):
    register.add(stage_console.session, OURS, TEL, because="x")
    register.lift(stage_console.session, OURS, TEL, because=HOSTILE)
    register.add(stage_console.session, OURS, MAIL)
    register.add(stage_console.session, OTHERS, "+15550100099")
    page = dev.get(REGISTER)
    assert "<script>alert" not in page.text
    assert f"operator {len(lifted(stage_console))}" in words_of(page)
    text = dev.get(f"{REGISTER}.csv").text
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert not [cell for cell in cells if cell.lstrip("\ufeff").startswith(("=", "+", "@"))]
    assert "+15550100099" not in text
    judged = dev.post(f"{REGISTER}/judge", {**fields(page), "text": text})
    assert f"{len(lifted(stage_console))} entries are right" in words_of(judged)
    assert acts(stage_console).count("register view") == 2


# --- usage ----------------------------------------------------------------------------------------


def test_this_months_cost_is_shown_by_project_against_todays_budget(outreach, stage_console, dev):
    assert "No language model has written for the company this month" in dev.text("/company/usage")
    outreach.set_project(model_budget={"cents_per_day": 200, "soft_percent": 80})
    table = stage_console.services.outreach.conversations_table
    day = f"{stage_console.services.clock.now():%Y-%m-%d}"
    sums = dict.fromkeys(("input_tokens", "cached_tokens", "output_tokens"), 10)
    table.put(
        {
            "primary_channel": f"usage:{OURS}#{PROJECT}",
            "conversation_id": f"day#{day}",
            **sums,
            "calls": 3,
            "microusd": 500_000,
            "committed": 500_000,
        }
    )
    text = dev.text("/company/usage")
    assert "$0.50 for 3 calls" in text
    assert re.search(rf"{PROJECT} \$0.50 \$(56|58|60|62).00 \$0.50 \$2.00 25 %", text)


def test_this_months_messages_are_shown_with_what_they_cost(outreach, dev, stage_console):
    assert "Messages, estimated" not in dev.text("/company/usage")
    outreach.start(channel="sms")
    outreach.run()
    text = dev.text("/company/usage")
    assert re.search(rf"{PROJECT} conversation started, SMS 1 \$0.000\d \$0.0\d", text)
    day = stage_console.services.clock.now().day
    assert f"ops cost --company {OURS} --since {day}d" in text, "the same days"


# --- rights ---------------------------------------------------------------------------------------

GETS = (KEYS, ASK, REGISTER, f"{REGISTER}.csv", "/company/usage")
POSTS = (KEYS, f"{KEYS}/revoke", ASK, f"{REGISTER}/judge", f"{REGISTER}/import")


def test_another_companys_pages_are_not_there(stage_console, dev):
    register.add(stage_console.session, OTHERS, TEL)
    before = acts(stage_console, OTHERS)
    given = {"company": OTHERS, "once": "x" * 16, "reason": "x", "role": "router", "text": TEL}
    for path in GETS:
        answer = dev.get(path, query_string={"company": OTHERS})
        assert (answer.status_code, OTHERS in answer.text, TEL in answer.text) == (
            404,
            False,
            False,
        )
    for path in POSTS:
        assert dev.post(path, {**given, "channel": "sms", "recipient": TEL}).status_code == 404
    assert acts(stage_console, OTHERS) == before
    assert api_keys.active(stage_console.session, OTHERS) == ()


@pytest.mark.parametrize("who", ["ana", "vi", "jo"])
def test_who_is_neither_lead_nor_developer_sees_no_page_of_a_company(stage_console, who):
    browser = stage_console.browser(who)
    for path in GETS:
        assert browser.get(path, query_string={"company": OURS}).status_code == 403
    for path in POSTS:
        assert browser.post(path, {"company": OURS}).status_code == 403
    assert acts(stage_console) == []


def test_who_develops_for_one_company_and_answers_for_another_reads_only_the_others_conversations():
    found = grants.person("x", [f"developer:{OURS}", f"agent:{OTHERS}"])
    assert (found.builds(OURS), found.sees(OURS)) == (True, False)
    assert (found.builds(OTHERS), found.sees(OTHERS)) == (False, True)
    lead = grants.person("x", [f"lead:{OURS}"])
    assert lead.builds(OURS)
    assert lead.sees(OURS)


def test_hostile_names_are_shown_as_text(stage_console, monkeypatch):
    name = "<img src=x onerror=alert(1)>@example.com"
    mallory = Person(name, frozenset({Role.DEVELOPER}), built=frozenset({OURS}))
    monkeypatch.setattr(rig, "PEOPLE", {**rig.PEOPLE, "mallory": mallory})
    browser = stage_console.browser("mallory")
    browser.post(KEYS, fields(browser.get(KEYS), role="agent"))
    for path in (*GETS, "/company/endpoint"):
        assert "<img" not in browser.get(path).text
    assert name in html.unescape(browser.get(KEYS).text)
