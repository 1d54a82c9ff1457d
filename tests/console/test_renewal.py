"""A session ends when the provider does not know its person any more, within ten minutes."""

import json

import pytest
from authlib.common.errors import AuthlibBaseError
from requests.exceptions import ConnectionError as Unreachable

from console import openid, renewal
from console.sessions import digest
from tests.rigs.openid_console import OpenIdConsole


@pytest.fixture
def console(provider):
    provider.add("oda", "ops")
    return OpenIdConsole(provider)


@pytest.fixture
def visitor(console):
    made = console.visitor()
    made.sign_in("oda")
    return made


def row(console, visitor):
    return console.table.get({"session_id": digest(visitor.cookie(openid.SESSION_COOKIE))})


def kept(console, visitor):
    found = console.sessions.find(visitor.cookie(openid.SESSION_COOKIE))
    return json.loads(found.proof)


def gone(monkeypatch):
    """The provider does not answer any more."""

    def raising(*_given, **_named):
        raise Unreachable

    monkeypatch.setattr(openid._Provider, "fetch_access_token", raising)
    monkeypatch.setattr(openid._Provider, "userinfo", raising)


def test_a_person_who_was_removed_sees_nothing_ten_minutes_later(console, visitor, provider):
    provider.remove("oda")
    assert visitor.get("/find").status_code == 200
    console.services.clock.forward(600)
    assert visitor.get("/find").headers["location"].startswith("/sign-in")
    assert row(console, visitor)["revoked_by"] == "provider"
    (entry,) = console.services.journal.story(
        f"console-session:{row(console, visitor)['session_id'][:12]}"
    )
    assert (entry["action_type"], entry["result"]) == ("console session end", "provider")


def test_a_person_who_is_still_there_goes_on_through_a_day(console, visitor):
    for _ in range(40):
        console.services.clock.forward(300)
        assert visitor.get("/find").status_code == 200


def test_the_provider_is_asked_every_five_minutes_and_not_at_each_page(console, visitor):
    first = row(console, visitor)["checked_at"]
    console.services.clock.forward(299)
    visitor.get("/find")
    assert row(console, visitor)["checked_at"] == first
    console.services.clock.forward(1)
    visitor.get("/find")
    assert row(console, visitor)["checked_at"] > first


def test_roles_are_those_that_the_provider_says_now(console, visitor, provider):
    provider.add("oda", "auditors")
    console.services.clock.forward(300)
    assert visitor.get("/find").status_code == 200
    assert row(console, visitor)["grants"] == ["viewer"]
    provider.add("oda", "nothing of ours")
    console.services.clock.forward(300)
    assert visitor.get("/find").status_code == 302


def test_a_provider_that_is_down_ends_nothing_and_opens_nothing(console, visitor, monkeypatch):
    with monkeypatch.context() as down:
        gone(down)
        console.services.clock.forward(590)
        assert visitor.get("/find").status_code == 200
        console.services.clock.forward(30)
        assert visitor.get("/find").status_code == 503
    console.services.clock.forward(30)
    assert visitor.get("/find").status_code == 200


@pytest.mark.parametrize("error", ["invalid_client", "temporarily_unavailable"])
def test_an_error_that_is_ours_or_passes_ends_no_session(console, visitor, monkeypatch, error):
    def refusing(*_given, **_named):
        raise AuthlibBaseError(error)

    monkeypatch.setattr(openid._Provider, "fetch_access_token", refusing)
    console.services.clock.forward(600)
    assert visitor.get("/find").status_code == 503
    assert "revoked_by" not in row(console, visitor)


def test_of_requests_at_the_same_time_one_asks(console, visitor, monkeypatch):
    asked = []
    real = openid._Provider.fetch_access_token

    def asking(self, *given, **named):
        asked.append(named)
        if len(asked) == 1:  # the browser sends another request meanwhile
            assert visitor.get("/find").status_code == 200
        return real(self, *given, **named)

    monkeypatch.setattr(openid._Provider, "fetch_access_token", asking)
    console.services.clock.forward(400)
    assert visitor.get("/find").status_code == 200
    assert len(asked) == 1


def test_a_request_waits_for_the_one_that_asks(console, visitor):
    console.services.clock.forward(700)
    token = visitor.cookie(openid.SESSION_COOKIE)
    session = console.sessions.find(token)
    assert console.sessions.claims(session, console.services.clock.now())
    assert visitor.get("/find").status_code == 503  # the one that asks never ends
    console.services.clock.forward(30)
    assert visitor.get("/find").status_code == 200


def test_without_a_refresh_token_the_claims_are_asked_for(console, visitor, provider):
    token = visitor.cookie(openid.SESSION_COOKIE)
    with_access = {"access_token": renewal_access(console, visitor)}
    session = console.sessions.find(token)
    now = console.services.clock.now()
    console.sessions.renewed(session, token, session.grants, json.dumps(with_access), now)
    console.services.clock.forward(300)
    assert visitor.get("/find").status_code == 200
    assert kept(console, visitor).keys() == {"access_token"}
    provider.remove("oda")
    console.services.clock.forward(300)
    assert visitor.get("/find").status_code == 302


def renewal_access(console, visitor):
    """An access token of the person's."""
    provider = console.sign_in._provider()
    with console.app.test_request_context():
        made = provider.fetch_access_token(grant_type="refresh_token", **kept(console, visitor))
    return made["access_token"]


def test_a_session_without_anything_to_ask_with_ends_after_five_minutes(console):
    visitor = console.visitor()
    visitor.sign_in("oda")
    console.table.update(
        {"session_id": row(console, visitor)["session_id"]}, set_={"proof": ""}, reading=False
    )
    console.services.clock.forward(299)
    assert visitor.get("/find").status_code == 200
    console.services.clock.forward(1)
    assert visitor.get("/find").status_code == 302


def test_the_table_holds_nothing_that_the_provider_takes(console, visitor):
    stored = str(row(console, visitor))
    assert [token for token in kept(console, visitor).values() if token in stored] == []
    assert renewal.proof_of({"refresh_token": "x" * 20_000}) == ""
