"""What every request passes: Host, session, role, origin and token; what every answer carries."""

import re

import pytest

from console import rights
from console.rights import RIGHTS, Right
from tests.rigs.console import HERE, HOST

READING = ("sign_in.", "find.look_up", "trying.decide")
"""Pages that read, but are posted: what is typed must not be part of an address."""
CHANGING = {"POST", "PUT", "PATCH", "DELETE"}


def views(console):
    return [
        (rule, rights.needed_by(console.app.view_functions[rule.endpoint]))
        for rule in console.app.url_map.iter_rules()
        if rule.endpoint != "static"
    ]


def test_every_view_names_its_right_and_no_reading_right_changes_anything(console):
    for rule, right in views(console):
        assert right is not None, rule
        if rule.methods & CHANGING and not rule.endpoint.startswith(READING):
            assert right not in (Right.ANYONE, Right.LOOK), rule


def test_a_view_without_a_right_is_refused_to_all(console):
    console.app.add_url_rule("/forgotten", "forgotten", lambda: "open")
    assert console.browser("jo").get("/forgotten").status_code == 403


def test_a_visitor_without_a_session_sees_nothing(console):
    assert console.browser(None).get("/").status_code == 401
    assert console.browser("mallory").get("/").status_code == 401


def test_an_agent_sees_no_operators_page_and_no_entry_to_one(console):
    answer = console.browser("ana").get("/find")
    assert answer.status_code == 403
    assert 'href="/"' not in answer.text


def test_only_an_operator_may_act():
    assert [role for role, rights in RIGHTS.items() if Right.ACT in rights] == ["operator"]


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:8091"])
def test_a_foreign_host_is_refused_before_anything_is_read(console, host):
    client = console.app.test_client()
    client.set_cookie("who", "jo", domain=host.partition(":")[0])
    assert client.get("/", base_url=f"http://{host}").status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": f"https://{HOST}"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {**HERE, "Sec-Fetch-Site": "cross-site"},
    ],
)
def test_a_post_from_elsewhere_is_refused_with_the_right_token_too(console, headers):
    assert console.browser().post("/sign-out", headers=headers).status_code == 403


def test_a_post_without_the_sessions_token_is_refused(console):
    jo = console.browser()
    assert jo.post("/sign-out", token=False).status_code == 403
    assert jo.post("/sign-out", {"token": "form-token-of-kim"}).status_code == 403
    assert jo.post("/sign-out", {"token": "ö"}).status_code == 403
    assert jo.post("/sign-out").status_code == 200
    by_script = {**HERE, "X-Form-Token": "form-token-of-jo"}
    assert jo.post("/sign-out", token=False, headers=by_script).status_code == 200


def test_every_answer_has_the_strict_headers(console):
    for path in ("/", "/nowhere", "/static/console.css"):
        with console.browser().get(path) as answer:
            headers = answer.headers
        assert headers["Content-Security-Policy"].startswith(
            "default-src 'none'; script-src 'self'"
        )
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
    assert console.browser().get("/").headers["Cache-Control"] == "no-store"


def test_a_page_that_has_not_changed_is_304_without_a_body(console):
    jo = console.browser()
    first = jo.get("/")
    again = jo.get("/", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_pages_have_no_inline_script_or_style(console):
    text = console.browser().get("/").text
    assert not re.search(r"<script(?![^>]*src=)|<style|\son\w+=|\sstyle=|javascript:", text)
