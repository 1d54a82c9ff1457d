"""NEW MODULE."""

from __future__ import annotations

from collections.abc import Sequence

from chalicelib.errors import AuthError, PermanentError, TransientError, UncertainError
from chalicelib.once.action import Action
from chalicelib.once.ports import Clock
from chalicelib.support.actions import Close, Reply
from chalicelib.support.richpanel.calls import PROVIDER
from chalicelib.support.richpanel.client import Richpanel


class Replies:
    """`ports.Executor`s of `ticket_replies`."""

    def __init__(self, richpanel: Richpanel, clock: Clock) -> None:
        self._richpanel = richpanel
        self._clock = clock
        self._texts: dict[str, str] = {}

    def prepare(self, actions: Sequence[Action]) -> None:
        """`ports.Preparer`: compose a reply, which may have to read ticket and order anew."""
        self._texts = {one.key: one.compose() for one in actions if isinstance(one, Reply)}

    def send(self, actions: Sequence[Action], *, deadline_seconds: float) -> str | None:
        """Send one reply and read it back; never repeated when its outcome is not known."""
        (reply,) = (action for action in actions if isinstance(action, Reply))
        text = self._texts.pop(reply.key, None)
        return self._richpanel.send_message(
            reply.conversation_id,
            body=reply.compose() if text is None else text,
            author_id=reply.author_id,
            deadline_seconds=deadline_seconds,
        )

    def close(self, actions: Sequence[Action], *, deadline_seconds: float) -> None:
        """Close a ticket, and open it again if the customer has written in the meantime.

        Both within one deadline: behind it the lease may be over, and another worker at it.

        Raises:
            PermanentError: it was accepted and is still open; a person must look.
            UncertainError: it may be closed, or is closed and should be open; to be done again.
        """
        (close,) = (action for action in actions if isinstance(action, Close))
        ends = self._clock.monotonic() + deadline_seconds
        try:
            ticket = self._richpanel.close(close.conversation_id, deadline_seconds=deadline_seconds)
        except TransientError as error:
            if error.reason != "not_applied":
                raise
            raise PermanentError(PROVIDER, "close", reason="not_applied") from None
        newest = next((one for one in reversed(ticket.comments) if not one.is_operator), None)
        if newest is not None and close.answered_message_id not in (None, newest.id):
            self._reopen(close.conversation_id, ends - self._clock.monotonic())

    def _reopen(self, conversation_id: str, deadline_seconds: float) -> None:
        try:
            self._richpanel.reopen(conversation_id, deadline_seconds=deadline_seconds)
        except (TransientError, AuthError) as error:
            raise UncertainError.of(error) from None
