"""A stage as an operator sees it: its settings, its services, its AWS clients.

The stage's variables come from `.chalice/config.json`; what is set in the environment (an engine's
address, a vendor's base URL, another table name) goes before them.  Credentials are boto3's own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from chalicelib import settings
from chalicelib.aws.logs import JsonLog
from chalicelib.wiring import Services
from ops.stage import config
from ops.stage.template import Template

if TYPE_CHECKING:
    from chalicelib.aws.dynamo import Table

EXIT_NO = 1
EXIT_UNUSABLE = 2
REGION_WITHOUT_OPINION = "us-east-1"


class OpsError(Exception):
    """A command cannot do what was asked; the message is for the operator.

    Attributes:
        code: the exit code; 1 for "no", 2 for wrong usage or a stage that cannot be reached.
    """

    def __init__(self, message: str, *, code: int = EXIT_NO) -> None:
        super().__init__(message)
        self.code = code


class OperatorServices(Services):
    """The functions' own services; their log lines leave standard output to the command."""

    @cached_property
    def log(self) -> JsonLog:
        """To standard error."""
        return JsonLog(
            self.clock,
            stage=self.settings.stage,
            release=self.settings.release,
            stream=sys.stderr if os.environ.get("OPS_LOG") else _Nowhere(),  # type: ignore[arg-type]
        )


class _Nowhere:
    """A log that nobody asked to see; OPS_LOG=1 shows it."""

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        pass


@dataclass(frozen=True)
class Session:
    """One command's view of a stage.

    Attributes:
        is_confirmed: the operator said `--yes`.
    """

    stage: str
    is_confirmed: bool = False

    @cached_property
    def services(self) -> Services:
        """The services of the functions, built from the stage's variables."""
        configured = config.configured(self.stage)
        own = {name: os.environ[name] for name in configured if name in os.environ}
        either = {"MANAGED_BY": "either"}  # an operator mends stacks and provisioned stages alike
        variables = {**configured, **own, **either, "STAGE": self.stage}
        return OperatorServices(settings.load(variables))

    def client(self, service: str) -> Any:  # noqa: ANN401 - boto3 builds clients at run time
        """A boto3 client with the functions' time-outs."""
        return self.services.client(service)

    @property
    def ledger_table(self) -> Table:
        """Table A."""
        return self.services.table(self.services.settings.idempotency_table)

    @property
    def audit_table(self) -> Table:
        """Table C."""
        return self.services.table(self.services.settings.audit_table)

    @cached_property
    def template(self) -> Template:
        """What the stage declares, with this account's ARNs."""
        account = self.client("sts").get_caller_identity()["Account"]
        region = self.client("sqs").meta.region_name or REGION_WITHOUT_OPINION
        return Template.load(self.stage, account=account, region=region)

    def queue_url(self, name: str) -> str:
        """A queue's URL; `OpsError` where there is none."""
        sqs = self.client("sqs")
        try:
            return str(sqs.get_queue_url(QueueName=name)["QueueUrl"])
        except sqs.exceptions.QueueDoesNotExist:
            raise OpsError(f"there is no queue {name}", code=EXIT_UNUSABLE) from None

    def may_write(self, what: str) -> None:
        """Refuse to change a production stage without `--yes`, and another stage's resources."""
        if self.stage == "prod" and not self.is_confirmed:
            raise OpsError(f"{what} changes prod; say --yes if that is meant", code=EXIT_UNUSABLE)
        self.services.check_stage()

    def row(self, key: str) -> Mapping[str, Any]:
        """A row of table A; `OpsError` where there is none."""
        row = self.ledger_table.get({"event_id": key})
        if row is None:
            kind = {"act:": "action", "evt:": "event"}.get(key[:4], "event or action")
            raise OpsError(f"no such {kind}: {key}")
        return row
