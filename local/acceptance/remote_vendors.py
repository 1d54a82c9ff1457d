"""Creates a Lambda function with the simulated vendors, calls it, and deletes it."""

from __future__ import annotations

import io
import json
import secrets
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import requests

from local.deploy.deployment import wait_for
from local.stack.engine import ROOT
from ops.stage import packages, runtime

if TYPE_CHECKING:
    from collections.abc import Mapping

    from local.acceptance.account import Account

TRUST = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"Service": "lambda.amazonaws.com"},
            "Action": "sts:AssumeRole",
        }
    ],
}
LOGS = "arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"
TREES = ("local/acceptance", "local/vendors", "local/stack")
NEEDS = ("requests", "urllib3", "idna", "certifi", "charset_normalizer")
TIMEOUT_SECONDS = 60
READY_SECONDS = 120.0


@dataclass(slots=True)
class RemoteVendors:
    """The simulated vendors of one stage, behind a function URL.

    Attributes:
        token: part of every address; a request without it gets 404.
        base: the function's URL with the token.
    """

    account: Account
    stage: str
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    base: str = ""

    @property
    def name(self) -> str:
        """The name of the function and of its role."""
        return f"rp-mw-{self.stage}-vendors"

    def url(self, vendor: str) -> str:
        """The base URL of a vendor, for the stage's variables."""
        return f"{self.base}/{vendor}"

    def make(self) -> None:
        """Create role, function and URL, and wait for an answer.

        Raises:
            TimeoutError: the function does not answer.
        """
        functions, iam = self.account.client("lambda"), self.account.client("iam")
        role = iam.create_role(RoleName=self.name, AssumeRolePolicyDocument=json.dumps(TRUST))
        iam.attach_role_policy(RoleName=self.name, PolicyArn=LOGS)
        code = _code()

        def is_made() -> bool:
            try:
                functions.create_function(
                    FunctionName=self.name,
                    Role=role["Role"]["Arn"],
                    Runtime=runtime.name(),
                    Handler="local.acceptance.vendors_function.handler",
                    Code={"ZipFile": code},
                    Timeout=TIMEOUT_SECONDS,
                    MemorySize=512,
                    Environment={"Variables": {"VENDORS_TOKEN": self.token}},
                )
            except functions.exceptions.InvalidParameterValueException:
                return False  # Lambda does not see the role yet
            return True

        wait_for(is_made, "Lambda to see the role", READY_SECONDS)
        functions.get_waiter("function_active_v2").wait(FunctionName=self.name)
        functions.put_function_concurrency(
            FunctionName=self.name, ReservedConcurrentExecutions=1
        )  # one container holds the vendors' state
        for statement, action, condition in (
            ("url", "lambda:InvokeFunctionUrl", {"FunctionUrlAuthType": "NONE"}),
            ("function", "lambda:InvokeFunction", {"InvokedViaFunctionUrl": True}),
        ):
            functions.add_permission(
                FunctionName=self.name,
                StatementId=statement,
                Action=action,
                Principal="*",
                **condition,
            )
        made = functions.create_function_url_config(FunctionName=self.name, AuthType="NONE")
        self.base = f"{self._host(made['FunctionUrl'])}/{self.token}"
        wait_for(lambda: self.status("richpanel", "_sim") == requests.codes.ok, "the vendors", 60)

    def status(self, vendor: str, path: str, *, token: str = "") -> int:
        """The status of a GET, with this token or the vendors' own."""
        base = self.base.replace(self.token, token) if token else self.base
        return requests.get(f"{base}/{vendor}/{path}", timeout=TIMEOUT_SECONDS).status_code

    def ask(self, vendor: str, path: str, body: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401 - JSON
        """A vendor's JSON answer under ``/_sim`` to a GET, or to a POST of `body`; waits while busy."""
        answered: list[requests.Response] = []

        def answers() -> bool:
            method, url = ("GET", "POST")[body is not None], f"{self.url(vendor)}/_sim/{path}"
            answered[:] = [requests.request(method, url, json=body, timeout=TIMEOUT_SECONDS)]
            return bool(answered[0].status_code != requests.codes.too_many_requests)

        wait_for(answers, f"{vendor} to be free", READY_SECONDS)
        answered[0].raise_for_status()
        return answered[0].json()

    def add_ticket(self, ticket_id: str, **settings: Any) -> None:  # noqa: ANN401 - of a ticket
        """Add a ticket to the simulated Richpanel."""
        self.ask("richpanel", "tickets", {"id": ticket_id, **settings})

    def fault(self, vendor: str, **settings: Any) -> None:  # noqa: ANN401 - fields of a fault
        """Make the vendor fail."""
        self.ask(vendor, "faults", settings)

    def changes(self, ticket_id: str) -> list[tuple[str, str]]:
        """A ticket's changes as (kind, value), each as often as it was made."""
        found = self.ask("richpanel", "effects")["effects"]
        return [
            (effect["kind"], effect["value"])
            for effect in found
            if effect["ticket_id"] == ticket_id and effect["changed"]
        ]

    def take_away(self) -> None:
        """Delete the function and its role, as far as they exist."""
        functions, iam = self.account.client("lambda"), self.account.client("iam")
        for delete, arguments in (
            (functions.delete_function, {"FunctionName": self.name}),
            (iam.detach_role_policy, {"RoleName": self.name, "PolicyArn": LOGS}),
            (iam.delete_role, {"RoleName": self.name}),
        ):
            self.account.gone(delete, **arguments)

    def _host(self, url: str) -> str:
        """The function's URL, or its address on a local engine."""
        endpoint = self.account.client("lambda").meta.endpoint_url
        if (urlsplit(endpoint).hostname or "").startswith("lambda."):
            return url.rstrip("/")
        return f"{endpoint}/_aws/lambda-url/{(urlsplit(url).hostname or '').partition('.')[0]}"


def _code() -> bytes:
    """The vendors' code and packages, zipped."""
    packed = io.BytesIO()
    needed = packages.packages(ROOT / packages.LOCKS["functions"], packages.CACHE)
    files = [
        (path, path.relative_to(ROOT)) for tree in TREES for path in (ROOT / tree).glob("*.py")
    ]
    files += [(ROOT / "local" / "__init__.py", Path("local/__init__.py"))]
    files += [
        (path, path.relative_to(needed))
        for name in NEEDS
        for path in (needed / name).rglob("*")
        if path.is_file()
    ]
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, name in files:
            archive.write(file, name)
    return packed.getvalue()
