"""Companies, their keys, and the people they write to.

commands      `handoff list` and a command for each act of the desk; `company put`, `check`, `usage`,
              `key`, `signature-key`, `signature-check`, `events`, `resume-events`; `erase`
act_options   the options of an act's command
person_commands  `do-not-contact list`, `add`, `lift`, `import`, `export`; `person export`
register      the register of addresses that a company must not contact
register_file  a company's list, or an export of the register, as a file
subject_commands  `subject show`, `link`, `unlink`
subject_view  which addresses a company takes for one person
person        gives a person everything that is kept of them
handoff       conversations waiting for a person: list, show, do an act
company       a company's settings, the secrets they name, and its API keys
signing_keys  keys with which a company signs its requests, and what is wrong with a signature
model_names   whether the language models that a project and its stage name are known
endpoint_events  endpoints that fail or are paused, and telling again what was kept
event_posts   requests to endpoints: the newest, one event posted again, a test
event_secrets the secrets that sign a company's events
event_commands  `company attempts`, `resend-event`, `test-event`, `pause-events`, `event-secret`
writing       tries a project's writer: drafts and their checks, without sending
writing_commands  `writer try`, `writer check`
replay_commands  `writer replay`, `writer revisions`
replay_results  a project's stored conversations under other settings
replay_moments  the messages that the machine answered, each as it was then
replay_answers  what writer and checks make of one under other settings
revisions     since when each revision of a project's settings holds
verdict_commands  `writer verdicts`, `put-verdicts`, `remove-verdict`, `stops`
verdict_lines  a project's verdict set as JSON lines
verdict_redaction  an example without the person whose conversation it came from
verdict_gate  what settings make of the verdict set before they are stored
false_stops  how often people sent what a rule had stopped
put_settings  stores settings that are valid and agree with the verdict set
writer_lines  drafts in a file of JSON lines, and what the checks make of each
consent_lines  messages in a file of JSON lines, and what each is heard as
consent_audit  which rules and which consent allowed each message of a company
consent_commands  `consent hears`, `consent audit`
missing_words  what openings must say by a place's rules, and no setting of a project has
send_verdict  whether a company may write to somebody
may_send_commands  `may-i-send`
identities    what a stage may send e-mails as, and the senders that this does not cover
senders       the map of senders: which company a number or address belongs to
people_commands  `company desk-proof`, `desk-token issue`, `list`, `revoke`
stored_secret a secret that two operators may change at once
api_keys      the Router's API keys: issue, revoke
company_figures  answers and their time, failures and opt-outs, by day and week
usage         what language models have cost
erase         removes a person from every table
erase_remarks words about them in the journal
erase_again   erases again whom a restored backup holds
erase_archive  removes them from the archive of facts, former versions of its objects included
erase_reports  and from OneLake and the dataset, which it asks afterwards
erase_places  what a place that was asked for them has answered
erase_scan    asks every place for them afterwards, and says what stays, why and until when
erase_namesakes  a name that is found alone, in a conversation of somebody else
erase_canaries  what is looked for: addresses in any writing, ids, names, given words
erase_verdicts  examples of verdict sets that name them
erase_subject  what is left of what they refuse
"""
