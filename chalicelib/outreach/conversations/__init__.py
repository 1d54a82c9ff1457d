"""Conversations: `records` are the values, `store` is the table, by its parts.

items           the layout of the table
queries         reading, and a method per index
entry_pages     the pages and marks of entries that leave the item
drafts          drafts of messages, stored before they are sent, and their delivery
subject         the addresses of one person within a company, what they refuse and allow; pure
subject_rows    rows of these persons: read in one call, changed, merged and parted under a version
subject_links   which addresses are one person: linked by starts and imports, parted by operators
statements      evidence of what was said about being contacted
preferring      what recipients prefer of time and channel, kept with the person
recipients      whom a conversation is for, and what for; pure
do_not_contact  recipients that a company must not contact: enters and lifts them
register_entries  the kinds of such marks, and whether one is in force
register_looks  whether and why a company must not contact a recipient
register_imports  marks from lists and from exports of the register
register_pages  a company's register, address by address
doubts          whether somebody asked to stop, which a person decides
confirmed       which message's STOP is confirmed
former          pairs of a sender and a recipient that had a conversation
handoffs        a hand-off as its company's list has it; pure
handoff_list    companies' lists of hand-offs, read in order
stop_counts     how often each rule stopped a draft, and what persons made of the drafts
day_counts      what happened, by day and project: answers and their time, failures, opt-outs
wrong_answers   how often people said that an answer was wrong, and what was
shelves         lists of named things that people of a desk keep, such as saved replies
verdicts        examples of drafts that a project's checks must let through, or must stop
parcels         the jobs of starts whose conversations are not open yet
response_targets  how long a recipient may wait for a person, in business hours; pure
desk_acts       what persons do with a conversation
called_tools    calls of tools, and their results
"""
