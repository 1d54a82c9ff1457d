"""What was written in a ticket, asked of the stage's function that may read it; see `support.ticket_texts`.

Its answer is for the one reader that asked: it is kept nowhere.
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
"""A page waits for it; a person who looks again asks again."""


def in_ticket(session: Session, ticket_id: str) -> Iterator[tuple[str, str, str]]:
    """A ticket's comments, oldest first: id, who wrote it, and the text.

    Raises:
        UnavailableError: the function was not reached, or Richpanel did not answer it.
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
    if "said" not in answer:  # what Lambda answers in its place has neither
        raise UnavailableError(str(answer.get("refused", f"{name} failed")))
    for one in answer["said"]:
        yield str(one["comment"]), str(one["by"]), str(one["text"])
