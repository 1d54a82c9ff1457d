"""Reads a stage and changes nothing.

automation        weekly figures of automatic answers, and what customers wrote next
commands          `explain`, `unfinished`, `refused`, `doctor`
explain/          what happened to anything that an operator can name, and why
ledger_rows       jobs rebuilt from ledger rows, one by one or by a paced scan
metrics           series of the stage's metrics, from CloudWatch
piles             counts of what waits, by harm
planned           the actions of a stored plan, and what running it again would do
refused_callers   who was answered 429 at the doors, and when
unfinished        lists accepted events that are not finished
whereabouts       where an event is now, since when, and what it waits for
doctor            a deployed stage checked against its declaration
doctor_account    its part for the account: executions at once, SES, the functions' Python
doctor_alarms     its part for alarms and their recipients
doctor_answers    its part for automatic answers
doctor_deployed   its part for settings, functions and address, as they are deployed
doctor_facts      its part for the facts and their report
doctor_onelake    its part for the landing zone in OneLake
doctor_lanes      its part for the lanes: what waits, for how long, with how many workers
doctor_richpanel  its part for Richpanel
doctor_stage      its part for queues, buckets, throttles and sender identities
doctor_twilio     its part for Twilio: where it posts messages, and who answers opt-outs
finding           the result of one check
vendor_secrets    asks vendors whether they accept a secret, stored or not yet stored
"""
