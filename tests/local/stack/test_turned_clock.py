"""The clock that tests move: every process of the trial stack follows it, and nothing deployed has it."""

import ast
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from local import trial
from local.stack import engine, resources
from local.stack.turned_clock import MovedClock, command

ROOT = Path(__file__).parents[3]
DAY = 86_400


@pytest.fixture
def clock(tmp_path):
    return MovedClock.new(tmp_path / "clock")


def test_it_starts_at_the_machines_time_and_only_goes_forward(clock):
    assert clock.ahead_seconds == 0
    clock.forward(90)
    clock.forward(10)
    assert clock.ahead_seconds == 100
    with pytest.raises(ValueError, match="negative"):
        clock.forward(-1)


def test_a_process_that_follows_has_the_moved_wall_clock_and_monotonic_clock(clock, tmp_path):
    (tmp_path / "shown.py").write_text(
        "import time; from datetime import UTC, datetime\n"
        "print(datetime.now(UTC).timestamp(), time.time(), time.monotonic())"
    )
    clock.forward(10 * DAY)
    printed = subprocess.run(
        command(tmp_path / "clock", "shown"),
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    wall, seconds, monotonic = map(float, printed.split())
    assert wall - datetime.now(UTC).timestamp() > 9 * DAY
    assert seconds - datetime.now(UTC).timestamp() > 9 * DAY
    assert monotonic > 10 * DAY


def test_the_engines_delays_and_visibility_follow(clock, tmp_path):
    with engine.ministack(
        command=command(tmp_path / "clock", "ministack"), services="sqs"
    ) as running:
        aws = resources.Aws(running.url)
        sqs = aws.client("sqs")
        url = sqs.create_queue(QueueName="q")["QueueUrl"]

        def received():
            return sqs.receive_message(QueueUrl=url, VisibilityTimeout=600).get("Messages", [])

        sqs.send_message(QueueUrl=url, MessageBody="b", DelaySeconds=900)
        assert received() == []
        clock.forward(900)
        assert len(received()) == 1
        assert received() == []
        clock.forward(600)
        assert len(received()) == 1
        aws.close()


def test_nothing_that_is_deployed_has_it():
    for requirements in ("requirements.txt", "console/requirements.txt"):
        assert "time-machine" not in (ROOT / requirements).read_text()
    deployed = [file for top in ("chalicelib", "console") for file in (ROOT / top).rglob("*.py")]
    assert deployed
    assert {name for file in deployed for name in _imported(file)} & {
        "local",
        "time_machine",
    } == set()


def _imported(file):
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        if isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


def test_a_trial_says_how_a_command_runs_by_its_clock(clock, tmp_path):
    """By this machine's clock a bill of the newest day has nothing that happened on the stack."""
    _, *words = command(trial.CLOCK, "ops")
    assert trial.BY_ITS_CLOCK.split() == ["python", *words]
    done = subprocess.run(
        [*command(tmp_path / "clock", "ops"), "cost", "--counts"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "routed event" in done.stdout
