"""Sign-in with a provider: who gets in, as whom, for how long, and who does not."""

import html
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from console import openid, settings
from console.sessions import digest
from tests.rigs.openid import CLIENT_ID
from tests.rigs.openid_console import URL, OpenIdConsole


@pytest.fixture
def console(provider):
    provider.add("oda", "ops")
    provider.add("ann", "a-agents", "something else")
    provider.add("zoe", "nothing of ours")
    return OpenIdConsole(provider)


def rows(console):
    return console.table.scan_page(limit=100)[0]


def test_a_person_signs_in_and_is_back_on_the_page_that_was_asked_for(console):
    visitor = console.visitor()
    back = visitor.sign_in("oda", "/?a=1&b=2")
    assert (back.status_code, back.headers["location"]) == (302, "/?a=1&b=2")
    page = visitor.get("/find")
    assert page.status_code == 200
    assert "oda@example.com" in page.text
    (entry,) = console.services.journal.story("console:sign-in")
    issuer = console.provider.url
    assert entry["actor"] == f"oda@example.com <oda at {issuer}>"
    assert entry["action_type"] == "console sign-in"


def test_a_person_without_a_session_is_sent_to_the_provider_with_state_nonce_and_pkce(console):
    visitor = console.visitor()
    asked = visitor.get("/find")
    assert urlsplit(asked.headers["location"]).path == "/sign-in"
    sent = visitor.get(asked.headers["location"])
    query = parse_qs(urlsplit(sent.headers["location"]).query)
    assert query["code_challenge_method"] == ["S256"]
    assert query["redirect_uri"] == [f"{URL}/signed-in"]
    assert {"state", "nonce", "code_challenge"} <= query.keys()


def test_who_is_in_no_known_group_has_no_session(console):
    visitor = console.visitor()
    back = visitor.sign_in("zoe")
    assert (back.status_code, "No role here yet" in back.text) == (403, True)
    assert visitor.cookie(openid.SESSION_COOKIE) is None
    assert visitor.get("/find").status_code == 302


def test_who_signs_in_is_known_to_their_companies_with_their_roles(console):
    for name in ("ann", "zoe"):
        console.visitor().sign_in(name)
    issuer = console.provider.url
    assert console.kept_roles == [
        (f"ann@example.com <ann at {issuer}>", ["agent:ci-a"]),
        (f"zoe@example.com <zoe at {issuer}>", []),
    ]


def test_roles_are_those_of_the_groups_at_sign_in(console):
    visitor = console.visitor()
    visitor.sign_in("ann")
    assert visitor.get("/find").status_code == 403
    (row,) = [row for row in rows(console) if row["kind"] == "session"]
    assert row["grants"] == ["agent:ci-a"]


def test_cookies_belong_to_this_host_alone_and_to_no_script(console):
    visitor = console.visitor()
    sent = visitor.get(visitor.get("/find").headers["location"])
    back = visitor.sign_in("oda")
    for answer, name in ((sent, openid.SIGN_IN_COOKIE), (back, openid.SESSION_COOKIE)):
        (cookie,) = [
            cookie
            for cookie in answer.headers.getlist("set-cookie")
            if cookie.startswith(f"{name}=") and "Max-Age=0" not in cookie
        ]
        parts = {part.strip() for part in cookie.split(";")[1:]}
        assert {"Secure", "HttpOnly", "SameSite=Lax", "Path=/"} <= parts
        assert not [part for part in parts if part.startswith("Domain")]


def test_the_table_holds_no_token_that_signs_in(console):
    visitor = console.visitor()
    visitor.sign_in("oda")
    token = visitor.cookie(openid.SESSION_COOKIE)
    assert token not in str(rows(console))
    assert digest(token) in {row["session_id"] for row in rows(console)}
    thief = console.visitor()
    thief.client.set_cookie(openid.SESSION_COOKIE, digest(token), domain="console.example")
    assert thief.get("/find").status_code == 302


@pytest.mark.parametrize("change", ["state", "code"])
def test_a_way_back_that_was_changed_signs_nobody_in(console, change):
    visitor = console.visitor()
    asked = visitor.get("/sign-in").headers["location"]
    back = urlsplit(console.provider.confirm(asked, "oda"))
    query = re.sub(rf"{change}=(.)", lambda at: f"{change}={'xy'[at[1] == 'x']}", back.query)
    answer = visitor.get(f"/signed-in?{query}")
    assert answer.status_code in (403, 503)
    assert visitor.cookie(openid.SESSION_COOKIE) is None


def test_a_way_back_works_once_and_in_the_browser_that_asked(console):
    visitor, other = console.visitor(), console.visitor()
    asked = visitor.get("/sign-in").headers["location"]
    back = urlsplit(console.provider.confirm(asked, "oda"))
    address = f"/signed-in?{back.query}"
    elsewhere = other.get(address)
    assert (elsewhere.status_code, other.cookie(openid.SESSION_COOKIE)) == (302, None)
    assert visitor.get(address).status_code == 302
    assert visitor.get("/find").status_code == 200
    assert visitor.get(address).headers["location"] == "/"  # loaded again: still signed in


@pytest.mark.parametrize(
    "asked", ["https://evil.example/", "//evil.example", "/\\evil.example", "/\tx", "evil"]
)
def test_a_link_cannot_lead_elsewhere_after_sign_in(console, asked):
    visitor = console.visitor()
    sent = visitor.get("/sign-in", query_string={"next": asked}).headers["location"]
    back = urlsplit(console.provider.confirm(sent, "oda"))
    assert visitor.get(f"/signed-in?{back.query}").headers["location"] == "/"


def test_a_session_ends_by_itself_though_its_row_is_still_there(console):
    visitor = console.visitor()
    visitor.sign_in("oda")
    console.services.clock.forward(8 * 3600 - 1)
    assert visitor.get("/find").status_code == 200
    console.services.clock.forward(1)
    assert visitor.get("/find").status_code == 302


def test_signing_out_ends_the_session_for_every_copy_of_the_cookie(console):
    visitor = console.visitor()
    visitor.sign_in("oda")
    token = visitor.cookie(openid.SESSION_COOKIE)
    out = visitor.post("/sign-out")
    assert out.headers["location"].startswith(f"{console.provider.url}/oauth2/end_session?")
    assert parse_qs(urlsplit(out.headers["location"]).query)["client_id"] == [CLIENT_ID]
    copy = console.visitor()
    copy.client.set_cookie(openid.SESSION_COOKIE, token, domain="console.example")
    assert copy.get("/find").status_code == 302
    assert "Signed out" in visitor.get("/signed-out").text


def test_a_revoked_session_is_refused_at_once_and_another_goes_on(console):
    revoked, other = console.visitor(), console.visitor()
    revoked.sign_in("oda")
    other.sign_in("oda")
    found = digest(revoked.cookie(openid.SESSION_COOKIE))
    assert console.sessions.revoke(found, by="Operators/jo")
    assert not console.sessions.revoke(found, by="Operators/jo")
    assert revoked.get("/find").status_code == 302
    assert other.get("/find").status_code == 200


def test_a_form_of_another_session_or_another_site_changes_nothing(console):
    visitor, other = console.visitor(), console.visitor()
    visitor.sign_in("oda")
    other.sign_in("oda")
    assert visitor.form_token() != other.form_token()
    forged = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    for answer in (
        visitor.post("/sign-out", token=other.form_token()),
        visitor.post("/sign-out", token=""),
        visitor.post("/sign-out", headers=forged),
        visitor.client.post("/sign-out", data={"token": visitor.form_token()}, base_url=URL),
    ):
        assert answer.status_code == 403
    assert visitor.get("/find").status_code == 200


def test_the_policy_lets_forms_lead_to_the_provider_and_nowhere_else(console):
    policy = console.visitor().get("/signed-out").headers["content-security-policy"]
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert parts["form-action"] == f"'self' {console.provider.url}"
    assert parts["default-src"] == "'none'"


def test_a_provider_that_cannot_be_reached_is_said_so(console, provider):
    class Gone:
        url = "http://localhost:9"

    answer = OpenIdConsole(Gone()).visitor().get("/sign-in")
    assert (answer.status_code, "cannot be reached" in answer.text) == (503, True)


def test_an_address_is_a_group_only_once_it_is_verified(provider):
    groups = '{"vera@example.com": ["viewer"], "una@example.com": ["viewer"]}'
    console = OpenIdConsole(provider, CONSOLE_GROUP_CLAIM="email", CONSOLE_GROUPS=groups)
    provider.add("vera")
    provider.add("una", email_verified=False)
    verified, claimed = console.visitor(), console.visitor()
    assert verified.sign_in("vera").status_code == 302
    assert claimed.sign_in("una").status_code == 403


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("CONSOLE_ISSUER", "", "CONSOLE_ISSUER is missing"),
        ("CONSOLE_ISSUER", "http://idp.example", "CONSOLE_ISSUER is not an https"),
        ("CONSOLE_URL", "https://a.example/console", "has a path"),
        ("CONSOLE_GROUPS", "{", "not JSON"),
        ("CONSOLE_GROUPS", '["ops"]', "not a JSON object"),
        ("CONSOLE_GROUPS", '{"ops": "operator"}', "not a list"),
        ("CONSOLE_GROUPS", '{"ops": ["root"]}', "no role 'root'"),
        ("CONSOLE_GROUPS", '{"ops": ["agent"]}', "agent:<company>"),
        ("CONSOLE_GROUPS", '{"ops": ["viewer:ci-a"]}', "'viewer'"),
        ("CONSOLE_SESSION_HOURS", "25", "CONSOLE_SESSION_HOURS"),
    ],
)
def test_a_wrong_setting_is_named(provider, name, value, said):
    with pytest.raises(settings.SettingsError, match=re.escape(said)):
        OpenIdConsole(provider, **{name: value})


def test_an_address_that_is_not_verified_names_no_one(provider):
    console = OpenIdConsole(provider)
    for subject, claims in {
        "una": {"email": "lena@example.com", "email_verified": False},
        "ula": {"email": "lena@example.com", "email_verified": "true"},
        "uwe": {"email": "uwe@example.com"},
    }.items():
        provider.add(subject, "ops", **claims)
        visitor = console.visitor()
        visitor.sign_in(subject)
        page = visitor.get("/find").text
        assert ("lena@example.com" in page, subject in page) == (False, True)
    actors = {entry["actor"] for entry in console.services.journal.story("console:sign-in")}
    issuer = provider.url
    assert actors == {
        f"<una at {issuer}>",
        f"<ula at {issuer}>",
        f"uwe@example.com <uwe at {issuer}>",
    }


def test_who_gets_anothers_address_is_another_person(provider):
    console = OpenIdConsole(provider)
    provider.add("old", "ops", email="info@example.com")
    provider.add("new", "ops", email="info@example.com")
    for subject in ("old", "new"):
        console.visitor().sign_in(subject)
    actors = {entry["actor"] for entry in console.services.journal.story("console:sign-in")}
    assert len(actors) == 2


@pytest.mark.parametrize(
    "name", ["o'brien@example.com", "Ó Súilleabháin", "김", "José (night shift)", "x" * 254]
)
def test_a_person_has_the_name_that_they_have(provider, name):
    provider.add("pat", "ops", email=name, email_verified=True)
    console = OpenIdConsole(provider)
    visitor = console.visitor()
    visitor.sign_in("pat")
    assert html.escape(name, quote=True) in visitor.get("/find").text.replace("&#39;", "&#x27;")
