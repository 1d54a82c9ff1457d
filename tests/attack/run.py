"""Sends hostile requests to the function as API Gateway would, and judges every answer."""

from __future__ import annotations

import contextlib
import io
import ipaddress
import itertools
import json
import logging
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import boto3

from chalicelib.facts import hubspot_webhook
from chalicelib.once.caller_shares import SHARES
from chalicelib.once.keyring import KeyPurpose
from chalicelib.once.token_buckets import CallerShare
from chalicelib.outreach.tools.call_tokens import call_token
from chalicelib.wiring import services
from local.stack.lambda_events import LambdaContext
from tests.attack.doors import CALL, DOORS, Door
from tests.attack.hostile import Hostile, requests_to
from tests.rigs.api_gateway import event
from tests.rigs.memory_stage import another_session
from tests.rigs.openapi import Sender

WRONG = "wrong-" + "0123456789abcdef" * 3


@dataclass
class Report:
    """What was tried, and what came of it.

    Attributes:
        answers: statuses by door and kind.
        calls: calls to AWS by door, made for requests without the right proof.
        problems: every answer that a door must not give, once.
    """

    answers: dict[tuple[str, str], Counter[int]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    calls: Counter[str] = field(default_factory=Counter)
    problems: dict[str, str] = field(default_factory=dict)

    def table(self) -> str:
        """One line per door and kind."""
        lines = [f"{'door':14} {'kind':10} {'tried':>6}  answers"]
        for (door, kind), statuses in self.answers.items():
            shown = "  ".join(f"{status}: {n}" for status, n in sorted(statuses.items()))
            lines.append(f"{door:14} {kind:10} {statuses.total():6}  {shown}")
        tried = sum(answer.total() for answer in self.answers.values())
        lines.append(f"{tried} requests, {len(self.problems)} problems")
        lines += [f"PROBLEM {name}: {shown}" for name, shown in self.problems.items()]
        calls = ", ".join(
            f"{door} {self.calls[door]}" for door in dict.fromkeys(d for d, _ in self.answers)
        )
        lines.append(f"calls to AWS for requests without the right proof: {calls}")
        return "\n".join(lines)


class Attacker:
    """Posts to the functions of one container.

    Args:
        app: the module `app`, in the environment of a stage.
        sender: makes the right proofs.

    Attributes:
        calls: to AWS, so far.
        written: to the log, by the last request.
    """

    def __init__(self, app: ModuleType, sender: Sender) -> None:
        self._app = app
        self._sender = sender
        self.calls = 0
        self.written = ""
        self._addresses = map(str, itertools.cycle(ipaddress.ip_network("198.18.0.0/15")))
        # Each request is judged by itself; what many of one caller meet is `neighbours`.
        services().caller_shares.shares = dict.fromkeys(SHARES, CallerShare(1e6, 10**6))
        session = another_session()
        session.events.register("before-send", self._count)
        boto3.DEFAULT_SESSION = session

    def attack(self, per_door: int, seed: int = 1) -> Report:
        """Send so many requests to every door."""
        report = Report()
        for door in DOORS:
            self.send(door, valid(door))  # the container has read its secrets
            for request in requests_to(door, per_door, seed):
                before = self.calls
                status, problem = self.send(door, request)
                report.answers[door.name, request.kind][status] += 1
                if not _is_proven(door, request):
                    report.calls[door.name] += self.calls - before
                if problem:
                    shown = f"{request} {request.body[:200]!r} ({len(request.body)} bytes)"
                    report.problems.setdefault(f"{door.name} {request.kind}: {problem}", shown)
        return report

    def send(self, door: Door, request: Hostile) -> tuple[int, str]:
        """Send one request; returns its status, and what is wrong with the answer."""
        headers = self._headers(door, request)
        made = event(
            request.method,
            door.path,
            request.body,
            headers,
            address=next(self._addresses),
            query={name: [value] for name, value in request.query.items()} or None,
            **request.parameters,
        )
        with written_by() as written:
            answer = self._app.app(made, LambdaContext())
        self.written = written.getvalue()
        return answer["statusCode"], self._problem(door, request, answer)

    def _headers(self, door: Door, request: Hostile) -> dict[str, str] | None:
        if request.headers is None:
            return None
        headers = dict(request.headers)
        if not door.credential or request.shows == "none":
            return headers
        query = "&".join(f"{name}={value}" for name, value in request.query.items())
        body = request.body + b"." if request.shows == "other_body" else request.body
        proof = dict(self._sender.proof(door.path, query, body))
        if door.name == "tool_result":
            keys = services().keyring.of(KeyPurpose.TOOL_RESULTS)
            proof = {"authorization": f"Bearer {call_token(keys, '0' * 32, CALL)}"}
        given = proof[door.credential]
        proof[door.credential] = {
            "wrong": f"Bearer {WRONG}" if door.credential == "authorization" else WRONG,
            "flipped": given[:-3] + ("A" if given[-3] != "A" else "B") + given[-2:],
            "cut": given[:-1],
            "upper": given.swapcase(),
            "twice": f"{given},{given}",
        }.get(request.shows, given)
        return {"idempotency-key": "k-1", **proof, **headers}

    def _problem(self, door: Door, request: Hostile, answer: Mapping[str, Any]) -> str:
        status = answer["statusCode"]
        if status >= 500:
            return f"answered {status}"
        if "Traceback" in self.written:
            return "wrote a traceback"
        own = {other.method for other in DOORS if other.path == door.path}
        if request.method not in own and status != 405:
            return f"a method that is not its own: {status}"
        if not _is_proven(door, request) and status < 400:
            return f"answered {status} without the right proof"
        if door.is_page and answer["body"].startswith("<!doctype html>"):
            return ""
        if status >= 400 and not isinstance(json.loads(answer["body"]), dict):
            return "a refusal that is no object"
        return ""

    def _count(self, **_: Any) -> None:
        self.calls += 1


def _is_proven(door: Door, request: Hostile) -> bool:
    """Whether it carries the proof of its sender; a token proves any body."""
    is_token = door.credential not in ("x-twilio-signature", hubspot_webhook.SIGNATURE_V3)
    if door.is_page:
        return False
    return (
        not door.credential
        or request.shows == "right"
        or (request.shows == "other_body" and is_token)
    )


def valid(door: Door) -> Hostile:
    return Hostile(
        "valid",
        "right",
        door.body(door.example(0)),
        door.method,
        {"content-type": door.content_type},
        dict(door.query or {}),
        dict(door.parameters or {}),
    )


@contextlib.contextmanager
def written_by() -> Iterator[io.StringIO]:
    """What is written to the log, by print or by a logger, as Lambda collects both."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    logging.getLogger().addHandler(handler)
    try:
        with contextlib.redirect_stdout(stream):
            yield stream
    finally:
        logging.getLogger().removeHandler(handler)
