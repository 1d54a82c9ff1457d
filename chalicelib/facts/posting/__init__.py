"""Posts stored facts to every sink in batches, by a single scheduled writer.

In the order of a run:

    scheduled     the schedule's handler: writer, compaction and nightly in turn; without a sink, only
                  keeps facts from expiring
    writer        one run: claims the lease, opens a batch, posts and splits it, settles its facts
    writer_state  the writer's state as JSON: the open batch, the batches owed to sinks, a rebuild
    dimensions    inserts missing dimension keys before the facts that refer to them; clears and fills a
                  table whose rows have changed; notes in the facts' table which keys a sink has or is
                  being sent
    effects       the kinds of side effects: add rows, replace a table's rows
    entra         access tokens of a Microsoft Entra application

The sink that is always there, an archive of files:

    ndjson      lists, reads and writes gzipped NDJSON objects in S3 or a local folder; merges a partition
    parts       a partition of the archive (a day or dimension), its parts, and which rows are current; the
                row that says that a fact has moved to another day
    compaction  once an hour: has the partitions with several parts compacted

The sink of a Power BI push dataset, the only one that may refuse a row:

    powerbi     creates and finds a dataset, adds rows by POST, clears a table

The sink of a Fabric mirrored database, through its landing zone in OneLake:

    onelake           publishes each batch as a file of the landing zone, once and in order
    file_assignments  in the facts' table, for each table of OneLake: the last file number that was
                      assigned, its batch, and the digests of the files that may be published under it
    mirrored_tables   the tables' keys, metadata, and CSV files; pure
    landing_zone      folders and files by HTTP calls: create, append, flush, rename

Whether the sinks have what the ledger says they have:

    dataset_reader  a dataset's tables, columns, agents and facts by day, by DAX queries
    comparison      facts by day in the ledger, the archive and the dataset, compared
    nightly         claims the night, has the dimensions refreshed and the days compared, and reports
                    silent sources, drift and differences

What builds it, over `chalicelib.shared`: `build`.
"""
