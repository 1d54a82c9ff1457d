"""Reads a ticket's texts through the stage's function that may read them (`support.ticket_texts`).

The texts are shown once and stored nowhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.errors import UnavailableError
from ops.session import Session

FUNCTION = "rp-mw-{stage}-ticket_texts"
_ONCE = Config(connect_timeout=2, read_timeout=10, retries={"total_max_attempts": 1})
"""One quick attempt, because a page waits for it."""


def in_ticket(session: Session, ticket_id: str) -> Iterator[tuple[str, str, str]]:
    """Yield a ticket's comments, oldest first, as (id, author, text).

    Raises:
        UnavailableError: the function was not reached, or Richpanel did not answer the function.
    """
    question = json.dumps({"ticket_id": ticket_id}).encode()
    name = FUNCTION.format(stage=session.stage)
    try:
        functions = session.services.client("lambda", _ONCE)
        answer = json.load(functions.invoke(FunctionName=name, Payload=question)["Payload"])
    except ClientError as error:
        raise UnavailableError(f"{name} {error.response['Error']['Code']}") from None
    except (BotoCoreError, ValueError) as error:
        raise UnavailableError(f"{name} {type(error).__name__}") from None
    if "said" not in answer:  # the function failed: Lambda's own answer has neither key
        raise UnavailableError(str(answer.get("refused", f"{name} failed")))
    for said in answer["said"]:
        yield str(said["comment"]), str(said["by"]), str(said["text"])
