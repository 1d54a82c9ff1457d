"""The operator's command line, and what a stage is made of; never deployed.

    __main__      `python -m ops ...`
    cli           the command line put together, and what an error comes to
    looking_commands, mending_commands, dead_letter_commands, stage_commands, outreach_commands
                  the commands: their options, what they print, their exit codes
    options       the options that several commands share
    session       a stage: its settings, its services, its AWS clients
    unreachable   why a stage cannot be worked on, and what to set
    output        tables for people, JSON for programs, progress on long work
Looking
    explain       what became of a conversation, an event or an action, and why
    doctor        a deployed stage against its declaration; doctor_alarms, doctor_richpanel its parts
    finding       what a check found
Mending
    dead_letters  the dead-letter queue: list, show, redrive; mail_failures the mail not heard
    events        rows as jobs again, one by one or by a paced scan
    replay        events again under the same keys; a single action again under a new one
    settle        what became of an action whose outcome is not known
    switch        the four switches
    erase         a person, out of every table
Persons and companies
    handoff       what waits for a person: list, show, approve, take over
    company       a company's settings and the secrets they name; api_keys who may call for it
    company_item  what a `company-data` item must be
    facts         `python -m ops.facts`, the dataset: create, seed, rebuild; its facts: pending,
                  failed, retry, explain
A stage's resources
    provision     tables, queues and switches as `.chalice/resources.json` declares them
    watching      log groups, alarms and dashboard as that file declares them
    buckets       its buckets; mail how mail reaches it
    chalice_deploy  what `chalice deploy` needs: run by `app` under that command
    template      the part of CloudFormation that file is written in
    stages        the environment of a stage, from `.chalice/config.json`

Exit codes: 0 done; 1 the answer is no (not found, refused, a check failed); 2 wrong usage, or the
stage cannot be reached.
"""
