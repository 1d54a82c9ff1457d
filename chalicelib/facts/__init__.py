"""Facts: calls, texts, e-mails and cases from Aloware and HubSpot, counted once each in Power BI.

In the order of an event:

    door             the two webhook routes: verified, parsed, queued
    aloware_webhook  Aloware: credential and body, as a job
    hubspot_webhook  HubSpot: signatures and batches, as jobs
    jobs             what the queue carries: one Aloware delivery, one HubSpot batch
    delivery_name    what the name of an Aloware delivery says
    mapping          a job's facts: metric, agent, day, or why it does not count; pure
    keeper           the worker's handler: applies the roster and stores the facts
    ledger           every fact once, in Quill's table
    roster           the agents whose events count
    ring_group       the roster read from Aloware
    hubspot_owners   names of the people behind HubSpot's ids
    shifts           the agents' shifts from a company's file
    posting/         the scheduled writer: posts stored facts to Power BI in batches

What these share:

    model            facts, agents, dimensions, and the ports of roster and sink
    dataset          the dataset's tables, relationships, measures and rows; pure
    drift            reads a payload's values (ids, times, texts), and marks what was missing or had
                     another form or lost digits
    keys             fact and action keys
    reasons          why a delivery does not count, and why the writer does not post

What builds it, over `chalicelib.shared`:

    doors            the two doors
    build            the keeper, the rows, the roster; `posting.build` the writer and its sinks
"""
