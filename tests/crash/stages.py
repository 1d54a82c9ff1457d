"""One stage per run, fast: the first is created normally, the others by replaying its requests."""

from __future__ import annotations

import dataclasses
import http.client
import itertools
import json
from typing import Any
from urllib.parse import urlsplit

from local.stack import resources
from tests.crash.proxy import FORWARD_SECONDS

_READS = ("Describe", "List", "Get")
_accounts = itertools.count(700_000_000_001)


class Engine:
    """Requests to the engine without an SDK, which would cost more than the engine itself."""

    def __init__(self, url: str) -> None:
        self._address = urlsplit(url)

    def call(self, account: str, target: str, body: str) -> Any:
        """One request of AWS's JSON protocols; returns the response."""
        address = self._address
        host = address.hostname or ""
        connection = http.client.HTTPConnection(host, address.port, timeout=FORWARD_SECONDS)
        where = f"{account}/20261120/us-east-1/{target.partition('.')[0].lower()}/aws4_request"
        headers = {
            "x-amz-target": target,
            "content-type": "application/x-amz-json-1.0",
            "authorization": f"AWS4-HMAC-SHA256 Credential={where}, SignedHeaders=host, Signature=0",
        }
        connection.request("POST", "/", body=body.encode(), headers=headers)
        response = connection.getresponse()
        text = response.read()
        connection.close()
        assert response.status == 200, (target, text)
        return json.loads(text or b"{}")


class Stages:
    """Creates stages, each in its own account."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._engine = Engine(url)
        self._requests: list[tuple[str, str]] = []
        self._pattern = self._make()

    def new(self) -> resources.Stage:
        """A stage like the first one, including its secrets."""
        pattern, account = self._pattern, f"{next(_accounts)}"
        old = pattern.aws.account
        for target, body in self._requests:
            self._engine.call(account, target, body.replace(old, account))
        return dataclasses.replace(
            pattern,
            aws=resources.Aws(self._url, account=account),
            queues={n: url.replace(old, account) for n, url in pattern.queues.items()},
            queue_arns={n: arn.replace(old, account) for n, arn in pattern.queue_arns.items()},
        )

    def _make(self) -> resources.Stage:
        aws = resources.Aws(self._url, account=f"{next(_accounts)}")
        for service in ("dynamodb", "sqs", "ssm", "secretsmanager"):
            aws.client(service).meta.events.register("before-send", self._record)
        return resources.create(aws, "dev")

    def _record(self, request: Any, **_: Any) -> None:
        target = request.headers["x-amz-target"]
        target = target.decode() if isinstance(target, bytes) else target
        if not target.partition(".")[2].startswith(_READS):
            body = request.body
            self._requests.append((target, body.decode() if isinstance(body, bytes) else body))
