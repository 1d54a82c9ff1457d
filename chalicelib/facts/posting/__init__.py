"""Posts stored facts to Power BI in batches, by a single scheduled writer.

In the order of a run:

    scheduled   the schedule's handler
    writer      claims the lease, opens a batch, posts it, marks its facts as posted
    batch       the open batch as stored in the writer's row
    dimensions  inserts missing dimension keys before the facts that refer to them
    actions     the side effects: add rows, replace a table's rows
    powerbi     the sink: a Power BI push dataset
    ndjson      a second sink: an archive in S3 or a local folder
"""
