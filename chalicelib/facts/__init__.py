"""Facts: calls, texts, e-mails and cases from Aloware and HubSpot, counted once each in Power BI.

In the order of an event:

    door             the two webhook routes: verify, parse, queue; how many jobs the answer says were kept
    aloware_webhook  Aloware: checks the credential, parses envelope and body into a job
    hubspot_webhook  HubSpot: checks signatures, parses batches and workflow records into jobs
    jobs             the models of the queue's jobs: one Aloware delivery, one HubSpot batch
    delivery_name    what the words in the name of an Aloware delivery say: part, direction, metric
    mapping          maps a job to its facts: rules, metric, zone, day, or why it does not count; pure
    keeper           the worker's handler `FactRecorder`: has a job mapped, the roster applied, the facts
                     stored; counts
    ledger           every fact once, in Quill's table: status, expiry, corrections; scans: posted, failed,
                     pending
    roster           the agents whose events count: none, a configured list, or read and cached
    ring_group       the members of Aloware's ring group, by one GET
    hubspot_owners   pages of HubSpot's owners, as agents; cached
    shifts           the agents' shifts from a company's CSV file
    posting/         the scheduled writer: posts stored facts to Power BI in batches

What these share:

    model            the types: metric, fact, status, agent, dimension, and the ports of roster and sink
    dataset          the dataset's tables, columns, measures; the rows of facts and dimensions, and their
                     digest; pure
    drift            reads a payload's values (ids, times, numbers, durations), and marks what was missing,
                     had another form or lost digits; hashes a value for a key
    keys             the formats of event keys, fact keys and action keys
    reasons          the codes and words of why a delivery does not count, or the writer does not post

What builds it, over `chalicelib.shared`:

    doors            the two doors, with their secrets
    build            the keeper, its ledger, the roster; `posting.build` the writer and its sinks
"""
