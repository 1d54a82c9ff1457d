"""Engines start on the given port, report why they cannot, and leave nothing running."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import boto3
import pytest

from local.stack import engine
from tests.rigs.soon import soon

ROOT = Path(engine.ROOT)


def _alive(pid):
    """A zombie process has ended: only its parent has not waited for it yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def _children(pid):
    return [
        int(child)
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if child
    ]


def _listens(port):
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0


def test_ministack_is_ready_when_returned_and_gone_when_stopped(tmp_path):
    with engine.ministack(log=tmp_path / "log") as running:
        client = boto3.client(
            "sqs",
            endpoint_url=running.url,
            region_name=engine.REGION,
            aws_access_key_id="x",
            aws_secret_access_key="x",
        )
        assert not client.list_queues().get("QueueUrls")
        client.close()
        (child,) = _children(running.pid)
        assert running.is_running()
    assert not running.is_running()
    assert not _listens(running.port)
    assert soon(lambda: not _alive(child))
    running.stop()


def test_it_listens_on_loopback_only(ministack):
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    listening = [line.split()[1] for line in lines if line.split()[3] == "0A"]
    port = f"{ministack.port:04X}"
    assert [address for address in listening if address.endswith(f":{port}")] == [
        f"0100007F:{port}"
    ]


def test_a_port_in_use_is_named():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(engine.PortTakenError, match=f"port {port} .* ministack") as raised:
            engine.ministack(port)
    assert raised.value.port == port


def test_an_engine_that_ends_at_once_is_reported_with_its_log(tmp_path):
    log = tmp_path / "log"
    with pytest.raises(engine.EngineError, match=str(log)):
        engine._start(
            "broken",
            [sys.executable, "-c", "print('why'); raise SystemExit(3)"],
            engine.free_port(),
            environment={},
            log=log,
            is_ready=lambda: False,
        )
    assert "why" in log.read_text()


def test_an_engine_dies_with_a_parent_that_is_killed():
    code = """
import os, signal
from local.stack import engine
running = engine.ministack()
print(running.pid, running.port, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == -signal.SIGKILL
    leash, port = map(int, ended.stdout.split())
    assert soon(lambda: not _alive(leash) and not _listens(port))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_leash_that_is_terminated_ends_its_engine(number):
    running = engine.ministack()
    (child,) = _children(running.pid)
    os.kill(running.pid, number)
    assert soon(lambda: not running.is_running() and not _alive(child))
    running.stop()


def test_an_engine_inherits_no_credentials_and_no_proxy(monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "real")
    monkeypatch.setenv("HTTP_PROXY", "http://proxy")
    assert not {"AWS_SECRET_ACCESS_KEY", "HTTP_PROXY"} & engine._inherited().keys()


def test_dynoxide_is_skipped_with_a_reason_where_unavailable(tmp_path, monkeypatch):
    monkeypatch.setattr(engine.shutil, "which", lambda _name: None)
    with pytest.raises(engine.EngineMissingError, match="npm"):
        engine.dynoxide_binary(tmp_path)
    monkeypatch.setattr(engine.platform, "machine", lambda: "arm64")
    with pytest.raises(engine.EngineMissingError, match="Linux"):
        engine.dynoxide_binary(tmp_path)


def test_a_file_with_an_unknown_checksum_is_not_unpacked(tmp_path, monkeypatch):
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\necho something else > dynoxide.tgz\n")
    npm.chmod(0o755)
    monkeypatch.setattr(engine.shutil, "which", lambda _name: str(npm))
    with pytest.raises(engine.EngineMissingError, match="expected digest"):
        engine.dynoxide_binary(tmp_path / "cache")
    npm.write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(engine.EngineMissingError, match="could not fetch"):
        engine.dynoxide_binary(tmp_path / "cache")
