"""The embedded AWS engines, one process each on 127.0.0.1.

MiniStack (pip) speaks DynamoDB, SQS FIFO with its real deduplication window, SSM, Secrets Manager
and SES; dynoxide (npm, a static binary, MIT or Apache-2.0) speaks DynamoDB only and is the second
engine of the store contract tests.  Neither keeps anything on disk.

DynamoDB Local is never started from here: its licence asks for an AWS account in good standing.
If you accept it, start it yourself and set ``DDB_ENDPOINT``.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import os
import platform
import secrets
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from local.stack.stoppable import Running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import IO

HOST = "127.0.0.1"
REGION = "us-east-1"
ROOT = Path(__file__).resolve().parents[2]
START_TIMEOUT_SECONDS = 60.0

DYNOXIDE_PACKAGE = "@dynoxide/linux-x64@1.2.1"
DYNOXIDE_SHA256 = "80e1ed33e33ec33c7bdcb1779ea09678e5c6f87c5c225f44c2037d2b2ea71164"

_GIVEN_TO_NO_CONNECTION = range(20_000, 32_000)
"""Ports that no system gives to a connection: Linux uses those above 32767, others above 49151."""

_LEASH = Path(__file__).with_name("leash.py")


class EngineError(Exception):
    """An engine cannot be started; the message is for the operator."""


class PortTakenError(EngineError):
    """Another process listens on the port."""

    def __init__(self, port: int, what: str) -> None:
        super().__init__(f"port {port} on {HOST} is taken, so {what} cannot start there")
        self.port = port


class EngineMissingError(EngineError):
    """The engine is not installed, and cannot be installed on this machine."""


@dataclass(slots=True)
class Engine(Running):
    """A running engine; a context manager that stops it.

    Attributes:
        name: e.g. ``ministack``.
        port: its port on 127.0.0.1.
    """

    name: str
    port: int
    _process: subprocess.Popen[bytes] = field(repr=False)

    @property
    def url(self) -> str:
        """The value for ``AWS_ENDPOINT_URL``."""
        return f"http://{HOST}:{self.port}"

    @property
    def pid(self) -> int:
        """Process id of the leash, whose child is the engine."""
        return self._process.pid

    def is_running(self) -> bool:
        """Whether the process is still running."""
        return self._process.poll() is None

    def stop(self) -> None:
        """End the engine and its child processes; may be called twice."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:  # pragma: no cover - the leash itself hangs
            self._process.kill()
            self._process.wait()


SHIM = Path(__file__).with_name("shim.py")
MINISTACK: tuple[str, ...] = (
    sys.executable,
    "-P",
    str(SHIM),
)  # -P: this folder's modules have common names
SERVICES = (
    "dynamodb,sqs,ssm,secretsmanager,ses,sts,iam,s3,lambda,apigateway,cloudformation,events,"
    "logs,cloudwatch,sns"
)


def ministack(
    port: int = 0,
    *,
    log: Path | None = None,
    command: Sequence[str] = MINISTACK,
    services: str = SERVICES,
    settings: Mapping[str, str] | None = None,
) -> Engine:
    """Start MiniStack on a port (0: a free one).

    Args:
        port: 0 for any free port.
        log: the file for its output; None discards it.
        command: the command that starts it; another interpreter may have more extras installed.
        services: the AWS services to enable.
        settings: further environment variables for it.

    Raises:
        PortTakenError: another process listens there.
        EngineMissingError: the package is not installed.
        EngineError: the engine ended or did not respond in time.
    """
    port = port or free_port()
    environment = {
        "BIND_HOST": HOST,
        "MINISTACK_HOST": HOST,
        "GATEWAY_PORT": str(port),
        "MINISTACK_REGION": REGION,
        "SERVICES": services,
        "PERSIST_STATE": "0",
        "IOT_MTLS_ENABLED": "0",  # otherwise it opens 8883 as well
        "SFTP_ENABLED": "0",
        "DOCKER_HOST": "unix:///nonexistent",  # otherwise it looks for containers to clean up
        "LOG_LEVEL": "WARNING",
        **(settings or {}),
    }
    return _start(
        "ministack",
        command,
        port,
        environment=environment,
        log=log,
        is_ready=lambda: _answers(port, "GET", "/_ministack/health"),
    )


def dynoxide(port: int = 0, *, log: Path | None = None) -> Engine:
    """Start dynoxide in memory on a port (0: a free one); raises like `ministack`."""
    binary = dynoxide_binary()
    port = port or free_port()
    return _start(
        "dynoxide",
        [str(binary), "--host", HOST, "-p", str(port)],
        port,
        environment={},
        log=log,
        is_ready=lambda: _answers(port, "GET", "/"),
    )


def dynoxide_binary(cache: Path = ROOT / ".engines") -> Path:
    """Path of the dynoxide binary, downloaded from npm once and checked against its digest.

    Raises:
        EngineMissingError: the platform is another, npm is missing, or cannot reach its registry.
    """
    binary = cache / "dynoxide-1.2.1" / "dynoxide"
    if binary.exists():
        return binary
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise EngineMissingError("dynoxide is published for Linux on x86_64 only")
    npm = shutil.which("npm")
    if npm is None:
        raise EngineMissingError("npm is not installed; dynoxide is an npm package")
    cache.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        _fetch_dynoxide(npm, Path(scratch))
        shutil.copytree(Path(scratch) / "package", binary.parent, dirs_exist_ok=True)
    return binary


def free_port() -> int:
    """A free port on 127.0.0.1, outside the range that systems use for outgoing connections."""
    while True:
        port = secrets.choice(_GIVEN_TO_NO_CONNECTION)
        with contextlib.suppress(PortTakenError):
            require_free(port, "a process")
            return port


def require_free(port: int, what: str) -> None:
    """Raise `PortTakenError` when the port cannot be listened on."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            raise PortTakenError(port, what) from None


def _fetch_dynoxide(npm: str, folder: Path) -> None:
    command = [npm, "pack", "--silent", DYNOXIDE_PACKAGE]
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)  # noqa: S603
    except (subprocess.SubprocessError, OSError) as error:
        raise EngineMissingError(f"npm could not fetch {DYNOXIDE_PACKAGE}") from error
    archive = next(folder.glob("*.tgz"))
    if hashlib.sha256(archive.read_bytes()).hexdigest() != DYNOXIDE_SHA256:
        raise EngineMissingError(f"{DYNOXIDE_PACKAGE} does not have the expected digest")
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")


def _start(
    name: str,
    command: Sequence[str],
    port: int,
    *,
    environment: Mapping[str, str],
    log: Path | None,
    is_ready: Callable[[], bool],
) -> Engine:
    require_free(port, name)
    with _output(log) as output:
        process = subprocess.Popen(  # noqa: S603 - the command is ours
            [sys.executable, "-I", "-S", str(_LEASH), *command],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**_inherited(), **environment},
            start_new_session=True,  # Ctrl-C reaches the engine through us, in order
        )
    engine = Engine(name=name, port=port, _process=process)
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while not is_ready():
        if not engine.is_running():
            engine.stop()
            raise EngineError(f"{name} ended while starting; {_see(log)}")
        if time.monotonic() > deadline:
            engine.stop()
            raise EngineError(
                f"{name} did not respond in {START_TIMEOUT_SECONDS:.0f} s; {_see(log)}"
            )
        time.sleep(0.02)
    return engine


@contextlib.contextmanager
def _output(log: Path | None) -> Iterator[IO[bytes] | int]:
    if log is None:
        yield subprocess.DEVNULL
        return
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as file:
        yield file


def _inherited() -> dict[str, str]:
    """This process's variables that an engine needs: no credentials, proxies or project settings."""
    names = ("PATH", "HOME", "LANG", "LC_ALL", "PYTHONPATH", "SYSTEMROOT", "TMPDIR")
    return {name: os.environ[name] for name in names if name in os.environ}


def _see(log: Path | None) -> str:
    return f"its output is in {log}" if log else "start it with a log to see why"


def _answers(port: int, method: str, path: str) -> bool:
    """Whether an engine listens there; any HTTP response counts."""
    connection = http.client.HTTPConnection(HOST, port, timeout=2)
    try:
        connection.request(method, path)
        connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True
