"""The stage under acceptance, with what the steps have recorded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import requests

from local.acceptance import entering
from local.deploy.deployment import wait_for
from ops.stage.template import StageTemplate

if TYPE_CHECKING:
    from local.acceptance.account import Account
    from local.acceptance.remote_vendors import RemoteVendors

SWITCHES_SECONDS = 31
"""The wait until every container has read the switches, which takes 30 seconds at most."""
HAPPENS_SECONDS = 300.0
COMMAND_SECONDS = 3600


class AcceptanceError(Exception):
    """The stage did not do what it should."""


@dataclass
class StageDay:
    """The stage under acceptance, with what the steps have recorded.

    Attributes:
        folder: holds a copy of the project, whose configuration setup writes.
        tickets: the tickets that a customer wrote; each effect on them must exist once.
        latencies: seconds from a webhook to its effect at the vendor.
        firsts: by system, the steps and seconds from the empty account to its first message.
    """

    account: Account
    stage: str
    folder: Path
    vendors: RemoteVendors
    pastes: dict[str, Any] = field(default_factory=dict)
    tickets: list[str] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)
    firsts: list[dict[str, Any]] = field(default_factory=list)
    done: list[dict[str, Any]] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    @property
    def project(self) -> Path:
        """The copy of the project."""
        return self.folder / "project"

    @cached_property
    def template(self) -> StageTemplate:
        """The stage's declared resources."""
        return StageTemplate.load(
            self.stage, account=self.account.number, region=self.account.region
        )

    @property
    def ledger(self) -> str:
        """The name of the ledger's table."""
        return f"rp_mw_idempotency-{self.stage}"

    def ops(self, *arguments: object) -> str:
        """Run an operator's command in the project's copy; return its output.

        Raises:
            AcceptanceError: the command failed; the message ends with its output.
        """
        run = subprocess.run(  # noqa: S603 - the command is ours
            [sys.executable, "-m", "ops", *map(str, arguments), "--stage", self.stage],
            cwd=self.project,
            env={**os.environ, **entering.SECRETS},
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )
        if run.returncode != 0:
            said = (run.stdout[-1500:] + run.stderr[-1500:]).strip()
            raise AcceptanceError(f"ops {' '.join(map(str, arguments))}: {said}")
        return run.stdout

    def customer_writes(self, ticket_id: str) -> None:
        """Let a customer write a new ticket, and remember it in `tickets`."""
        entering.ticket(self.account, self.pastes, self.vendors, ticket_id)
        self.tickets.append(ticket_id)

    def is_done(self, ticket_id: str) -> bool:
        """Whether a ticket is marked as processed."""
        return any("mw-processed" in change for change in self.vendors.changes(ticket_id))

    def processed(self, ticket_id: str) -> None:
        """Wait until a ticket is processed, and record the latency.

        Raises:
            TimeoutError: the ticket is not processed in time.
        """
        began = time.monotonic()
        wait_for(lambda: self.is_done(ticket_id), f"ticket {ticket_id}", HAPPENS_SECONDS)
        self.latencies.append(time.monotonic() - began)

    def function(self, suffix: str) -> str:
        """The name of the stage's function with a suffix."""
        return f"rp-mw-{self.stage}{suffix}"

    def health(self) -> dict[str, Any]:
        """The stage's answer to ``/health``."""
        config = json.loads((self.project / ".chalice" / "config.json").read_text())
        base = config["stages"][self.stage]["environment_variables"]["PUBLIC_BASE_URL"]
        answer = requests.get(f"{base}/health", timeout=60)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found

    def texts(self) -> list[Any]:
        """The text messages that the recipient got."""
        found = self.vendors.ask("twilio", "messages")["messages"]
        return [message for message in found if message["to"] == entering.RECIPIENT]
