"""`python -m local` as a newcomer runs it: it starts, answers, stops and leaves nothing."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
import requests

from chalicelib.clock import iso
from chalicelib.once.recovery.reconcile import WINDOW
from local.__main__ import main
from local.demo import run as demo
from local.serve import seed
from local.stack import engine, environment, join
from local.vendors import richpanel as vendor
from tests.rigs.soon import soon

ROOT = engine.ROOT
EFFECTS = 8
"""Of the pasted webhook: the question for the order number, and seven tags."""


@pytest.fixture
def aws(memory_aws):
    return memory_aws


@pytest.fixture(autouse=True)
def run_folder(tmp_path, monkeypatch):
    """A separate folder, so that a stack running beside the tests is left alone."""
    monkeypatch.setenv("LOCAL_RUN_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def free():
    return [engine.free_port() for _ in range(3)]


@pytest.fixture
def started(free):
    """The stack as a process of its own; killed at the end if a test did not stop it."""
    http, ministack, richpanel = map(str, free)
    command = ["--port", http, "--engine-port", ministack, "--richpanel-port", richpanel]
    process = _local(*command, "--reconcile-every", "3600")
    lines = []
    for line in process.stdout:
        lines.append(line)
        if line.startswith("Ctrl-C"):
            break
    process.welcome = "".join(lines)
    yield process
    process.kill()
    process.communicate()


def _local(*arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "local", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def _listening(ports):
    found = []
    for port in ports:
        with socket.socket() as sock:
            if sock.connect_ex(("127.0.0.1", port)) == 0:
                found.append(port)
    return found


def _paste_the_webhook(started, free):
    curl = re.search(r"curl .*?\n.*?\n.*?'\n", started.welcome)[0]
    answered = subprocess.run(
        ["/bin/sh", "-c", curl], capture_output=True, text=True, check=True, timeout=60
    )
    assert json.loads(answered.stdout) == {"status": "accepted", "event_id": "evt:rp:1042:c-77"}
    admin = f"http://127.0.0.1:{free[2]}/_sim"
    assert soon(
        lambda: len(requests.get(f"{admin}/effects", timeout=60).json()["effects"]) == EFFECTS
    )


@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)],  # by the same handler
)
def test_run_answers_a_pasted_webhook_and_stops_on_a_signal(
    started, free, number, run_folder, monkeypatch, capsys
):
    _paste_the_webhook(started, free)
    monkeypatch.setattr(environment, "HINTS", run_folder / "env")
    assert (main(["tables"]), main(["requests"])) == (0, 0)
    shown = capsys.readouterr().out
    assert "evt:rp:1042:c-77" in shown
    assert "add_tags" in shown
    started.send_signal(number)
    rest = started.communicate(timeout=60)[0]
    assert started.returncode == 0
    assert rest.endswith("stopped\n")
    assert "Traceback" not in rest
    assert '"_aws"' not in rest
    assert _listening(free) == []
    assert _group(started.pid) == []
    assert list(run_folder.iterdir()) == []


@pytest.mark.long  # the welcome's lines for a second terminal, as they are pasted there
def test_the_operators_command_explains_the_pasted_webhook(started, free):
    _paste_the_webhook(started, free)
    explained = _as_operator(started.welcome)
    assert "evt:rp:1042:c-77\n" in explained
    assert f"processed: {EFFECTS} done" in explained


def test_a_customers_order_is_answered_on_the_running_stack(started, free):
    """As the welcome text has it: the number is asked for, written, and answered with its tracking."""
    _paste_the_webhook(started, free)
    read, write, report = re.findall(
        r"  (curl -sS \S+/_sim/tickets/1042\n|curl (?:[^\n]*\\\n)*[^\n]*\"c-80\".*\n)",
        started.welcome,
    )
    assert "order number" in json.dumps(_pasted(read))
    _pasted(write)
    assert _pasted(report)["status"] == "accepted"
    assert soon(lambda: "ZZ5550001" in json.dumps(_pasted(read)))


@pytest.mark.long  # the runbook's commands, against the stack that the test above starts too
def test_the_doctor_passes_once_the_alarms_have_a_recipient(started, run_folder, monkeypatch):
    """The runbook's commands for the second terminal."""
    (provision,) = re.findall(
        r"^python -m (ops provision --alarm-email \S+@\S+)$",
        (ROOT / "docs" / "runbook.md").read_text(),
        re.MULTILINE,
    )
    own = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    monkeypatch.setattr(environment, "HINTS", run_folder / "env")
    own |= environment.read_hints()
    for words in (provision, "ops doctor"):
        done = subprocess.run(
            [sys.executable, "-m", *words.split()],
            cwd=ROOT,
            env=own,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def _as_operator(welcome):
    """Two lines of the welcome text, verbatim, in a terminal without AWS settings."""
    lines = re.findall(r"  (set -a; .*? set \+a|\S+ -m ops explain 1042)  ", welcome)
    bare = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    shell = ["/bin/sh", "-c", "\n".join(lines)]
    return subprocess.run(
        shell, cwd=ROOT, env=bare, capture_output=True, text=True, check=True, timeout=60
    ).stdout


def _pasted(command):
    done = subprocess.run(
        ["/bin/sh", "-c", command], capture_output=True, text=True, check=True, timeout=60
    )
    return json.loads(done.stdout)


@pytest.mark.long  # the whole stack; that an engine dies with its parent is tested with the engine
def test_a_killed_run_takes_its_engine_with_it(started, free):
    started.kill()
    started.wait()
    assert soon(lambda: _listening(free) == [])


@pytest.mark.parametrize("which", [*(pytest.param(n, marks=pytest.mark.long) for n in (0, 1)), 2])
def test_a_port_in_use_is_named_and_nothing_is_left_running(free, which):
    options = ("--port", "--engine-port", "--richpanel-port")
    with socket.create_server(("127.0.0.1", free[which])):
        arguments = [part for pair in zip(options, map(str, free), strict=True) for part in pair]
        process = _local("run", *arguments)
        said = process.communicate(timeout=60)[0]
    assert process.returncode == 2
    assert f"cannot start: port {free[which]} on 127.0.0.1 is taken" in said
    assert "RICHPANEL_PORT=" in said, "how to name others"
    assert "Traceback" not in said
    assert _listening(free) == []


def test_the_sample_tickets_are_too_old_for_reconciliation():
    """After half a minute of reading they would be processed, and `doctor` would fail."""
    with vendor.SimulatedRichpanel() as tenant:
        seed(tenant)
        tickets = [tenant.ticket(id_) for id_ in tenant.ticket_ids]
    assert len(tickets) == 3
    oldest_listed = iso(datetime.now(UTC) - WINDOW)
    assert all(ticket["updated_at"] < oldest_listed for ticket in tickets)


@pytest.mark.parametrize("command", ["tables", "requests"])
def test_inspecting_without_a_running_stack_says_so(command, run_folder, monkeypatch, capsys):
    monkeypatch.setattr(environment, "HINTS", run_folder / "env")
    assert main([command]) == 2
    assert "make run" in capsys.readouterr().err


@pytest.mark.long  # every chapter; the next test plays the first one
def test_the_demo_prints_its_steps_and_succeeds(tmp_path):
    log = tmp_path / "demo.log"
    process = _local("demo", "--log", str(log))
    said = process.communicate(timeout=120)[0]
    assert process.returncode == 0, said
    assert "Every effect happened exactly once" in said
    assert re.search(r"webhooks accepted +7\n", said)
    assert re.search(r"of them duplicates +4\n", said)
    assert not list(demo.personal_data("the story", said))
    assert re.search(r"a reply to it, delivered twice: the model answers .* sent +8\n", said)
    assert re.search(r"and its callbacks .* delivered +8\n", said)
    assert "ingress.accepted" in log.read_text()


def test_the_demo_fails_with_a_reason_when_an_effect_is_missing(tmp_path):
    """The check is able to fail: a vendor that shows a tag and keeps no record of it is found out."""
    code = f"""
import sys
from pathlib import Path
from local.demo import run as demo
from local.vendors.richpanel import SimulatedRichpanel
honest = SimulatedRichpanel._change_tags
def forgetful(self, ticket, body, *, add):
    answer = honest(self, ticket, body, add=add)
    self._effects.pop()
    return answer
SimulatedRichpanel._change_tags = forgetful
whole = demo._story()
demo._story = lambda: whole[:1]
for chapter in (demo.facts_demo, demo.support_demo, demo.outreach_demo):
    chapter.play = lambda stack: ("", [])
sys.exit(demo.main(Path({str(tmp_path / "log")!r})))
"""
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ended.returncode == 1
    assert "FAILED: ticket 1042 got the tags" in ended.stdout, ended.stdout


@pytest.mark.parametrize(
    "text",
    [
        demo.EMAIL,
        demo.EMAIL.upper(),
        demo.PHONE,
        "4155550132",
        "(415) 555-0132",
        "the MARZIPAN",
        "",
    ],
)
def test_personal_data_is_found_in_any_form(text):
    assert list(demo.personal_data("the log", text))
    assert not list(demo.personal_data("the log", "evt:rp:1042:c-77 at 2026-11-20T09:00:00Z"))


def test_the_environment_matches_the_stage_and_reaches_no_other_account(stage):
    made = environment.local("dev", stage.aws, richpanel_url="http://127.0.0.1:1")
    assert made["STAGE"] == "dev"
    assert made["QUEUE_NAME"] == "rp-mw-events-dev.fifo"
    assert made["AWS_ENDPOINT_URL"] == stage.aws.url
    assert made["RICHPANEL_BASE_URL"] == "http://127.0.0.1:1"
    environ = {"AWS_PROFILE": "prod", "AWS_SESSION_TOKEN": "x", "KILL_SWITCH": "1", "PATH": "/bin"}
    environment.enter(made, environ)
    assert not {"AWS_PROFILE", "AWS_SESSION_TOKEN", "KILL_SWITCH"} & environ.keys()
    assert environ["PATH"] == "/bin"
    assert environ["AWS_CONFIG_FILE"] == os.devnull


def test_a_stage_that_is_not_configured_is_modelled_on_dev():
    made = environment.configured("test1")
    assert made["STAGE"] == "test1"
    assert made["IDEMPOTENCY_TABLE_NAME"] == "rp_mw_idempotency-test1"
    assert made["QUEUE_NAME"] == "rp-mw-events-test1.fifo"
    assert environment.configured("prod")["STAGE"] == "prod"


def test_the_simulated_key_is_the_stages_key(stage):
    assert stage.secrets.api_key == vendor.API_KEY


@pytest.mark.long  # the whole stack for one message; without an engine is tested below
def test_chalice_local_joins_the_running_stack(started, free):
    environ = {"AWS_CHALICE_CLI_MODE": "true"}
    assert join.is_chalice_local(environ, ["chalice", "local"])
    assert not join.is_chalice_local(environ, ["chalice", "package"])
    assert not join.is_chalice_local({}, ["chalice", "local"])
    code = "import json, os; from local.stack import join; print(join.join(), json.dumps(dict(os.environ)))"
    joined = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    said, _, environ = joined.stdout.partition(" ")
    assert said == "True"
    assert json.loads(environ)["AWS_ENDPOINT_URL"] == f"http://127.0.0.1:{free[1]}"
    assert json.loads(environ)["RICHPANEL_BASE_URL"] == f"http://127.0.0.1:{free[2]}"


@pytest.mark.parametrize("given", [{}, {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}])
def test_chalice_local_without_an_engine_says_so_and_reaches_no_aws(given, capsys, monkeypatch):
    monkeypatch.setattr(environment, "read_hints", dict)
    assert not join.join(given)
    assert "make run" in capsys.readouterr().err
    assert given["AWS_ENDPOINT_URL"].startswith("http://127.0.0.1:")


def _group(pid):
    """Processes of a session."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == pid and fields[0] != "Z":
            found.append(stat.parent.name)
    return found


@pytest.mark.parametrize("name", ["PORT", "ENGINE_PORT", "RICHPANEL_PORT"])
def test_an_invalid_port_is_named(name, monkeypatch, capsys):
    monkeypatch.setenv(name, "eight")
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 2
    flag = f"--{name.lower().replace('_', '-')}"
    assert f"argument {flag}: invalid int value: 'eight'" in capsys.readouterr().err
