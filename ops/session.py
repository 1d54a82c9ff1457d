"""A stage as an operator sees it: its settings, its services, its AWS clients.

The stage's variables come from `.chalice/config.json`; what is set in the environment (an engine's
address, a vendor's base URL, another table name) overrides them.  Credentials are boto3's own.
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
_UNDECLARED = ("ALOWARE_", "FACTS_", "HUBSPOT_", "POWERBI_", "SHOPIFY_")
"""Beginnings of variables that a stage need not declare: most stages have none of them."""


LONGEST_KEY = 1_024
"""Bytes: DynamoDB refuses a longer sort key, and no key of ours comes near."""


class OpsError(Exception):
    """A command cannot do what the operator asked; the message says why.

    Attributes:
        code: the exit code; 1 for not found or refused, 2 for wrong usage or an unreachable stage.
    """

    def __init__(self, message: str, *, code: int = EXIT_NO) -> None:
        super().__init__(message)
        self.code = code


class AbsentError(OpsError):
    """Something that a stage is made of is not there."""


class OvertakenError(OpsError):
    """What the operator saw has changed meanwhile, mostly because another person acted; nothing was done."""


class TooEarlyError(OpsError):
    """What the operator asked may be done later, or now by force; nothing was done.

    Attributes:
        until: before when it is too early.
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
"""What answers an operator after seconds: a template that is checked, a function that is waited for,
a bundle that is stored.  Asked with the functions' own time-outs, a function would be called again."""


class OperatorServices(Services):
    """The functions' own services, except that log lines stay off standard output."""

    def client(self, service: str, config: Config | None = None, **where: str) -> Any:  # noqa: ANN401 - boto3 builds clients at run time
        """A boto3 client with the functions' time-outs, or a person's patience."""
        return super().client(service, config or (_PATIENT if service in _SLOW else None), **where)

    @cached_property
    def log(self) -> JsonLog:
        """Writes to standard error if OPS_LOG is set, otherwise nowhere."""
        return JsonLog(
            self.clock,
            stage=self.settings.stage,
            release=self.settings.release,
            stream=sys.stderr if os.environ.get("OPS_LOG") else _NullStream(),  # type: ignore[arg-type]
        )


class _NullStream:
    """Discards the log unless OPS_LOG=1."""

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
            set_here = [one for one in configured if one in os.environ and one in str(error)]
            if not set_here:
                raise
            raise SettingsError(
                f"{error}; set in this terminal, as for another stage: open a new one, or"
                f" unset {' '.join(set_here)}"
            ) from None

    @property
    def variables(self) -> dict[str, str]:
        """The stage's variables: as they are configured, and over them what this terminal has set."""
        configured = config.configured(self.stage)
        overrides = {
            name: value
            for name, value in os.environ.items()
            if name in configured or name.startswith(_UNDECLARED)
        }
        return {**configured, **overrides, "STAGE": self.stage}

    def client(self, service: str) -> Any:  # noqa: ANN401 - boto3 builds clients at run time
        """See `OperatorServices.client`."""
        return self.services.client(service)

    @classmethod
    def over(cls, services: Services, *, is_confirmed: bool = False) -> Session:
        """The stage of services that exist, such as a function's own."""
        made = cls(services.settings.stage, is_confirmed)
        made.__dict__["services"] = services  # as if they had been asked for before
        return made

    def acting_as(self, who: str) -> Session:
        """The same stage and services for another person, who has confirmed what they do.

        For a screen that several persons use: its own AWS identity is not theirs.

        Args:
            who: the person's name, as their acts keep it.
        """
        other = Session(self.stage, is_confirmed=True)
        known = {"services": self.services, "identity": identity.Identity(account="", arn=who)}
        other.__dict__.update(known)  # as if they had been asked for before
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
        """Who runs the command; asked once."""
        return identity.of_caller(self.client("sts"))

    @cached_property
    def template(self) -> StageTemplate:
        """The stage's declared resources, with this account's ARNs."""
        account = self.identity.account
        region = self.client("sqs").meta.region_name or DEFAULT_REGION
        return StageTemplate.load(self.stage, account=account, region=region)

    def queue_url(self, name: str) -> str:
        """A queue's URL, asked for once; raises `OpsError` if it does not exist."""
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
    """Refuse what is longer than any key before AWS does, which would name no argument.

    Args:
        name: of the argument.
        value: as it was given.
        longest: bytes.

    Raises:
        OpsError: it is.
    """
    if len(value.encode(errors="surrogateescape")) > longest:
        raise OpsError(f"{name}: longer than {longest:,} bytes", code=EXIT_UNUSABLE)
