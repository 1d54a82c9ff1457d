"""A worker that kills itself after Richpanel has changed a ticket's tags, before that is recorded.

The acceptance bundles it beside `app.py`.  Lambda calls it only while the function's handler names
it.
"""

from __future__ import annotations

import os
import signal

from app import worker as _worker
from chalicelib.vendors.http import Call, VendorClient
from chalicelib.vendors.http_answers import VendorAnswer

_EXCHANGE = VendorClient.exchange


def _killed(self: VendorClient, call: Call, *, deadline_seconds: float) -> VendorAnswer:
    answer = _EXCHANGE(self, call, deadline_seconds=deadline_seconds)
    if call.operation == "add_tags":
        os.kill(os.getpid(), signal.SIGKILL)
    return answer


def worker(event: object, context: object) -> object:
    """Run the lane's worker, which is killed after its first `add_tags`."""
    setattr(VendorClient, _EXCHANGE.__name__, _killed)
    return _worker(event, context)
