"""The operator's command line, and what a stage is made of; never deployed.

    __main__      `python -m ops ...`
    cli           the commands, what they print, their exit codes
    outreach_commands  the same for hand-offs and companies
    options       the options that several commands share
    session       a stage: its settings, its services, its AWS clients
    output        tables for people, JSON for programs, progress on long work
    explain       what became of a conversation, an event or an action, and why
    dead_letters  the dead-letter queue: list, show, redrive
    replay        events again under the same keys; a single action again under a new one
    settle        what became of an action whose outcome is not known
    switch        the four switches
    erase         a person, out of every table
    handoff       what waits for a person: list, show, approve, take over
    company       a company's settings, the secrets they name, its API keys
    company_item  what a `company-data` item must be
    facts         the dataset: create, seed, pending, explain, rebuild
    doctor        a deployed stage against its declaration
    provision     tables, queues and switches as `.chalice/resources.json` declares them
    watching      log groups, alarms and dashboard as that file declares them
    chalice_deploy  what `chalice deploy` needs: run by `app` under that command
    template      the part of CloudFormation that file is written in
    stages        the environment of a stage, from `.chalice/config.json`

Exit codes: 0 done; 1 the answer is no (not found, refused, a check failed); 2 wrong usage, or the
stage cannot be reached.
"""
