"""One measurement per module; those marked with * are commands, `python -m bench.measures.<name>`.

event_counts * calls, units and bytes of an event with its door, for bench and `ops cost`
worker         processor time of the worker, beside Powertools
powertools     the worker built on AWS Lambda Powertools
ingress        CPU time of the webhook, beside a bare Chalice route
cold           time and memory of a cold start
growth         cost of an event while the ledger grows
appends        cost of an append while a conversation grows
conversations * decisions on a stranger's conversations, and their time
throughput     events per second, beside the same requests alone
consumer *     one worker process of a throughput run
facts          writes and posts of 1,000 HubSpot events
fact_sinks *   minutes from event to report, and dollars of each sink
archive *      files, bytes and dollars of the facts' archive, before and after compaction
outreach *     cost of a start and of an append
replies *      cost of an automatic reply
intents *      quality of the message classification
judges *       bundle and start of a function, with the judges of sentences and without
composed *     drafts composed of cases: swapped values, agreed falsehoods, false dates
drafts *       hostile drafts that are stopped, and good ones
written_drafts * likewise, by an author who knew only the page
anonymous_month * what a stranger can make a stage cost in a month
prompts *      tokens and price of a message, and what kept prompts save
words *        recognition of STOP, START and HELP in fresh messages
masked *       identifiers that a writer's model sees, and what is hidden though it is needed
wishes *       wishes about time and channel that are kept, and "are you a bot?" that is heard
mail_clients * replies of mail programs that are cut right
console *      time of each page of the console over 100,000 events
inbox *        time of the inbox over many open hand-offs
reconcile *    vendor calls and memory of a sweep over many tickets
due_rows *     sweeps and time until 100,000 due events are queued again
routes *       modules that an event passes, and what a function loads for its first
replay *       a replay of many events, which must have no effect
reliability *  four designs at the same crash points
"""
