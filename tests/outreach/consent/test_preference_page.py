"""The page behind an e-mail's link, in a real browser, without script, on a phone."""

import re

import pytest
from werkzeug.wrappers import Request, Response

from local import company
from tests.rigs.browser import NARROW, listening
from tests.rigs.outreach import MAIL

pytestmark = pytest.mark.long  # a browser over what `test_unsubscribe` proves without one


@pytest.fixture
def site(outreach):
    """The page of a link, listening; yields its address."""
    outreach.set_project(language="de", company_name="Kanzlei-Personalvermittlung " + "x" * 60)
    outreach.start("first", "email")
    outreach.run()
    found = re.search(rf"{company.PUBLIC_URL}(/unsubscribe/\S+)", outreach.ses.emails[0]["text"])

    def answered(request):
        how = {"headers": {"content-type": request.content_type or ""}}
        with outreach._client() as client:
            if request.method == "POST":
                got = client.http.post(request.path, body=request.get_data(), **how)
            else:
                got = client.http.get(request.path)
        return Response(got.body, got.status_code, dict(got.headers))

    with listening(lambda _: Request.application(answered)) as url:
        yield url + found[1]


def main_text(page):
    return " ".join(page.locator("main").inner_text().split())


def test_a_person_stops_messages_and_allows_them_again_without_script(outreach, site, open_tab):
    page = open_tab(viewport=NARROW, java_script_enabled=False).page
    register = outreach.services.outreach.conversations
    page.goto(site)
    assert not register.is_forbidden(MAIL, company.COMPANY_ID)
    for button, is_stopped in (
        ("Alle Nachrichten abbestellen", True),
        ("Nachrichten wieder erlauben", False),
    ):
        page.get_by_role("button", name=button, exact=True).click()
        page.wait_for_load_state()
        assert ("keine Nachrichten mehr" in main_text(page)) is is_stopped
        assert register.is_forbidden(MAIL, company.COMPANY_ID) is is_stopped
    assert page.get_by_role("button").count() == 2  # the other saves preferences


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("by", [None, "stop", "operator"])
def test_it_is_accessible_and_no_wider_than_a_phone(outreach, site, open_tab, scheme, by):
    if by is not None:
        outreach.services.outreach.conversations.forbid(MAIL, company.COMPANY_ID, by)
    tab = open_tab(viewport=NARROW, color_scheme=scheme, bypass_csp=True)
    tab.page.goto(site)
    assert tab.page.locator("html").get_attribute("lang") == "de"
    assert tab.violations() == []
    assert not tab.is_wider_than_the_screen()
