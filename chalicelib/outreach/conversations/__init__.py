"""Conversations: `records` are the values, `store` is the table, by its parts.

items           the layout of the table
queries         reading, and a method per index
drafts          drafts of messages, stored before they are sent, and their delivery
do_not_contact  recipients that a company must not contact: enters and lifts them
register_entries  the kinds of such entries, and whether one blocks
register_keys   where the table has them
register_looks  whether and why a company must not contact a recipient
doubts          whether somebody asked to stop, which a person decides
confirmed       which message's STOP is confirmed
former          pairs of a sender and a recipient that had a conversation
handoffs        the list of hand-offs
parcels         the jobs of starts whose conversations are not open yet
numbers         forms of one phone number
response_targets  how long a recipient may wait for a person, in business hours; pure
desk_acts       what persons do with a conversation
called_tools    calls of tools, and their results
"""
