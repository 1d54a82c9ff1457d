"""Which message's STOP is confirmed: one for each mark of the register, however many ask for it."""

from __future__ import annotations

from chalicelib.once.store import ConditionFailed
from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.register_entries import CONFIRMED_BY
from chalicelib.outreach.conversations.register_keys import marks_of


class Confirmed(items.OnTable):
    """Chooses it."""

    def confirms(self, address: str, company_id: str, message: str) -> bool:
        """Whether a message is the one that is confirmed: the first that asks, for each mark.

        A mark that is lifted and made again is confirmed again.

        Args:
            address: the one that the wish came from; a number in any of its forms.
            company_id: the company.
            message: its id; it may ask again.

        Returns:
            False where another message is the one, or a later word has lifted the mark.

        Raises:
            TransientError: the register could not be read or written.
        """
        marks = self._table.get_all(list(marks_of(address, company_id)), attributes=_ATTRIBUTES)
        in_force = [one for one in marks if "lifted_at" not in one]
        if any(one.get(CONFIRMED_BY, message) != message for one in in_force):
            return False
        try:
            for one in in_force:
                self._table.update(
                    {name: one[name] for name in _KEY},
                    set_={CONFIRMED_BY: message},
                    condition=_IS_FREE,
                    reading=False,
                    message=message,
                )
        except ConditionFailed:  # since it was read
            return False
        return bool(in_force)


_KEY = ("primary_channel", "conversation_id")
_ATTRIBUTES = (*_KEY, "lifted_at", CONFIRMED_BY)
_IS_FREE = (
    "attribute_exists(#conversation_id) AND attribute_not_exists(#lifted_at)"
    f" AND (attribute_not_exists(#{CONFIRMED_BY}) OR #{CONFIRMED_BY} = :message)"
)
