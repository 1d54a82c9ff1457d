"""Views of the inbox: a person's own, a company's, and one whose filter is of something that is gone."""

import html
import re

import pytest

from chalicelib.outreach.conversations.shelves import ShelfPlace, ShelvedThing, owned_by
from console.pages import inbox_views
from console.rights import Person, Role
from tests.rigs import console as rig
from tests.rigs.console import words_of
from tests.rigs.desk import OTHERS, OURS

PAGE = "/inbox/views"
FILTERS = f"company={OURS}&state=waiting&channel=sms&project=pi-aaa-001"


def form(page, path):
    """The fields of a page's first form that is posted to a path."""
    for action, body in re.findall(
        r'<form method="post" action="([^"]+)"[^>]*>(.*?)</form>', page.text, re.DOTALL
    ):
        if action == path:
            found = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', body))
            return {name: html.unescape(value) for name, value in found.items()}
    raise AssertionError(f"no form to {path}")


def keep(browser, name, filters=FILTERS, **more):
    return browser.post(
        PAGE, {**form(browser.get(f"{PAGE}?{filters}"), PAGE), "name": name, **more}
    )


def listed(browser, path="/inbox"):
    """The names of the saved views beside the inbox, with where each leads."""
    page = browser.get(path).text
    found = re.search(r'<ul class="views" aria-label="Saved views">(.*?)</ul>', page, re.DOTALL)
    links = re.findall(r'href="([^"]+)"[^>]*><bdi>([^<]+)', found[1]) if found else ()
    return {html.unescape(name): html.unescape(url) for url, name in links}


def store(desk, place, **holds):
    thing = ShelvedThing("v1", "Old", holds, "lea@example.com", "", "v1")
    desk.conversations.change_shelf(place, lambda shelf: shelf.adding(thing), [])


@pytest.fixture
def sam(desk_console):
    return desk_console.browser("sam")


@pytest.fixture(autouse=True)
def _project(desk_console):
    services = desk_console.services
    services.table(services.settings.company_data_table).put(
        {"company_id": OURS, "project_id": "pi-aaa-001"}
    )


def test_a_view_is_kept_and_leads_to_its_filters(desk, sam):
    waiting = desk.handed_off()
    taken = desk.handed_off("req2", tel="+15550100002")
    desk.act("take", taken, by="kim@example.com")
    opened = keep(sam, "Texts that wait")
    assert opened.status_code == 303
    shown = sam.get(sam.get(opened.headers["location"]).headers["location"])
    assert waiting.opaque_id in shown.text
    assert taken.opaque_id not in shown.text
    assert 'aria-current="true"><bdi>Texts that wait' in shown.text
    assert "no longer exists" not in shown.text
    assert list(listed(sam)) == ["Texts that wait"]


def test_a_view_is_of_its_person_alone(desk_console, sam):
    keep(sam, "Mine")
    url = listed(sam)["Mine"]
    for other in ("kim", "lea", "zoe"):
        browser = desk_console.browser(other)
        assert listed(browser) == {}
        assert browser.get(url).status_code == 404


def test_a_lead_shares_a_view_in_the_company_and_an_agent_does_not(desk_console, desk, sam):
    lea = desk_console.browser("lea")
    keep(lea, "Everybody's", of="company")
    assert list(listed(sam)) == ["Everybody's"]
    assert sam.get(listed(sam)["Everybody's"]).status_code == 302
    assert keep(sam, "Not so", of="company").status_code == 403
    refused = {**form(sam.get(PAGE), PAGE), "id": "x", "company": OURS, "of": "company"}
    assert sam.post(f"{PAGE}/remove", refused).status_code == 403
    assert "a lead's" in words_of(sam.get(f"{PAGE}?company={OURS}"))
    entered = desk.journal.story(f"company:{OURS}")
    assert [(entry["action_type"], entry["result"], entry["actor"]) for entry in entered] == [
        ("saved views", "added", "lea@example.com")
    ]


def test_another_companys_views_are_not_there(desk_console, sam):
    zoe = desk_console.browser("zoe")
    keep(zoe, "Theirs", f"company={OTHERS}", of="company")
    (url,) = listed(zoe).values()
    assert listed(sam) == {}
    assert sam.get(url).status_code == 404
    assert sam.get(url.partition("?")[0]).status_code == 404
    assert sam.get(f"{PAGE}?company={OTHERS}").status_code == 404
    given = {**form(sam.get(PAGE), PAGE), "name": "x", "company": OTHERS, "id": "x"}
    for path in (PAGE, f"{PAGE}/remove"):
        for of in ("", "company"):
            assert sam.post(path, {**given, "of": of}).status_code == 404
    assert list(listed(zoe)) == ["Theirs"]


def test_a_form_that_is_posted_twice_keeps_and_removes_once(sam):
    given = {**form(sam.get(f"{PAGE}?{FILTERS}"), PAGE), "name": "Mine"}
    assert [sam.post(PAGE, given).status_code for _ in range(2)] == [303, 303]
    assert list(listed(sam)) == ["Mine"]
    gone = form(sam.get(PAGE), f"{PAGE}/remove")
    assert [sam.post(f"{PAGE}/remove", gone).status_code for _ in range(2)] == [303, 303]
    assert sam.post(PAGE, given).status_code == 303
    assert listed(sam) == {}


@pytest.mark.parametrize(
    ("given", "field", "status"),
    [
        ({"name": ""}, "name", 400),
        ({"name": "x" * 41}, "name", 400),
        ({"state": "sleeping"}, "state", 400),
        ({"channel": "pigeon"}, "channel", 400),
        ({"project": "x" * 257}, "project", 400),
        ({"once": "guessed"}, "once", 400),
        ({"name": "MINE"}, "name", 409),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_kept(sam, given, field, status):
    keep(sam, "Mine")
    answer = keep(sam, **{"name": "Another", **given})
    assert answer.status_code == status
    assert f"{field}:" in answer.text
    assert list(listed(sam)) == ["Mine"]


def test_so_many_views_are_kept_and_no_more(sam, monkeypatch):
    monkeypatch.setattr(inbox_views, "MOST", 1)
    keep(sam, "Mine")
    late = keep(sam, "More")
    assert late.status_code == 409
    assert "remove one first" in late.text


def test_a_view_of_a_project_that_is_gone_says_so(desk, sam):
    own = ShelfPlace(owned_by("sam@example.com"), "views", 20)
    store(desk, own, company=OURS, project="pi-old")
    shown = sam.get(sam.get(listed(sam)["Old"]).headers["location"])
    assert "filters by something that no longer exists: its project pi-old" in words_of(shown)
    assert "its project pi-old" in words_of(sam.get(PAGE))
    assert "pi-old" not in sam.text("/inbox"), "of the one that is shown"


@pytest.mark.parametrize("holds", [{"state": "asleep"}, {"channel": "pigeon"}, {"company": OTHERS}])
def test_a_view_by_what_the_inbox_cannot_be_asked_for_opens_without_it_and_says_so(
    desk, sam, holds
):
    """A channel of an older release; a company that was the person's once."""
    record = desk.handed_off()
    store(desk, ShelfPlace(owned_by("sam@example.com"), "views", 20), **holds)
    answer = sam.get(sam.get(listed(sam)["Old"]).headers["location"])
    assert answer.status_code == 200
    assert record.opaque_id in answer.text
    ((name, value),) = holds.items()
    assert f"its {name} {value}" in words_of(answer)


def test_who_sees_every_company_keeps_a_view_of_all(desk_console, monkeypatch):
    everybody = Person("ola@example.com", frozenset({Role.OPERATOR, Role.LEAD}), None, None, None)
    monkeypatch.setattr(rig, "PEOPLE", {**rig.PEOPLE, "ola": everybody})
    ola = desk_console.browser("ola")
    keep(ola, "Mine of all", "state=mine")
    assert sorted(listed(ola)) == ["Mine of all"]
    assert ola.get(listed(ola)["Mine of all"]).headers["location"].startswith("/inbox?state=mine")


def test_a_hostile_name_is_shown_as_text(sam):
    keep(sam, "<script>alert(1)</script>")
    for path in ("/inbox", PAGE):
        assert "<script>alert" not in sam.get(path).text
