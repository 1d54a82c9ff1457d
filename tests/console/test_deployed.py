"""The console's function: events of an HTTP API, and what the other functions carry of it."""

import base64
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from chalicelib.aws import stage_guard
from console import deployed, openid
from ops.stage import chalice_deploy, console_layer
from tests.rigs.openid import CLIENT_ID
from tests.rigs.openid_console import GROUPS, URL
from tests.rigs.ops_session import OfflineServices
from tests.simulation import tables

ROOT = Path(__file__).parents[2]
HOST = urlsplit(URL).netloc


class Secrets:
    """The client's secret only."""

    def text(self, name, **_):
        assert name == "rp-mw/dev/console/client_secret"
        return "invented\n"


@pytest.fixture
def call(provider, monkeypatch):
    """Calls the function as an HTTP API does; keeps cookies."""
    provider.add("oda", "ops")
    found = OfflineServices(dynamodb=None)
    sessions, known = tables.console_sessions(), found.table
    name = found.settings.console_sessions_table
    monkeypatch.setattr(found, "table", lambda asked: sessions if asked == name else known(asked))
    monkeypatch.setattr(found, "check_stage", lambda: None)
    found.__dict__["secrets"] = Secrets()
    monkeypatch.setattr(stage_guard, "check_table", lambda *_, **__: None)
    monkeypatch.setattr(deployed, "services", lambda: found)
    environ = {
        "CONSOLE_URL": URL,
        "CONSOLE_ISSUER": provider.url,
        "CONSOLE_CLIENT_ID": CLIENT_ID,
        "CONSOLE_GROUPS": GROUPS,
    }
    for variable, value in environ.items():
        monkeypatch.setenv(variable, value)
    deployed._handler.cache_clear()
    cookies = {}

    def called(path, query="", *, method="GET", host=HOST, body=""):
        answer = deployed.answer(
            {
                "version": "2.0",
                "routeKey": "$default",
                "rawPath": path,
                "rawQueryString": query,
                "cookies": [f"{name}={value}" for name, value in cookies.items()],
                "headers": {"host": host, "x-forwarded-proto": "https"},
                "requestContext": {
                    "http": {
                        "method": method,
                        "path": path,
                        "protocol": "HTTP/1.1",
                        "sourceIp": "127.0.0.1",
                    },
                },
                "body": body,
                "isBase64Encoded": False,
            },
            None,
        )
        for cooky in answer.get("cookies", ()):
            name, _, value = cooky.partition(";")[0].partition("=")
            cookies[name] = value
        return answer

    yield called
    deployed._handler.cache_clear()


def test_a_person_signs_in_through_the_functions_events(call, provider):
    asked = call("/")
    assert asked["statusCode"] == 302
    there = urlsplit(asked["headers"]["location"])
    sent = call(there.path, there.query)
    back = urlsplit(provider.confirm(sent["headers"]["location"], "oda"))
    answer = call(back.path, back.query)
    assert (answer["statusCode"], answer["headers"]["location"]) == (302, "/")
    assert [cooky for cooky in answer["cookies"] if cooky.startswith(openid.SESSION_COOKIE)]
    assert "strict-transport-security" in answer["headers"]
    page = call("/health/checks")
    assert (page["statusCode"], "Not in the deployed console" in page["body"]) == (200, True)


def test_a_foreign_host_is_refused(call):
    assert call("/", host="evil.example")["statusCode"] == 421


def test_a_file_arrives_whole(call):
    answer = call("/static/htmx-2.0.11.min.js")
    body = answer["body"]
    found = base64.b64decode(body) if answer["isBase64Encoded"] else body.encode()
    assert found == (ROOT / "console" / "static" / "htmx-2.0.11.min.js").read_bytes()


def test_a_start_that_fails_answers_500_and_raises_nothing(call, monkeypatch, capsys):
    monkeypatch.setenv("CONSOLE_GROUPS", "{")
    answer = call("/")
    assert (answer["statusCode"], "CONSOLE" in answer["body"]) == (500, False)
    assert "Traceback" not in capsys.readouterr().out


def test_the_other_functions_import_nothing_of_it():
    code = "import app, sys; print(sorted({name.partition('.')[0] for name in sys.modules}))"
    environ = {"PATH": "/usr/bin", "AWS_DEFAULT_REGION": "us-east-1", "STAGE": "dev"}
    printed = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environ,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert "'chalicelib'" in printed
    for name in ("console", "flask", "authlib", "jinja2", "apig_wsgi", "ops"):
        assert f"'{name}'" not in printed


def test_the_layer_has_what_the_console_imports_and_no_command_line(tmp_path):
    """Imported as in Lambda: the bundle's packages, the layer's folder, no development package."""
    lock = tmp_path / "requirements.txt"
    lock.write_text("# packages are this environment's own\n")
    layer = console_layer.build(tmp_path / "layer", lock=lock) / "python"
    assert list((layer / "console").rglob("*.pyc")), "nothing can be compiled in a read-only folder"
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('typer', 'rich', 'local', 'chalice')));"
        f"sys.path[:0] = [{str(layer)!r}, {str(tmp_path)!r}];"
        "import console.deployed; print(console.__file__)"
    )
    (tmp_path / "chalicelib").symlink_to(ROOT / "chalicelib")
    printed = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout
    assert printed.startswith(str(layer))


def test_chalice_deploy_refuses_a_stage_with_a_console():
    chalice_deploy.refuse_console({})
    with pytest.raises(SystemExit, match="deploy the stage as a stack"):
        chalice_deploy.refuse_console({"CONSOLE_ISSUER": "https://idp.example"})
