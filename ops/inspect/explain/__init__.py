"""Explains what happened to anything that an operator can name, and why, from stored records.

pasted         finds the identifiers in pasted text
subjects       what an identifier may be, by its form
found          the input and result of a look-up
nothing        the error for a text that finds nothing
ledger_keys    look-ups: events, actions, facts
tickets        look-ups: tickets, order numbers
conversations  look-ups: requests, conversations, addresses, hand-offs, carriers' ids
people         look-ups: a person's conversations on all their addresses, a request alone
scanning       look-ups without an index: unfinished events, dead letters, a scan
unfinished_keys  the keys of unfinished events, from two sparse indexes
dead_letter_keys  the first dead letters
event_records  reads events with their actions, audit rows and receipts
stored         one stored event with everything that belongs to it
timeline       every step with its time; the outcome in one line
attempts       the attempts at one action
plain_words    fixed codes in plain words
state_words    what is known of a conversation, in words
story          an event in plain words: why it was not answered, and one paragraph
written        reads a ticket's texts through the stage's function for that
customer       a customer's story: what they wrote, what was answered, by whom and why
searching      looks up what a text names, in every place that may hold it
log_queries    queries of CloudWatch Logs Insights
report         the report: identifier in, plain data out

`pasted`, `subjects`, `stored`, `timeline`, `attempts`, `plain_words`, `state_words` and `story` are pure.
Only `--deep` scans; the other look-ups are by key or by query, so their calls do not grow with the tables.
The events of a Richpanel ticket derive from its comments, which are read from Richpanel if it responds,
and from what is unfinished.
"""

from ops.inspect.explain.report import explain

__all__ = ["explain"]
