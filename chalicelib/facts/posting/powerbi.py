"""Power BI push datasets: create one, add rows, clear a table; service principal tokens.

Vendor facts (learn.microsoft.com, rest/api/power-bi/push-datasets and push-datasets-limitations):
rows are added by ``POST .../groups/{g}/datasets/{d}/tables/{t}/rows`` and answered 200 without a
body; DELETE of the same URL clears the whole table, and no single row can be changed or removed.
  10,000 rows a POST, 120 POSTs a minute, 5 at a time, 1,000,000 rows an hour; beyond it 429
with ``Retry-After``.  A POST is accepted whole or not at all, types are strict.  There is no
idempotency key; the header ``X-PowerBI-PushData-SequenceNumber`` (a preview that was never made
general) makes the service ignore a number it has already seen for the table; it needs a single writer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from chalicelib.errors import AuthError, PermanentError, TransientError, UnavailableError
from chalicelib.facts.dataset import ROWS_PER_POST
from chalicelib.facts.model import Row
from chalicelib.once.ports import Clock
from chalicelib.vendors.http import Call, VendorClient
from chalicelib.vendors.reasons import SECRET_UNAVAILABLE, UNEXPECTED_ANSWER, VENDOR_REFUSED

PROVIDER = "powerbi"
POSTS_PER_MINUTE = 120
SEQUENCE_NUMBER = "x-powerbi-pushdata-sequencenumber"
SCOPE = "https://analysis.windows.net/powerbi/api/.default"
_RENEW_EARLY_SECONDS = 300.0
_SHORTEST_LIFE_SECONDS = 60.0
_TOKEN_DEADLINE_SECONDS = 10.0
_ROWS_AT_FAULT = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE})


class Tokens:
    """A client-credentials token of Microsoft Entra, cached until five minutes before it expires.

    Args:
        client: HTTP client of the token URL (``POWERBI_TOKEN_URL``).
        path: path of the token URL.
        client_id: the service principal.
        secret: its client secret; fetched again when called with True.
    """

    def __init__(
        self,
        *,
        client: VendorClient,
        path: str,
        client_id: str,
        secret: Callable[[bool], str],
        clock: Clock,
    ) -> None:
        self._client = client
        self._path = path
        self._client_id = client_id
        self._secret = secret
        self._clock = clock
        self._token = ""
        self._good_until = 0.0

    def headers(self, refresh: bool) -> Mapping[str, str]:  # noqa: FBT001 - the client's shape
        """The authentication header; with True, from a new token.

        Raises:
            ProviderError: no token was issued; a refused secret is an `AuthError`.
        """
        if refresh or self._clock.monotonic() >= self._good_until:
            self._fetch(refresh=refresh)
        return {"authorization": f"Bearer {self._token}"}

    def _fetch(self, *, refresh: bool) -> None:
        form = {
            "grant_type": "client_credentials",
            "client_id": self._client_id,
            "client_secret": self._given(refresh=refresh),
            "scope": SCOPE,
        }
        call = Call("token", "POST", self._path, is_repeatable=True, form=form)
        try:
            answer = self._client.send(call, deadline_seconds=_TOKEN_DEADLINE_SECONDS)
        except PermanentError as error:
            # 400 invalid_client and its kind: our deployment is at fault, not the rows.
            raise AuthError(PROVIDER, "token", status=error.status, reason=VENDOR_REFUSED) from None
        token, life = answer.get("access_token"), answer.get("expires_in")
        if not isinstance(token, str) or not isinstance(life, int | float):
            raise TransientError(PROVIDER, "token", reason=UNEXPECTED_ANSWER)
        self._token = token
        lasts = max(_SHORTEST_LIFE_SECONDS, life - _RENEW_EARLY_SECONDS)
        self._good_until = self._clock.monotonic() + lasts

    def _given(self, *, refresh: bool) -> str:
        try:
            return self._secret(refresh).strip()
        except UnavailableError:
            raise TransientError(PROVIDER, "token", reason=SECRET_UNAVAILABLE) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerBi:
    """A `Sink` on one push dataset.

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
        """See `model.Sink`."""
        return target_of(self.dataset_id)

    def append(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """See `model.Sink.append`.

        Raises:
            PermanentError: Power BI refuses these very rows (400, 413).
            TransientError: surely not taken; also where the dataset is not there.
            UncertainError: perhaps taken.
        """
        call = Call(
            "post_rows",
            "POST",
            self._rows_path(table),
            is_repeatable=False,
            body={"rows": [dict(row) for row in rows]},
            headers={SEQUENCE_NUMBER: str(number)} if self.is_numbered else {},
            expects_json=False,
        )
        self._send(call, deadline_seconds)

    def replace(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """See `model.Sink.replace`: clear, then add; after an error it starts from the beginning."""
        ends = self.clock.monotonic() + deadline_seconds
        self.clear(table, deadline_seconds=deadline_seconds)
        for start in range(0, len(rows), ROWS_PER_POST):
            part = rows[start : start + ROWS_PER_POST]
            left = ends - self.clock.monotonic()
            self.append(table, number + start, part, deadline_seconds=left)

    def clear(self, table: str, *, deadline_seconds: float) -> None:
        """Delete all rows of a table; landing late, it would delete rows added after it."""
        path = self._rows_path(table)
        call = Call("clear_rows", "DELETE", path, is_repeatable=False, expects_json=False)
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
    """Make a push dataset without a retention policy; returns its id.

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
    """Ids of the workspace's datasets of a name."""
    call = Call("list_datasets", "GET", datasets_path(workspace_id), is_repeatable=True)
    answer = client.send(call, deadline_seconds=deadline_seconds)
    listed = answer.get("value")
    found = listed if isinstance(listed, list) else []
    return [str(one["id"]) for one in found if isinstance(one, dict) and one.get("name") == name]


def target_of(dataset_id: str) -> str:
    """The name under which a dataset's keys and batches are recorded."""
    return f"{PROVIDER}:{dataset_id}"


def datasets_path(workspace_id: str) -> str:
    """Path of a workspace's datasets."""
    return f"/v1.0/myorg/groups/{quote(workspace_id, safe='')}/datasets"
