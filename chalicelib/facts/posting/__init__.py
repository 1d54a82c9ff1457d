"""Posts stored facts to every sink in batches, by a single scheduled writer.

In the order of a run:

    scheduled   the schedule's handler
    writer      claims the lease, opens a batch, posts it, marks its facts as posted
    batch       the open batch as stored in the writer's row: its facts, sinks and digests
    dimensions  inserts missing dimension keys before the facts that refer to them
    effects     the kinds of side effects: add rows, replace a table's rows
    entra       tokens of a Microsoft Entra application

The sink that is always there, an archive of files:

    ndjson      in S3 or a local folder
    parts       a folder of the archive (a day or dimension), its parts, and what is current in them
    compaction  once an hour: several parts become one

The sink of a Power BI push dataset, the only one that may refuse a row:

    powerbi     creates a dataset, adds rows, clears a table

The sink of a Fabric mirrored database, through its landing zone in OneLake:

    onelake           publishes each batch as a file of the landing zone, once and in order
    file_assignments  in the facts' table: the number of the file that a batch was assigned to, and what was
                      tried under it
    mirrored_tables   the tables' keys, metadata and files; pure
    landing_zone      folders and files over HTTP

Whether the sinks have what the ledger says they have:

    dataset_reader  a dataset's tables, columns and facts by day
    comparison      facts by day in the ledger, the archive and the dataset, compared
    nightly         the night's work: changed names and shifts, then the comparison

What builds it, over `chalicelib.shared`: `build`.
"""
