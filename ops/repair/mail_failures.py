"""Processes again the mail events that their function failed on; Lambda kept each event whole.

A message of that queue is Lambda's record of a failed asynchronous call::

    {"requestContext": {"condition": "RetriesExhausted", "approximateInvokeCount": 3, ...},
     "requestPayload": {"Records": [{"EventSource": "aws:sns", "Sns": {"Message": "..."}}]},
     "responsePayload": {"errorType": "UnavailableError", ...}}

Processing does what the function would have done.  An e-mail or receipt that was queued after all
has its key already, so it has no second effect.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from botocore.exceptions import ClientError

from ops import journal
from ops.session import Session

VISIBILITY_SECONDS = 60
"""Visibility timeout of a message while it is read."""


def process_again(
    session: Session, *, limit: int, dry_run: bool, because: str = ""
) -> Iterator[dict[str, Any]]:
    """Put each event on the event queue, then delete it here; yield its id and what was done."""
    for message in _received(session, limit=limit):
        result: dict[str, Any] = {"message_id": message["MessageId"]}
        try:
            record = json.loads(message["Body"])
            result["error"] = record.get("responsePayload", {}).get("errorType")
            payloads = [
                notification["Sns"]["Message"]
                for notification in record["requestPayload"]["Records"]
            ]
        except (ValueError, KeyError, TypeError, AttributeError):
            yield result | {"did": "left: not a Lambda failure record"}
            continue
        if dry_run:
            yield result | {"did": "would be processed again"}
            continue
        key = f"mail:{message['MessageId']}"
        journal.enter(session, "dlq mail", key, reason=because, error=result["error"])
        for payload in payloads:
            session.services.outreach_doors.mail(payload)
        _delete(session, message)
        yield result | {"did": "processed again"}


def purge(session: Session, holds: Callable[[str], bool], *, dry_run: bool = False) -> int:
    """Delete the messages whose body matches, or only count them; return the number."""
    gone = 0
    for message in _received(session, limit=100_000):
        if holds(message["Body"]):
            gone += 1
            if not dry_run:
                _delete(session, message)
    return gone


def _url(session: Session) -> str:
    return session.queue_url(f"rp-mw-mail-failures-{session.stage}")


def _received(session: Session, *, limit: int) -> Iterator[dict[str, Any]]:
    """Yield each message once; those not deleted are put back at the end."""
    sqs, url = session.client("sqs"), _url(session)
    taken: list[dict[str, Any]] = []
    try:
        while len(taken) < limit:
            found = sqs.receive_message(
                QueueUrl=url, MaxNumberOfMessages=1, VisibilityTimeout=VISIBILITY_SECONDS
            ).get("Messages", [])
            if not found:
                return
            taken += found
            yield from found
    finally:
        for message in taken:
            _put_back(sqs, url, message)


def _put_back(sqs: Any, url: str, message: dict[str, Any]) -> None:  # noqa: ANN401
    """Make a message visible again, unless it was deleted."""
    if message.get("deleted"):
        return
    with suppress(ClientError):  # SQS refuses after the timeout: the message is visible already
        sqs.change_message_visibility(
            QueueUrl=url, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0
        )


def _delete(session: Session, message: dict[str, Any]) -> None:
    session.client("sqs").delete_message(
        QueueUrl=_url(session), ReceiptHandle=message["ReceiptHandle"]
    )
    message["deleted"] = True
