"""Makes a test's AWS account answer as IAM would: what a principal may not do is refused.

Only the main thread's calls are the principal's; functions that run beside it have roles of their own.

Every call is seen where a client is called, of botocore and of the account in memory alike.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager

from botocore.client import BaseClient
from botocore.exceptions import ClientError

from tests.rigs.iam.authorization import may
from tests.rigs.iam.aws_calls import requests
from tests.rigs.memory_clients import ACCOUNT, Client


class Guard:
    """Refuses what the present principal may not do.

    Attributes:
        evaluated: how many requests IAM was asked.
        refused: requests that were not allowed, in the order of their calls.
    """

    def __init__(self, monkeypatch, stage="dev"):
        self.evaluated, self.refused = 0, []
        self._stage, self._principal = stage, None
        on_the_wire, in_memory = BaseClient._make_api_call, Client._called

        def asked_of_engine(client, operation, params):
            self._ask(client.meta.service_model.service_name, operation, params)
            return on_the_wire(client, operation, params)

        def asked_in_memory(client, name, call, **params):
            self._ask(client.service, name.title().replace("_", ""), params)
            return in_memory(client, name, call, **params)

        monkeypatch.setattr(BaseClient, "_make_api_call", asked_of_engine)
        monkeypatch.setattr(Client, "_called", asked_in_memory)

    @contextmanager
    def acting_as(self, principal):
        """Judge the calls in this block as a principal's; with None every call is allowed, as outside."""
        before, self._principal = self._principal, principal
        try:
            yield
        finally:
            self._principal = before

    def _ask(self, service, operation, params):
        if self._principal is None or threading.current_thread() is not threading.main_thread():
            return
        for request in requests(service, operation, params, ACCOUNT, stage=self._stage):
            self.evaluated += 1
            if not may(self._principal, request):
                self.refused.append(request)
                said = {
                    "Error": {"Code": "AccessDeniedException", "Message": str(request)},
                    "ResponseMetadata": {"HTTPStatusCode": 403},
                }
                raise ClientError(said, operation)
