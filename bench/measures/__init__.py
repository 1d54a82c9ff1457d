"""One measurement per module; those marked with * are commands, `python -m bench.measures.<name>`.

event_counts * calls, units and bytes of an event with its door, for bench and `ops cost`
worker         processor time of the worker, compared with Powertools
powertools     the same worker built on AWS Lambda Powertools
ingress        CPU time of the webhook, compared with a bare Chalice route
cold           time and memory of a cold start
growth         cost of an event while the ledger grows
appends        cost of an append while a conversation grows
conversations * decisions on conversations by authors who knew only the pages, and their time
throughput     events per second, compared with the same requests alone
consumer *     one worker process of a throughput run
facts          writes and posts of 1,000 HubSpot events
fact_sinks *   minutes from event to report, and dollars of each sink
archive *      files, bytes and dollars of the facts' archive, before and after compaction
outreach *     cost of a start and of an append
replies *      cost of an automatic reply
intents *      quality of the message classification
judges *       size and start of a function, with the judges of sentences and without
composed *     how many composed drafts are stopped: swapped values, agreed falsehoods, false dates
drafts *       how many hostile drafts are stopped, and how many good ones
written_drafts * the same for drafts by an author who knew only the page
anonymous_month * what requests without credentials can make a stage cost in a month
prompts *      tokens and price of a message, and what the vendor's prompt cache saves
words *        recognition of STOP, START and HELP in fresh messages
masked *       identifiers that a language model still sees, and values hidden although it needs them
wishes *       recognition of wishes about time and channel, and of "are you a bot?"
mail_clients * replies of mail programs whose quotation is cut exactly
console *      time of each page of the console over 100,000 events
inbox *        time of the inbox over many open hand-offs
reconcile *    vendor calls and memory of a sweep over many tickets
due_rows *     sweeps and time until 100,000 due events are queued again
routes *       modules that an event passes, and what a function loads for its first
replay *       a replay of many events, which must have no effect
reliability *  four designs at the same crash points
"""
