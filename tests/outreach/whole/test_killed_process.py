"""A worker's process of its own, on the engine, that is killed while it opens a conversation."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from chalicelib.once.lanes import OUTREACH
from local.stack import lambda_events
from tests.outreach.whole.test_lost import sweep_later
from tests.rigs.memory_stage import ON_ENGINE
from tests.rigs.outreach import TEL

ROOT = Path(__file__).resolve().parents[3]


WORKER = """
import json, os, signal, sys
import boto3

calls = []

def dies(event_name, **_):
    if calls or event_name.endswith("UpdateItem"):  # its claim is the first
        calls.append(1)
    if len(calls) == int(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)

session = boto3.Session()
session.events.register("response-received", dies)
boto3.DEFAULT_SESSION = session
import app
from local.stack.lambda_events import LambdaContext

app.outreach_worker(json.load(sys.stdin), LambdaContext())
"""


LATER = [pytest.param(at, marks=pytest.mark.long) for at in (1, 2, 4, 5, 6)]
"""The other calls at which a process dies; `test_crash` kills the same worker at each, without a process."""


@ON_ENGINE
@pytest.mark.parametrize("at", [3, *LATER])
def test_a_start_whose_worker_process_was_killed_is_found_and_sent_once(outreach, at):
    """A process of its own, killed by SIGKILL at its claim's answer, or that of a later call."""
    outreach.start(channel="sms")
    sqs = outreach.stage.aws.client("sqs")
    (message,) = sqs.receive_message(
        QueueUrl=outreach.lane_url(), AttributeNames=["All"], MaxNumberOfMessages=1
    )["Messages"]
    record = lambda_events.sqs_record(message, queue_arn=outreach.stage.lane_arn(OUTREACH))
    ended = subprocess.run(
        [sys.executable, "-c", WORKER, str(at)],
        input=json.dumps(lambda_events.sqs_event(record)).encode(),
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()[-500:]
    sqs.delete_message(QueueUrl=outreach.lane_url(), ReceiptHandle=message["ReceiptHandle"])
    state = outreach.fate().json_body["state"]
    assert state == "processing"
    for _ in range(2):
        sweep_later(outreach)
    fate = outreach.fate().json_body
    seen = (fate["state"], fate.get("reason"), len(outreach.twilio.sent_to(TEL)))
    waits = ("parked", "unknown:interrupted:may_still_land", 0)  # killed just before the send
    assert seen in {("sent", None, 1), ("failed", "never_opened", 0), waits}, seen
