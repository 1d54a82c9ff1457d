"""Mail that its function failed on: Lambda kept the whole event, and here it is heard again.

A message of that queue is Lambda's record of a failed asynchronous call::

    {"requestContext": {"condition": "RetriesExhausted", "approximateInvokeCount": 3, ...},
     "requestPayload": {"Records": [{"EventSource": "aws:sns", "Sns": {"Message": "..."}}]},
     "responsePayload": {"errorType": "UnavailableError", ...}}

Hearing it again is what the function would have done; an e-mail or a receipt that was heard after
all has its key, and does nothing a second time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from botocore.exceptions import ClientError

from ops.session import Session

LOOK_SECONDS = 60
"""How long a message that is looked at stays away from others."""


def hear_again(session: Session, *, limit: int, dry_run: bool) -> Iterator[dict[str, Any]]:
    """Put each on the event queue, then delete it here; tells identifiers and what was done."""
    for message in _received(session, limit=limit):
        told: dict[str, Any] = {"message_id": message["MessageId"]}
        try:
            record = json.loads(message["Body"])
            told["error"] = record.get("responsePayload", {}).get("errorType")
            payloads = [one["Sns"]["Message"] for one in record["requestPayload"]["Records"]]
        except (ValueError, KeyError, TypeError, AttributeError):
            yield told | {"did": "left: not a record of Lambda's"}
            continue
        if dry_run:
            yield told | {"did": "would be heard again"}
            continue
        for payload in payloads:
            session.services.mail(payload)
        _delete(session, message)
        yield told | {"did": "heard again"}


def purge(session: Session, holds: Callable[[str], bool]) -> int:
    """Delete the messages whose body holds what must be forgotten; tells how many."""
    gone = 0
    for message in _received(session, limit=100_000):
        if holds(message["Body"]):
            _delete(session, message)
            gone += 1
    return gone


def _url(session: Session) -> str:
    return session.queue_url(f"rp-mw-mail-failures-{session.stage}")


def _received(session: Session, *, limit: int) -> Iterator[dict[str, Any]]:
    """Each message once; what is left at the end is put back at once."""
    sqs, url = session.client("sqs"), _url(session)
    taken: list[dict[str, Any]] = []
    try:
        while len(taken) < limit:
            found = sqs.receive_message(
                QueueUrl=url, MaxNumberOfMessages=1, VisibilityTimeout=LOOK_SECONDS
            ).get("Messages", [])
            if not found:
                return
            taken += found
            yield from found
    finally:
        for one in taken:
            _put_back(sqs, url, one)


def _put_back(sqs: Any, url: str, message: dict[str, Any]) -> None:  # noqa: ANN401
    """Let others see it again; one that was deleted meanwhile is none."""
    if message.get("deleted"):
        return
    with suppress(ClientError):  # SQS refuses one whose time was over: that one is back already
        sqs.change_message_visibility(
            QueueUrl=url, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0
        )


def _delete(session: Session, message: dict[str, Any]) -> None:
    session.client("sqs").delete_message(
        QueueUrl=_url(session), ReceiptHandle=message["ReceiptHandle"]
    )
    message["deleted"] = True
