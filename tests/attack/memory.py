"""The peak memory of the API function under the worst body that each door takes.

One process loads the application as Lambda does and answers a valid request at every door.  Each
measured request then has a process of its own, forked from it: the event is read from its JSON,
as Lambda's runtime does, and answered; the peak of the process is compared with that of one that
answers `GET /health`.

``python -m tests.attack.memory`` prints the table; 1 if a door takes more than `LIMIT_MB`.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

from local.stack.lambda_events import LambdaContext
from local.stack.resources import Secrets
from tests.attack.doors import DOORS, FORM, Door
from tests.attack.hostile import HUGE
from tests.attack.run import WRONG
from tests.attack.stage import functions, stage
from tests.rigs.api_gateway import event
from tests.rigs.openapi import Sender

LIMIT_MB = 150
KINDS = ("a stranger, 5.7 MB", "a stranger, at the limit", "its sender, at the limit")
UNITS = (b"%FF", b"a=&", b"{},", b"[0],", b'{"":0},', b"\x7f", "\U0001f600".encode())
_STARTS = {b"{},": b"[", b"[0],": b"[", b'{"":0},': b"["}


def measured(
    variables: dict[str, str], secrets: Secrets, doors: Collection[str] = ()
) -> dict[tuple[str, str], float]:
    """Peak above idle in MB, by door and kind: the largest over all contents.

    Args:
        variables: the environment of the functions.
        secrets: the stage's, for valid proofs.
        doors: which; every one that reads a body where none is named.
    """
    given = {"variables": variables, "secrets": asdict(secrets), "doors": [*doors]}
    done = subprocess.run(
        [sys.executable, "-m", "tests.attack.memory", "--child"],
        input=json.dumps(given).encode(),
        stdout=subprocess.PIPE,
        check=True,
    )
    last = done.stdout.splitlines()[-1]
    return {(door, kind): megabytes for door, kind, megabytes in json.loads(last)}


def table(found: dict[tuple[str, str], float]) -> str:
    """One line per door."""
    head = f"{'MB above idle':16}" + "".join(f"{kind:>26}" for kind in KINDS)
    lines = (
        f"{door:16}" + "".join(f"{found[door, kind]:26.1f}" for kind in KINDS)
        for door in dict.fromkeys(door for door, _ in found)
    )
    return "\n".join((head, *lines))


def _child() -> None:
    """Measure everything, in the environment given on standard input."""
    given = json.load(sys.stdin)
    app = functions(given["variables"])
    sender = Sender(SimpleNamespace(secrets=SimpleNamespace(**given["secrets"])))
    for door in DOORS:
        app.app(_event(door, door.body(door.example(0)), sender), LambdaContext())
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "event"
        idle = _peak(app, file, _event(DOORS[-1], b"", sender))
        found = [
            (
                door.name,
                kind,
                max(_peak(app, file, body) for body in _worst(door, kind, sender)) - idle,
            )
            for door in DOORS
            if door.limit and (not given["doors"] or door.name in given["doors"])
            for kind in KINDS
        ]
    print(json.dumps(found))


def _worst(door: Door, kind: str, sender: Sender) -> Iterator[dict]:
    size = HUGE if "5.7" in kind else door.limit
    for unit in UNITS:
        start = (
            b"" if door.content_type == FORM else _STARTS.get(unit, b'{"ticket_id": "1", "a": "')
        )
        end = b"0]" if start == b"[" else b'"}' if start else b""
        room = size - len(start) - len(end)
        if not start and "sender" in kind:
            start = door.body(door.example(1)) + b"&Pad="
            room -= len(start)
        body = start + unit * (room // len(unit)) + end
        yield _event(door, body, sender, is_forged="stranger" in kind)


def _event(door: Door, body: bytes, sender: Sender, *, is_forged: bool = False) -> dict:
    query = "&".join(f"{name}={value}" for name, value in (door.query or {}).items())
    proof = dict(sender.proof(door.path, query, body))
    if is_forged:
        proof[door.credential] = WRONG
    return event(
        door.method,
        door.path,
        body,
        {"content-type": door.content_type, **proof},
        query={name: [value] for name, value in (door.query or {}).items()} or None,
        **(door.parameters or {}),
    )


def _peak(app: object, file: Path, made: dict) -> float:
    """The peak memory in MB of a process that answers an event."""
    file.write_text(json.dumps(made))
    del made
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        app.app(json.loads(file.read_bytes()), LambdaContext())
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        os.write(writing, str(peak).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        kilobytes = int(answer.read())
    os.waitpid(process, 0)
    return kilobytes / 1024


def main() -> int:
    """Measure and print."""
    if "--child" in sys.argv:
        _child()
        return 0
    with stage() as (made, variables):
        found = measured(variables, made.secrets)
    print(table(found))
    return int(max(found.values()) > LIMIT_MB)


if __name__ == "__main__":
    sys.exit(main())
