"""Conversations: `records` are the values, `store` is the table, by its parts.

items           the layout of the table
queries         reading, and a method per index
drafts          what is sent, stored before, and its delivery
do_not_contact  who wants nothing of a company
handoffs        what waits for persons
"""
