"""Simulated vendors: HTTP servers on loopback that record each request and misbehave on demand.

    wire        the HTTP server under each; faults: how an answer is spoilt on demand
    simulated   what every vendor has: the record, faults, rate limit, `/_sim/...` for other processes
    richpanel   tickets, tags, comments, order links: its HTTP API; richpanel_tenant what it keeps
    twilio      texts sent and received; ses the same of e-mails
    shopify     orders; openai answers to prompts; powerbi rows of datasets
    aloware     posts as Aloware does, hubspot as HubSpot does; sender what they share

A vendor holds real state and changes it as the real one does, so that a test asserts on what
happened to a ticket and not on what a mock was told.
"""
