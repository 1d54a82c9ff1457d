"""From the list to a conversation and back: the filters stay, and what is shown has its name."""

import html
import re

import pytest

from tests.rigs.console import words_of

FILTERS = "state=waiting&channel=sms"


@pytest.fixture
def sam(desk_console):
    return desk_console.browser("sam")


def leads_to(page, path):
    """The addresses on a page that begin with a path."""
    return [
        html.unescape(address)
        for address in re.findall(r'(?:href|hx-get|action)="([^"]+)"', page.text)
        if address.partition("?")[0] == path
    ]


def keeps(address):
    return all(part in address for part in FILTERS.split("&"))


def test_the_filters_lead_to_a_conversation_and_back(desk, sam):
    record = desk.handed_off()
    path = f"/conversations/{record.opaque_id}"
    (link,) = leads_to(sam.get(f"/inbox?{FILTERS}"), path)
    assert keeps(link)
    opened = sam.get(link)
    back = leads_to(opened, "/inbox")
    assert len([address for address in back if keeps(address)]) >= 3
    assert [address for address in back if not keeps(address)] in ([], ["/inbox"])  # the menu's


def test_an_act_leads_back_to_the_conversation_with_the_filters(desk, sam):
    record = desk.handed_off()
    opened = sam.get(f"/conversations/{record.opaque_id}?{FILTERS}")
    (take,) = leads_to(opened, f"/conversations/{record.opaque_id}/take")
    assert keeps(take)


@pytest.mark.parametrize(
    "path", ["/conversations/{}", "/conversations/{}/version", "/companies/{}", "/events/{}"]
)
def test_an_id_that_no_row_can_have_is_not_found(sam, desk_console, path):
    answer = sam.get(path.format("x" * 8000))
    assert answer.status_code in (403, 404)
    assert "AWS" not in words_of(answer)


def test_a_project_is_shown_by_its_name(desk, sam):
    record = desk.handed_off(project_name="Clarify CV", company_rep=["Ana"])
    assert "Clarify CV" in words_of(sam.get("/inbox"))
    shown = words_of(sam.get(f"/conversations/{record.opaque_id}"))
    assert "Clarify CV" in shown
    assert "['" not in shown
