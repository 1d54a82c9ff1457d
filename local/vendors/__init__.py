"""Simulated vendors: HTTP servers on loopback that record each request and fail on demand.

    wire                  the HTTP server under each vendor
    simulated             the base class: request record, faults, rate limit, `/_sim/...` paths
    faults                the kinds of fault, and how a response is disturbed by one
    richpanel             tickets, tags, comments, order links: the HTTP API
    richpanel_tenant      the state behind it, and methods for tests
    richpanel_operations  the names of its operations
    twilio                text messages sent and received
    ses                   e-mails sent and received
    shopify               orders
    openai                responses to prompts
    bedrock               responses to prompts, by Amazon's API
    model_behaviour       how models behave, and what is kept of prompts
    scripted_models       the base of both: scripts, a function or the least answer that is allowed
    openai_moderation     what its moderation flags
    entra                 the base of the next two: client credentials and tokens
    powerbi               rows of push datasets
    onelake               the landing zone of a mirrored database
    mirroring             what mirroring makes of its files
    aloware               posts webhooks as Aloware does
    hubspot               posts webhooks as HubSpot does
    hubspot_owners        the people of a HubSpot account
    sender                code that both senders share
    company_endpoint      a company's endpoint for events, which verifies their signatures

A vendor keeps state and changes it as the real one does, so that a test asserts on what happened
to a ticket and not on the calls a mock received.
"""
