"""Simulated vendors: HTTP servers on loopback that record each request and misbehave on demand.

    wire        the server under each: records, faults, rate limit, `/_sim/...` for other processes
    richpanel   tickets, tags, comments, order links

A vendor holds real state and changes it as the real one does, so that a test asserts on what
happened to a ticket and not on what a mock was told.
"""
