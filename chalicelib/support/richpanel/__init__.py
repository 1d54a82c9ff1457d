"""Richpanel's API: tickets, their tags, and the order linked to a ticket.

In the order of a call:

    client         the operations that the flow, the executors and reconciliation use
    tags           tags by name and by id
    linked_orders  the order that Richpanel has linked to a ticket
    calls          one HTTP call: the path of a ticket, and the checks of its response
    responses      the responses as models, and as the values of `support.tickets`
"""
