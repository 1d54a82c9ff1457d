"""Ends a command right after a call that changed something, at AWS or at a vendor: each call once."""

import threading
from contextlib import contextmanager

import pytest
import requests
from botocore.client import BaseClient

LOOKS = ("Get", "List", "Describe", "BatchGet", "Head", "Query", "Scan", "AssumeRole")
NAMED_BY = ("Name", "SecretId", "StackName", "TableName", "TopicArn", "FunctionName", "QueueUrl")
"""Parameters that name the object of a call.  A change set's name differs from run to run: it is left out."""


class KilledError(BaseException):
    """The process dies here; no `except Exception` catches it."""


class Interruptions:
    """Where a command was ended.

    Attributes:
        at: each call that was done and was the last one of its run, in their order.
    """

    def __init__(self, how):
        self.at, self._how = [], how

    @contextmanager
    def after_each_change(self):
        """In this block a run of the command ends after its first change that has ended no earlier run."""
        called, sent = BaseClient._make_api_call, requests.Session.send

        def call(client, operation, params):
            answer = called(client, operation, params)
            if not operation.startswith(LOOKS):
                place = next((params[param] for param in NAMED_BY if param in params), "")
                self._end(f"{client.meta.service_model.service_name}.{operation} {place}")
            return answer

        def send(session, request, **options):
            answer = sent(session, request, **options)
            if request.method != "GET":
                self._end(f"{request.method} {request.path_url}")
            return answer

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(BaseClient, "_make_api_call", call)
            patch.setattr(requests.Session, "send", send)
            yield

    def _end(self, place):
        is_the_commands = threading.current_thread() is threading.main_thread()
        if is_the_commands and place not in self.at:
            self.at.append(place)
            raise self._how(place)
