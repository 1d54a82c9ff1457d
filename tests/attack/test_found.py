"""Requests that once made a door fail, change an id or lose its memory, each with its answer now."""

import importlib
import json
import re
from dataclasses import replace
from urllib.parse import urlencode

import pytest

from chalicelib.errors import SettingsError
from chalicelib.once.job import MAX_MESSAGE_BYTES
from chalicelib.support.webhook import MAX_BODY_BYTES
from local import company
from local.stack.lambda_events import LambdaContext
from local.vendors import twilio
from tests.attack.doors import DOORS
from tests.attack.run import Attacker, valid
from tests.rigs.api_gateway import event
from tests.rigs.engines import drain
from tests.rigs.openapi import Sender

DOOR = {door.name: door for door in DOORS}
SECRET_TEXT = "jane@example.com"


@pytest.fixture
def attacker(app, stage, monkeypatch):
    company.create(stage)
    monkeypatch.setenv("PUBLIC_BASE_URL", company.PUBLIC_URL)
    return Attacker(app, Sender(stage))


def send(attacker, door, body, **changes):
    request = replace(valid(DOOR[door]), body=body, **changes)
    status, problem = attacker.send(DOOR[door], request)
    assert problem == ""
    return status


def test_a_text_that_escaping_swells_past_the_queues_limit_is_too_large(attacker, pump):
    body = company.request("req1", "sms", "+15550100001", project_data={"x": "\x7f" * 200_000})
    sent = json.dumps(body, ensure_ascii=False).encode()
    assert len(sent) < MAX_MESSAGE_BYTES / 4 < MAX_MESSAGE_BYTES < 6 * len(sent)
    assert send(attacker, "initiate", sent) == 413
    assert (
        send(
            attacker,
            "initiate",
            json.dumps(company.request("req1", "sms", "+15550100001")).encode(),
        )
        == 200
    )
    assert len(drain(pump)) == 1


@pytest.mark.parametrize("name", ["MessageSid", "From", "To"])
@pytest.mark.parametrize("bad", ["%FF", "%ED%A0%80", "\ufffd"])
def test_an_id_that_is_not_utf8_is_refused_and_not_changed(attacker, pump, name, bad):
    form = DOOR["twilio"].example(1)
    bad = urlencode({"": bad})[1:] if bad == "\ufffd" else bad
    body = urlencode({**form, name: f"{form[name]}@@"}).replace("%40%40", bad).encode()
    assert send(attacker, "twilio", body) == 400
    assert drain(pump) == []


@pytest.mark.parametrize("bad", ["\\udcff", "a" * 2_000, "", "\u00e9" * 1_000])
def test_a_projects_id_that_no_table_can_keep_is_refused(attacker, bad):
    body = f'{{"project_id": "{bad}", "events": ["opted_out"]}}'.encode()
    assert send(attacker, "register_subscription", body) == 400


def test_a_text_that_is_not_utf8_is_still_read(attacker, pump):
    body = urlencode(DOOR["twilio"].example(1)).encode().replace(b"Hello", b"Hello+%FF")
    assert send(attacker, "twilio", body) == 200
    assert len(drain(pump)) == 1


@pytest.mark.parametrize("bad", [b"\xff", "\ufffd".encode(), b"\\ufffd"])
def test_a_ticket_id_that_is_not_utf8_is_refused_and_not_changed(attacker, pump, bad):
    body = b'{"ticket_id": "10@42", "message_id": "c-1"}'.replace(b"@", bad)
    assert send(attacker, "richpanel", body) == 400
    assert drain(pump) == []


@pytest.mark.parametrize("door", ["richpanel", "aloware", "hubspot", "initiate"])
def test_no_depth_is_a_500(attacker, door):
    """Near the parser's limit a value is read and cannot be written again."""
    for depth in (64, 65, *range(900, 1_000, 7), 10_000):
        deep = b'{"a":' * depth + b"1" + b"}" * depth
        body = b'{"ticket_id": "1042", "x": ' + deep + b"}"
        if door == "hubspot":
            body = b"[" + body + b"]"
        assert send(attacker, door, body) in (200, 400, 413)


def test_a_deep_body_of_a_ticket_still_reaches_the_ticket(attacker):
    body = b'{"ticket_id": "1042", "x": ' + b"[" * 500 + b"]" * 500 + b"}"
    assert len(body) < MAX_BODY_BYTES
    assert send(attacker, "richpanel", body) == 200


@pytest.mark.parametrize(
    "door", [door for door in DOORS if door.credential], ids=lambda door: door.name
)
def test_whatever_a_door_raises_is_a_described_500_and_its_text_is_nowhere(
    attacker, monkeypatch, door
):
    services = importlib.import_module("chalicelib.wiring").services()
    doors, method = re.search(r"services\(\)\.(\w+)\.(\w+)", _view_of(door)).groups()

    def fail(*_):
        raise ZeroDivisionError(SECRET_TEXT)

    monkeypatch.setattr(getattr(services, doors), method, fail)
    status, _ = attacker.send(door, valid(door))
    assert status == 500
    assert SECRET_TEXT not in attacker.written
    assert "Traceback" not in attacker.written
    assert '"code":"bug_ZeroDivisionError"' in attacker.written
    assert "mw.ingress.failed" in attacker.written


def test_wrong_settings_are_named_in_the_log_and_not_to_the_caller(app, monkeypatch, capsys):
    monkeypatch.setenv("WORKER_CONCURRENCY", "many")
    door = DOOR["richpanel"]
    answer = app.app(
        event("POST", door.path, b"{}", {"content-type": "application/json"}), LambdaContext()
    )
    assert (answer["statusCode"], "WORKER_CONCURRENCY" in answer["body"]) == (500, False)
    written = capsys.readouterr().out
    assert "WORKER_CONCURRENCY" in written
    assert SettingsError.__name__ in written
    assert "many" not in written


def test_the_mail_function_raises_no_foreign_text(app, monkeypatch, capsys):
    services = importlib.import_module("chalicelib.wiring").services()

    def fail(*_):
        raise ZeroDivisionError(SECRET_TEXT)

    monkeypatch.setattr(services.outreach_doors, "mail", fail)
    record = {
        "Records": [{"Sns": {"Message": SECRET_TEXT, "Subject": None, "MessageAttributes": {}}}]
    }
    with pytest.raises(Exception, match="bug_ZeroDivisionError") as caught:
        app.mail(record, LambdaContext())
    assert SECRET_TEXT not in str(caught.value)
    assert caught.value.__suppress_context__
    assert SECRET_TEXT not in capsys.readouterr().out


def test_a_flood_of_unknown_accounts_costs_no_call(attacker):
    door = DOOR["twilio"]
    attacker.send(door, valid(door))
    before = attacker.calls
    for number in range(50):
        form = {**door.example(number), "AccountSid": f"AC{number:032x}"}
        assert form["AccountSid"] != twilio.ACCOUNT_SID or number == 1
        request = replace(valid(door), body=urlencode(form).encode(), shows="wrong")
        assert attacker.send(door, request)[0] == 401
    assert attacker.calls == before


def _view_of(door):
    text = (importlib.import_module("local.stack.engine").ROOT / "app.py").read_text()
    return text.split(f'@app.route("{door.path}"', 1)[1]
