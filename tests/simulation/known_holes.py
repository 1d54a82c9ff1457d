"""Draws that the product does not survive yet: each is off until its mend is in.

Switched on, a draw is part of every plain seed; nothing else has to change.
"""

from __future__ import annotations

from tests.simulation.spoils import Spoil

REPLY_ACCEPTED_NOTHING_DONE = True
"""``send-message`` answers 200 with the ticket and writes no comment."""
TAGS_ACCEPTED_NOTHING_DONE = True
"""``add-tags`` and ``remove-tags`` answer 200 with the unchanged ticket."""
SECRET_GONE_HARMS_NO_OTHER = True
"""One company's secret is deleted for good: the sweep settles and resumes for the other."""
MAIL_FROM_ANOTHER_ADDRESS = True
"""An e-mail from another address with a valid token joins its conversation's FIFO group."""
TICKETS_LISTED_WITHOUT_COMMENTS = False
"""Richpanel's list has no comments: a lost message is found though the clocks differ by 120 s."""
CONSENT_IN_THE_LAST_LOOK = False
"""A send looks at the recipient's mark with the switches, right before its request leaves."""


def may_spoil(operation: str, spoil: Spoil) -> bool:
    """Whether this response to this operation may be spoiled so."""
    if spoil.is_done:
        return True
    match operation:
        case "send_message" if spoil.shape == "usual":
            return REPLY_ACCEPTED_NOTHING_DONE
        case "add_tags" | "remove_tags" if spoil.shape == "usual":
            return TAGS_ACCEPTED_NOTHING_DONE
        case "post_rows" | "clear_rows":
            # Its own response has no body: only a page can be told from it.
            return spoil.shape == "html"
        case _:
            return True
