"""The token of one call, with which its result comes back: it names the conversation, and is signed."""

from __future__ import annotations

import hmac
import re

from chalicelib.once.keys import OpaqueIds

_TOKEN = re.compile(r"([^.\s]{1,64})\.([0-9a-f]{32})")


def call_token(opaque: OpaqueIds, opaque_id: str, call_id: str) -> str:
    """The token of a call.

    Args:
        opaque: hashes with the stage's key.
        opaque_id: of the conversation.
        call_id: of the call.
    """
    return f"{opaque_id}.{opaque.of('tool-result', opaque_id, call_id)}"


def conversation_in(opaque: OpaqueIds, token: str, call_id: str) -> str | None:
    """The conversation that a call's token names; None where it is not that call's."""
    found = _TOKEN.fullmatch(token)
    if found is None:
        return None
    expected = opaque.of("tool-result", found[1], call_id)
    return found[1] if hmac.compare_digest(found[2], expected) else None
