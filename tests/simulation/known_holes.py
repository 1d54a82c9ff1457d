"""Judgements that the product does not survive yet: each is off until its mend is in.

Switched on, a judgement is part of every plain seed; nothing else has to change.
"""

from __future__ import annotations

CONSENT_IN_THE_LAST_LOOK = False
"""A send looks at the recipient's mark with the switches, right before its request leaves.

Today the mark is looked at when the action begins, and the switches once more when it is sent: a
STOP that is marked between the two, within one call's deadline, does not hold the send back.
"""
