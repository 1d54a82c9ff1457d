"""`ops console sessions` and `ops console revoke`."""

import pytest

from console.sessions import Sessions, digest
from tests.rigs.ops_cli import runner
from tests.rigs.ops_session import session as offline
from tests.simulation import tables


@pytest.fixture
def ops(capsys, monkeypatch):
    made = offline()
    table = tables.console_sessions()
    known = made.services.table
    name = made.services.settings.console_sessions_table
    monkeypatch.setattr(
        made.services, "table", lambda asked: table if asked == name else known(asked)
    )
    monkeypatch.setattr(made.services, "check_stage", lambda: None)
    monkeypatch.setattr("ops.command.Session", lambda *_: made)
    run = runner(capsys)
    run.services, run.sessions = made.services, Sessions(table, made.services.clock)
    return run


def test_sessions_are_listed_without_what_would_sign_in(ops):
    token = ops.sessions.start("jo@example.com", ["viewer"], subject="1", id_token="ey")
    ops.sessions.begin_sign_in({"state": "s"})
    (listed,) = ops("console", "sessions", "--json").data
    assert (listed["person"], listed["roles"]) == ("jo@example.com", "viewer")
    assert digest(token).startswith(listed["id"])
    assert len(listed["id"]) < 20
    assert "jo@example.com" in ops("console", "sessions").out


@pytest.mark.parametrize("how", ["id", "person", "everyone"])
def test_a_revoked_session_has_ended_and_the_journal_names_who_did_it(ops, how):
    token = ops.sessions.start("jo@example.com", ["viewer"], subject="1")
    kept = ops.sessions.start("kim@example.com", ["viewer"], subject="2")
    short = digest(token)[:12]
    words = {"id": [short], "person": ["--person", "jo@example.com"], "everyone": ["--everyone"]}
    done = ops("console", "revoke", *words[how])
    assert (done.code, short in done.out) == (0, True)
    assert ops.sessions.find(token) is None
    assert (ops.sessions.find(kept) is None) == (how == "everyone")
    (entry,) = ops.services.journal.story(f"console-session:{short}")
    assert (entry["action_type"], entry["actor"]) == ("console revoke", "jo")


def test_one_session_or_person_is_named(ops):
    assert ops("console", "revoke").code == 2
    assert ops("console", "revoke", "abc", "--everyone").code == 2
    assert ops("console", "revoke", "abc").code == 1
