"""Performs the actions of a ticket: tags, assignment, reply, close.

Executors unpack the actions of one step and call Richpanel with ids, tags and texts.  They do not catch
Richpanel's errors: by the error `once.effects` knows whether an action was refused, not done, or has an
unknown outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from chalicelib.errors import AuthError, PermanentError, TransientError, UncertainError
from chalicelib.once.effect import Effect, EffectKind, LeftOut
from chalicelib.once.ports import Clock, Log
from chalicelib.support import reasons as why
from chalicelib.support.effects import ADD_TAG, ASSIGN, REMOVE_TAG, UNKNOWN_TAG, ReplyData
from chalicelib.support.richpanel.calls import PROVIDER
from chalicelib.support.richpanel.client import Richpanel

_MATTER_MOST = frozenset({"route", "escalate"})
"""Audit types of tags without which no person would see the ticket."""


class TicketExecutors:
    """Performs effects on tickets by calls to Richpanel, with one method for each kind of effect.

    It keeps the texts that `prepare` has composed until their replies are sent.
    """

    def __init__(self, *, richpanel: Richpanel, clock: Clock, log: Log) -> None:
        self._richpanel = richpanel
        self._clock = clock
        self._log = log
        self._texts: dict[str, str] = {}

    # --- changes that may be repeated ---------------------------------------------------------

    def add_tags(self, actions: Sequence[Effect], *, deadline_seconds: float) -> LeftOut | None:
        """Put the tags of a plan's step on its ticket, all by one request; repeating it changes nothing.

        Returns:
            The actions whose tags the Richpanel tenant does not have; None where it has all tags.
            Such an action is refused if the ticket cannot be routed or handed over without its tag,
            else it is skipped.
        """
        conversation_id, ours = _only(ADD_TAG, actions)
        tags = {action.argument for action in ours}
        missing = self._richpanel.add_tags(conversation_id, tags, deadline_seconds=deadline_seconds)
        return self._without(missing, ours)

    def remove_tags(self, actions: Sequence[Effect], *, deadline_seconds: float) -> LeftOut | None:
        """Take tags of a step off its ticket, then put the step's other tags on, each by one request.

        If the responses do not show the changes, one read checks both.  Repeating it changes
        nothing.

        Returns:
            The actions that were left out because the tenant lacks their tags, as in `add_tags`,
            and those that Richpanel refused; a refused removal does not stop the adding.  None
            where nothing was left out.
        """
        ends = self._clock.monotonic() + deadline_seconds
        added = [effect for effect in actions if effect.kind is ADD_TAG]
        conversation_id, removed = _only(REMOVE_TAG, actions, but=added)
        off, on = {action.argument for action in removed}, {action.argument for action in added}
        if not on:
            self._richpanel.remove_tags(conversation_id, off, deadline_seconds=deadline_seconds)
            return None
        try:
            missing = self._richpanel.move_tags(
                conversation_id, off=off, on=on, deadline_seconds=deadline_seconds
            )
        except PermanentError as error:
            if error.operation == "add_tags":
                return LeftOut({effect.key: error.reason for effect in added}, {})
            if error.operation != "remove_tags":
                raise
            left = ends - self._clock.monotonic()
            missing = self._richpanel.add_tags(conversation_id, on, deadline_seconds=left)
            out = self._without(missing, added) or LeftOut({}, {})
            refused = {effect.key: error.reason for effect in removed}
            return LeftOut({**out.refused, **refused}, out.skipped)
        return self._without(missing, added)

    def _without(self, missing: AbstractSet[str], ours: Sequence[Effect]) -> LeftOut | None:
        """The actions to leave out because the Richpanel tenant does not have their tags; None for none.

        Their tags are logged and counted.
        """
        if not missing:
            return None
        self._log.event("support.unknown_tags", tags=sorted(missing))
        self._log.metric("mw.support.unknown_tags", len(missing))
        unknown = [action for action in ours if action.argument in missing]
        refused = {effect.key for effect in unknown if effect.audit_type in _MATTER_MOST}
        return LeftOut(
            refused=dict.fromkeys(refused, UNKNOWN_TAG),
            skipped={effect.key: UNKNOWN_TAG for effect in unknown if effect.key not in refused},
        )

    def assign(self, actions: Sequence[Effect], *, deadline_seconds: float) -> None:
        """Assign the ticket of a plan's step to a user or a team; repeating it changes nothing."""
        conversation_id, ours = _only(ASSIGN, actions)
        self._richpanel.assign(
            conversation_id, ours[-1].argument, deadline_seconds=deadline_seconds
        )

    # --- replies ------------------------------------------------------------------------------

    def prepare(self, actions: Sequence[Effect]) -> None:
        """Compose the texts of replies before they are sent; this may read a ticket and its orders again."""
        self._texts = {action.key: action.data.compose() for action in actions}

    def reply(self, actions: Sequence[Effect], *, deadline_seconds: float) -> str:
        """Send one reply and read it back from the ticket; never repeated when its outcome is not known.

        Returns:
            Id of the comment that the reply has become.
        """
        (action,) = actions
        data: ReplyData = action.data
        text = self._texts.pop(action.key, None)
        return self._richpanel.send_message(
            action.conversation_id,
            body=data.compose() if text is None else text,
            author_id=data.author_id,
            reference=data.reference,
            deadline_seconds=deadline_seconds,
        )

    def close(self, actions: Sequence[Effect], *, deadline_seconds: float) -> None:
        """Close a ticket after a reply, and open it again if the customer has written in the meantime.

        Both happen within one deadline: later the lease may be over, and another worker may be at
        work on the ticket.

        Raises:
            PermanentError: the change was accepted, but the ticket is still open; an operator must
                look.
            UncertainError: the ticket may be closed, or is closed and should be open; repeat it.
        """
        (close,) = actions
        ends = self._clock.monotonic() + deadline_seconds
        try:
            ticket = self._richpanel.close(close.conversation_id, deadline_seconds=deadline_seconds)
        except TransientError as error:
            if error.reason != why.NOT_APPLIED:
                raise
            raise PermanentError(PROVIDER, "close", reason=why.NOT_APPLIED) from None
        newest = next(
            (comment for comment in reversed(ticket.comments) if not comment.is_operator), None
        )
        if newest is not None and close.data not in (None, newest.id):
            self._reopen(close.conversation_id, ends - self._clock.monotonic())

    def _reopen(self, conversation_id: str, deadline_seconds: float) -> None:
        try:
            self._richpanel.reopen(conversation_id, deadline_seconds=deadline_seconds)
        except (TransientError, AuthError) as error:
            raise UncertainError.of(error) from None


def _only(
    kind: EffectKind, actions: Sequence[Effect], *, but: Sequence[Effect] = ()
) -> tuple[str, Sequence[Effect]]:
    """The id of the effects' one ticket, and those of the effects that are of this kind.

    All effects must be of one ticket, else `ValueError` is raised.  All except those in `but` must
    be of this kind, else `TypeError`.
    """
    ours = [action for action in actions if action.kind is kind]
    (conversation_id,) = {action.conversation_id for action in actions}
    if len(ours) + len(but) != len(actions):
        raise TypeError(f"only {kind.name} actions belong here")
    return conversation_id, ours
