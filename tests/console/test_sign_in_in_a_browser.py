"""Sign-in in a real browser, against a provider whose pages are another site."""

import pytest

from tests.rigs.browser import listening
from tests.rigs.openid_console import OpenIdConsole


@pytest.fixture
def site(provider):
    """The console, listening; `site.url` is its address."""
    provider.add("oda", "ops")
    made = []

    def make_app(url):
        made.append(OpenIdConsole(provider, CONSOLE_URL=url))
        return made[0].app

    with listening(make_app) as url:
        made[0].url = url
        yield made[0]


def sign_in(tab, site, subject, path="/"):
    tab.page.goto(f"{site.url}{path}")
    tab.page.wait_for_url(f"{site.provider.url}/**")
    tab.page.locator("input[name=sub]").fill(subject)
    tab.page.get_by_role("button", name="Authorize").first.click()
    tab.page.wait_for_url(f"{site.url}/**")


def test_a_person_signs_in_at_the_provider_and_out_at_both(site, open_tab):
    tab = open_tab(foreign=site.provider.url)
    sign_in(tab, site, "oda", "/?asked=1")
    assert tab.page.url == f"{site.url}/?asked=1"
    assert tab.page.get_by_text("oda@example.com").is_visible()
    cookies = {cooky["name"]: cooky for cooky in tab.page.context.cookies(site.url)}
    assert cookies.keys() == {"__Host-console"}
    assert cookies["__Host-console"]["httpOnly"]
    assert tab.page.evaluate("() => document.cookie") == ""
    tab.page.get_by_role("button", name="Sign out").click()
    tab.page.wait_for_url(f"{site.provider.url}/**")
    tab.page.goto(f"{site.url}/")
    assert tab.page.url.startswith(site.provider.url)
