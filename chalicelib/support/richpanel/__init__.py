"""Richpanel's API: tickets, their tags, and the order linked to a ticket.

In the order of a call:

    client         the operations: read, list, tag, assign, close, reply; checks by reading the ticket again
    tags           the tenant's tags by name and by id, cached
    linked_orders  the number of the order that Richpanel has linked to a ticket
    calls          one HTTP call (GET, PUT, POST, pages), and the checks of its response's shape and id
    responses      models of the responses' fields, and the `Ticket` and `Comment`s made from them
"""
