"""The token with which the result of one call is returned: it names the conversation, and is signed."""

from __future__ import annotations

import re

from chalicelib.once.keyring import PurposeKeys

_RESULT = "tool-result"
_TOKEN = re.compile(r"([^.\s]{1,64})\.([0-9a-f]{32})")


def call_token(signing: PurposeKeys, opaque_id: str, call_id: str) -> str:
    """Make the signed token with which the company returns the result of one tool call.

    Args:
        signing: the stage's keys that sign the tokens of calls.
        opaque_id: the conversation's id.
        call_id: the call's id.
    """
    return f"{opaque_id}.{signing.sign(_RESULT, opaque_id, call_id)}"


def conversation_in(signing: PurposeKeys, token: str, call_id: str) -> str | None:
    """The opaque id of the conversation that the token of a tool's call names.

    None where the token is malformed, or was not signed by us for this call.
    """
    found = _TOKEN.fullmatch(token)
    if found is None or not signing.verifies(found[2], _RESULT, found[1], call_id):
        return None
    return found[1]
