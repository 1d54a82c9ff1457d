"""The token of one call, with which its result comes back: it names the conversation, and is signed."""

from __future__ import annotations

import re

from chalicelib.once.keyring import PurposeKeys

_RESULT = "tool-result"
_TOKEN = re.compile(r"([^.\s]{1,64})\.([0-9a-f]{32})")


def call_token(signing: PurposeKeys, opaque_id: str, call_id: str) -> str:
    """The token of a call.

    Args:
        signing: the stage's keys of tools' results.
        opaque_id: of the conversation.
        call_id: of the call.
    """
    return f"{opaque_id}.{signing.sign(_RESULT, opaque_id, call_id)}"


def conversation_in(signing: PurposeKeys, token: str, call_id: str) -> str | None:
    """The conversation that a call's token names; None where it is not that call's."""
    found = _TOKEN.fullmatch(token)
    if found is None or not signing.verifies(found[2], _RESULT, found[1], call_id):
        return None
    return found[1]
