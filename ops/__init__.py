"""The operator's command line; not deployed.

    __main__     `python -m ops ...`
    cli          joins the packages' commands into one application
    command      the decorator of every command: options, questions, result
    completion   completes the command line in bash
    bug          reports an unexpected error: one line, and the traceback in a file
    running      runs a command and maps its errors to exit codes
    options      options that several commands share
    session      a stage: its settings, services and AWS clients
    journal      enters and reads people's acts
    first_run_end  whether a stage was ever completely set up
    seen         the evidence in a journal entry, in words
    roles        which of the stage's policies a command needs
    regions      refuses a region that AWS does not have
    identity     who runs a command: the caller's AWS identity
    json_lines   JSON lines that a command reads
    output       tables for people, JSON for programs, progress bars
    marks        makes hidden characters in text visible
    times        durations and times as an operator types them
    console_command  `console`: the pages of `console/` on this machine
    unreachable  why a stage cannot be reached, and what to set
    inspect/     read-only: explain, unfinished, doctor
    incidents/   incidents: what holds events up, by cause, and its mend
    repair/      replay, resend, settle, reconcile, dead-letter queue
    companies/   conversations waiting for a person, company settings, API keys, usage, erasure
    cost/        the table of prices, and what events, a stage and a company cost
    setup/       from an empty account to a stage that is ready for its first message
    stage/       a stage's resources: provision, switches
    support/     the settings document of support, its tags, its shadow report
    facts/       the Power BI dataset and its facts

Exit codes: 0 done; 1 not found, refused, not done, a check failed, or a bug (see `bug`); 2 wrong
usage, or the stage cannot be reached; 130 stopped by Ctrl-C.  With ``--json`` a command prints one
document, also where it is refused.
"""
