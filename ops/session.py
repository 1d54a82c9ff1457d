"""A stage as an operator sees it: its settings, its services, its AWS clients.

The stage's variables come from `.chalice/config.json`.  Variables in the environment (a local
engine's address, a vendor's base URL, a table's name) override them.  boto3 finds the credentials.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from botocore.config import Config

from chalicelib import settings
from chalicelib.aws.logs import JsonLog
from chalicelib.errors import SettingsError
from chalicelib.wiring import Services
from ops import identity
from ops.stage import config
from ops.stage.template import StageTemplate

if TYPE_CHECKING:
    from chalicelib.aws.dynamo import Table

EXIT_NO = 1
EXIT_UNUSABLE = 2
DEFAULT_REGION = "us-east-1"
_UNDECLARED = ("ALOWARE_", "FABRIC_", "FACTS_", "HUBSPOT_", "POWERBI_", "SHOPIFY_")
"""Prefixes of variables that override a stage even if the configuration does not declare them."""


LONGEST_KEY = 1_024
"""In bytes: DynamoDB refuses a longer sort key, and our keys are far shorter."""


class OpsError(Exception):
    """A command cannot do what the operator asked; the message says why.

    Attributes:
        code: the exit code; 1 for not found or refused, 2 for wrong usage or an unreachable stage.
    """

    def __init__(self, message: str, *, code: int = EXIT_NO) -> None:
        super().__init__(message)
        self.code = code


class AbsentError(OpsError):
    """A resource of the stage does not exist."""


class OvertakenError(OpsError):
    """What the operator saw has changed meanwhile, often because another person acted; nothing was done."""


class TooEarlyError(OpsError):
    """The act is only safe later, or by force now; nothing was done.

    Attributes:
        until: the ISO time from which the act is safe, or words if unknown.
    """

    def __init__(self, message: str, *, until: str) -> None:
        super().__init__(message)
        self.until = until


_PATIENT = Config(
    connect_timeout=1,
    read_timeout=60,
    retries={"mode": "standard", "total_max_attempts": 4},
)
_SLOW = frozenset({"cloudformation", "lambda", "s3"})
"""Services that answer after seconds: they check a template, run a function or store a bundle.
With the functions' short time-outs boto3 would repeat the call.
"""


class OperatorServices(Services):
    """The functions' services for an operator: patient time-outs, and no log on standard output."""

    def client(self, service: str, config: Config | None = None, **where: str) -> Any:  # noqa: ANN401 - boto3 builds clients at run time
        """A boto3 client with the functions' time-outs, or longer ones for slow services."""
        return super().client(service, config or (_PATIENT if service in _SLOW else None), **where)

    @cached_property
    def log(self) -> JsonLog:
        """A log that writes to standard error if OPS_LOG is set, otherwise nowhere."""
        return JsonLog(
            self.clock,
            stage=self.settings.stage,
            release=self.settings.release,
            stream=sys.stderr if os.environ.get("OPS_LOG") else _NullStream(),  # type: ignore[arg-type]
        )


class _NullStream:
    """A stream that discards everything."""

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        pass


@dataclass(frozen=True)
class Session:
    """One command's view of a stage.

    Attributes:
        is_confirmed: the operator gave `--yes`.
    """

    stage: str
    is_confirmed: bool = False

    @cached_property
    def services(self) -> Services:
        """The services of the functions, built from the stage's variables."""
        try:
            return OperatorServices(settings.load(self.variables))
        except SettingsError as error:
            configured = config.configured(self.stage)
            set_here = [name for name in configured if name in os.environ and name in str(error)]
            if not set_here:
                raise
            raise SettingsError(
                f"{error}; set in this terminal, as for another stage: open a new one, or"
                f" unset {' '.join(set_here)}"
            ) from None

    @property
    def variables(self) -> dict[str, str]:
        """The stage's configured variables, overridden by those of the environment."""
        configured = config.configured(self.stage)
        overrides = {
            name: value
            for name, value in os.environ.items()
            if name in configured or name.startswith(_UNDECLARED)
        }
        return {**configured, **overrides, "STAGE": self.stage}

    def client(self, service: str) -> Any:  # noqa: ANN401 - boto3 builds clients at run time
        """A boto3 client with an operator's time-outs."""
        return self.services.client(service)

    @classmethod
    def over(cls, services: Services, *, is_confirmed: bool = False) -> Session:
        """A session over existing services, such as a function's own."""
        made = cls(services.settings.stage, is_confirmed)
        made.__dict__["services"] = services  # fill the cached property
        return made

    def acting_as(self, who: str) -> Session:
        """The same stage and services for another person, who has confirmed what they do.

        For a console that several people use: its AWS identity is not theirs.

        Args:
            who: the person's name, as stored with their acts.
        """
        other = Session(self.stage, is_confirmed=True)
        known = {"services": self.services, "identity": identity.Identity(account="", arn=who)}
        other.__dict__.update(known)  # fill the cached property
        return other

    @property
    def ledger_table(self) -> Table:
        """Table A, the ledger."""
        return self.services.table(self.services.settings.idempotency_table)

    @property
    def audit_table(self) -> Table:
        """Table C, the audit trail."""
        return self.services.table(self.services.settings.audit_table)

    @cached_property
    def identity(self) -> identity.Identity:
        """The caller's AWS identity; asked once."""
        return identity.of_caller(self.client("sts"))

    @cached_property
    def template(self) -> StageTemplate:
        """The stage's declared resources, with this account's ARNs."""
        account = self.identity.account
        region = self.client("sqs").meta.region_name or DEFAULT_REGION
        return StageTemplate.load(self.stage, account=account, region=region)

    def queue_url(self, name: str) -> str:
        """A queue's URL, cached; raises `AbsentError` if the queue does not exist."""
        if name in self._queue_urls:
            return self._queue_urls[name]
        sqs = self.client("sqs")
        try:
            found = self._queue_urls[name] = str(sqs.get_queue_url(QueueName=name)["QueueUrl"])
        except sqs.exceptions.QueueDoesNotExist:
            raise AbsentError(f"there is no queue {name}", code=EXIT_UNUSABLE) from None
        return found

    @cached_property
    def _queue_urls(self) -> dict[str, str]:
        return {}

    def may_write(self, command: str) -> None:
        """Refuse to change prod without `--yes`, and to change another stage's resources."""
        self.must_be_confirmed(command)
        self.services.check_stage()

    def must_be_confirmed(self, command: str) -> None:
        """Refuse to change prod without `--yes`."""
        if self.stage == "prod" and not self.is_confirmed:
            raise OpsError(f"{command} changes prod; add --yes to go ahead", code=EXIT_UNUSABLE)

    def row(self, key: str) -> Mapping[str, Any]:
        """A row of table A; raises `OpsError` if there is none."""
        refuse_too_long("key", key)
        row = self.ledger_table.get({"event_id": key})
        if row is None:
            kind = {"act:": "action", "evt:": "event"}.get(key[:4], "event or action")
            raise OpsError(f"no such {kind}: {key}")
        return row


def refuse_too_long(name: str, value: str, *, longest: int = LONGEST_KEY) -> None:
    """Refuse a text longer than any key; AWS's own error would name no argument.

    Args:
        name: the argument's name.
        value: the given text.
        longest: in bytes.

    Raises:
        OpsError: the text is too long.
    """
    if len(value.encode(errors="surrogateescape")) > longest:
        raise OpsError(f"{name}: longer than {longest:,} bytes", code=EXIT_UNUSABLE)
