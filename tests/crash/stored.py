"""The contents of one stage, read past the proxy: rows, messages, and the queue's own verbs."""

from __future__ import annotations

import json
from typing import Any

from chalicelib.aws.typed_values import from_wire
from chalicelib.once.lanes import LANES
from local.stack import resources
from tests.crash.rig import Rig

LEDGERS = ("IdempotencyTable", "QuillLedgerTable")


class Stored:
    """Reads a stage, never through the code under test.

    Attributes:
        rig: the environment with the engine.
        stage: the stage with the tables and queues.
    """

    rig: Rig
    stage: resources.Stage

    def rows(self, *tables: str) -> dict[str, dict[str, Any]]:
        """Rows of the ledgers by key."""
        found: dict[str, dict[str, Any]] = {}
        for table in tables or LEDGERS:
            for row in self.items(table):
                found[row.get("event_id") or row["pk"]] = row
        return found

    def items(self, table: str) -> list[dict[str, Any]]:
        """Everything in one table."""
        query = json.dumps({"TableName": self.stage.tables[table], "ConsistentRead": True})
        found = self.rig.engine.call(self._account, "DynamoDB_20120810.Scan", query)
        assert "LastEvaluatedKey" not in found
        return [from_wire(item) for item in found["Items"]]

    def waiting(self) -> int:
        """Messages in the lanes and on the queue `later`, or in flight."""
        urls = [*map(self.stage.lane_url, LANES), self.stage.queues["LaterQueue"]]
        return sum(map(self._count, urls))

    def dead(self) -> int:
        """Dead letters of every lane and of the queue `later`."""
        urls = map(self.stage.lane_dead_letter_url, LANES)
        return sum(map(self._count, [*urls, self.stage.queues["LaterDeadLetterQueue"]]))

    def _count(self, url: str) -> int:
        attributes = self.sqs("GetQueueAttributes", QueueUrl=url, AttributeNames=["All"])[
            "Attributes"
        ]
        names = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
        return sum(int(attributes[name]) for name in names)

    def sqs(self, operation: str, **arguments: Any) -> Any:
        """One request to SQS."""
        return self.rig.engine.call(self._account, f"AmazonSQS.{operation}", json.dumps(arguments))

    @property
    def _account(self) -> str:
        return self.stage.aws.account
