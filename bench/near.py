"""A simulated vendor inside the measured process: no round trip, and no other process's time."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

import requests
import urllib3
from requests.adapters import BaseAdapter

from chalicelib.adapters import deadline
from local.vendors.wire import Request

if TYPE_CHECKING:
    from local.vendors.simulated import Vendor


class Near(BaseAdapter):
    """What `requests` sends goes to the vendor as it is, and its answer comes back as bytes."""

    def __init__(self, vendor: Vendor) -> None:
        super().__init__()
        self._vendor = vendor

    def send(self, request: requests.PreparedRequest, **_: object) -> requests.Response:
        """Answer one request."""
        deadline._WATCH.get().was_sent = True  # noqa: SLF001 - as a connection tells it
        address = urlsplit(str(request.url))
        asked = Request(
            method=str(request.method),
            path=address.path,
            segments=tuple(part for part in address.path.split("/") if part),
            query=dict(parse_qsl(address.query)),
            headers={name.lower(): value for name, value in request.headers.items()},
            body=json.loads(request.body) if request.body else None,
        )
        answer = self._vendor.answer(asked, self._vendor.operation_of(asked))
        response = requests.Response()
        response.status_code, response.request = answer.status, request
        response.headers["content-type"] = "application/json"
        response.raw = urllib3.HTTPResponse(
            io.BytesIO(json.dumps(answer.body).encode()),
            headers=dict(response.headers),
            status=answer.status,
            preload_content=False,
        )
        return response

    def close(self) -> None:
        """Nothing is open."""
