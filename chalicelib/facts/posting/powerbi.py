"""Power BI push datasets: create one, add rows, clear a table.

Vendor facts (learn.microsoft.com, rest/api/power-bi/push-datasets and push-datasets-limitations):
rows are added by ``POST .../groups/{g}/datasets/{d}/tables/{t}/rows`` and answered 200 without a
body; DELETE of the same URL clears the whole table, and no single row can be changed or removed.
  10,000 rows a POST, 120 POSTs a minute, 5 at a time, 1,000,000 rows an hour; beyond it 429
with ``Retry-After``.  A POST is accepted whole or not at all, types are strict.  There is no
idempotency key; the header ``X-PowerBI-PushData-SequenceNumber`` (a preview that was never made
general) makes the service ignore a number it has already seen for the table; it needs a single writer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from chalicelib.errors import PermanentError, TransientError
from chalicelib.facts.dataset import ROWS_PER_POST
from chalicelib.facts.model import Row
from chalicelib.once.ports import Clock
from chalicelib.vendors.http import Call, VendorClient
from chalicelib.vendors.http_answers import Expects

PROVIDER = "powerbi"
POSTS_PER_MINUTE = 120
SEQUENCE_NUMBER = "x-powerbi-pushdata-sequencenumber"
SCOPE = "https://analysis.windows.net/powerbi/api/.default"
FEATURE_DEPRECATED = "FeatureDeprecatedError"
"""The code with which Power BI refuses to make a push dataset, as users report since June 2026."""
ENDS_ON = date(2027, 10, 31)
"""When push datasets cease to be supported, by Jedox's notice to its users of December 2025."""
_ROWS_AT_FAULT = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE})


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerBi:
    """The `Sink` of one Power BI push dataset.

    Attributes:
        workspace_id: the group; a service principal has no "My workspace".
        is_numbered: send the sequence number with each POST.
    """

    client: VendorClient
    clock: Clock
    workspace_id: str
    dataset_id: str
    is_numbered: bool = False

    @property
    def target(self) -> str:
        """The sink's name, ``powerbi:<dataset>``."""
        return target_of(self.dataset_id)

    def append(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """Add rows to a table of the dataset by one POST.

        A repetition after an unknown outcome may add the rows twice.

        Raises:
            PermanentError: Power BI refuses these very rows (400, 413).
            TransientError: the rows were surely not added; also where the dataset does not exist.
            UncertainError: the rows were perhaps added.
        """
        call = Call(
            "post_rows",
            "POST",
            self._rows_path(table),
            is_repeatable=False,
            body={"rows": [dict(row) for row in rows]},
            headers={SEQUENCE_NUMBER: str(number)} if self.is_numbered else {},
            expects=Expects.NOTHING,
        )
        self._send(call, deadline_seconds)

    def replace(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """Clear a table of the dataset, then add the rows, in several POSTs where one cannot hold them.

        After an error, call `replace` again from the beginning.
        """
        ends = self.clock.monotonic() + deadline_seconds
        self.clear(table, deadline_seconds=deadline_seconds)
        for start in range(0, len(rows), ROWS_PER_POST):
            part = rows[start : start + ROWS_PER_POST]
            left = ends - self.clock.monotonic()
            self.append(table, number + start, part, deadline_seconds=left)

    def clear(self, table: str, *, deadline_seconds: float) -> None:
        """Delete all rows of a table of the dataset.

        A request that arrives late also deletes rows added after it was sent.
        """
        path = self._rows_path(table)
        call = Call("clear_rows", "DELETE", path, is_repeatable=False, expects=Expects.NOTHING)
        self._send(call, deadline_seconds)

    def _send(self, call: Call, deadline_seconds: float) -> None:
        try:
            self.client.send(call, deadline_seconds=deadline_seconds)
        except PermanentError as error:
            if error.status in _ROWS_AT_FAULT:
                raise
            raise TransientError(
                PROVIDER, call.operation, status=error.status, request_id=error.request_id
            ) from None

    def _rows_path(self, table: str) -> str:
        where = f"{datasets_path(self.workspace_id)}/{quote(self.dataset_id, safe='')}"
        return f"{where}/tables/{quote(table, safe='')}/rows"


def create_dataset(
    client: VendorClient,
    workspace_id: str,
    definition: Mapping[str, Any],
    *,
    deadline_seconds: float,
) -> str:
    """Create a Power BI push dataset that keeps its rows, without a retention policy; returns its id.

    Not repeatable: a second call makes a second dataset of the same name.
    """
    call = Call(
        "create_dataset",
        "POST",
        datasets_path(workspace_id),
        is_repeatable=False,
        query={"defaultRetentionPolicy": "None"},
        body=definition,
    )
    answer = client.send(call, deadline_seconds=deadline_seconds)
    return str(answer["id"])


def datasets_named(
    client: VendorClient, workspace_id: str, name: str, *, deadline_seconds: float
) -> list[str]:
    """The ids of the Power BI datasets in a workspace that have this name."""
    call = Call("list_datasets", "GET", datasets_path(workspace_id), is_repeatable=True)
    answer = client.send(call, deadline_seconds=deadline_seconds)
    listed = answer.get("value")
    found = listed if isinstance(listed, list) else []
    return [
        str(dataset["id"])
        for dataset in found
        if isinstance(dataset, dict) and dataset.get("name") == name
    ]


def target_of(dataset_id: str) -> str:
    """The sink name of a Power BI dataset, ``powerbi:<dataset>``; keys and batches are recorded under it."""
    return f"{PROVIDER}:{dataset_id}"


def datasets_path(workspace_id: str) -> str:
    """The URL path of the datasets in a Power BI workspace."""
    return f"/v1.0/myorg/groups/{quote(workspace_id, safe='')}/datasets"
