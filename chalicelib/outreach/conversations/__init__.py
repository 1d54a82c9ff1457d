"""Conversations: `records` are the values, `store` is the table, by its parts.

items           the layout of the table: keys, ``ttl``, what an append leaves in the item
records         the values: a conversation with its status, one entry (message), a draft
store           opens a conversation, appends an entry once, moves the status, hands off; the rest is in the
                parts below
queries         reads conversations and their messages, with a method per index
entry_pages     moves older messages out of the item, into pages and marks
drafts          drafts of messages, stored before they are sent; delivery status and rank
subject         one person's addresses: marks, consents, preferences, links; pure
subject_rows    rows of these persons: keyed ids, read in one call, changed and merged under a version
subject_links   links addresses as one person's, by starts and imports; operators part them; the recipient
                as a start finds them
statements      evidence items for each change of a mark, consent, preference or link
preferring      preferred hours and channels: stores them, reads them from messages, adds them to a record
recipients      a conversation's addresses and its purpose; pure
do_not_contact  forbids, suspends, allows and lifts: adds marks to the register and lifts them; evidence of
                what was said in a conversation
register_entries  a mark: its reasons and slots, and whether it is in force
register_looks  before a message: why a company must not contact a recipient; the marks of an address
register_imports  marks restored from exports, or entered from lists: the newer one stays
register_pages  pages of a company's register: each marked address with its subject
doubts          questions whether somebody asked to stop: asked, open, unanswered, decided; opt-outs by text
confirmed       claims the confirmation of a STOP: one message for each opt-out
former          pairs of a sender and a recipient that had a conversation, and what is kept of them
handoffs        a hand-off's entry in its company's list: state, lane, place; pure
handoff_list    which companies have hand-offs; reads their lists, lane by lane; which members were handed
                off
stop_counts     how often each rule stopped a draft, and how persons ended these stops
day_counts      counts by day and project, in shards: answers and within what time, failures, opt-outs
wrong_answers   counts by day, project and code: answers that people said were wrong
shelves         lists of named things that people of a desk keep, such as saved replies, by revision
verdicts        examples of drafts that a project's checks must let through, or must stop
parcels         the stored jobs of starts whose conversations are not open yet
response_targets  when an answer of a person is due: a target in business hours; pure
desk_acts       stores a person's act: one transaction with its mark, hand-off, journal, draft
called_tools    calls of tools: begun, accepted, closed, and their results
"""
