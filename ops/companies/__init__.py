"""Companies, their keys, and the people they write to.

commands      `handoff list` and a command for each act of the desk; `company put`, `check`, `usage`,
              `key`, `signature-key`, `signature-check`, `events`, `resume-events`; `erase`
act_options   the options of an act's command
person_commands  `do-not-contact list`, `add`, `lift`, `import`, `export`; `person export`
register      the register of addresses that a company must not contact
register_file  a company's list, or an export of the register, as a file
subject_commands  `subject show`, `link`, `unlink`
subject_view  the addresses that a company takes for one person
person        exports everything that is kept of a person
handoff       conversations waiting for a person: list, show, act on one
company       a company's settings, the secrets they name, and its API keys
signing_keys  keys with which a company signs its requests, and what is wrong with a signature
model_names   whether the language models that a project and its stage name are known
endpoint_events  endpoints that fail or are paused: pause one, resume one and post what was kept
event_posts   requests to endpoints: list them, post an event again, post a test
event_secrets the secrets that sign a company's events
event_commands  `company attempts`, `resend-event`, `test-event`, `pause-events`, `event-secret`
writing       tries a project's writer: drafts and their checks, without sending
writing_commands  `writer try`, `writer check`
replay_commands  `writer replay`, `writer revisions`
replay_results  compares past answers with those of other settings
replay_moments  past messages that the machine answered, with what it knew then
replay_answers  answers one past message again under other settings
revisions     since when each revision of a project's settings holds
verdict_commands  `writer verdicts`, `put-verdicts`, `remove-verdict`, `stops`
verdict_lines  a project's verdict set as JSON lines
verdict_redaction  removes the person from an example taken from a conversation
verdict_gate  tries new settings on the verdict set before they are stored
false_stops  how often people sent what a rule had stopped
put_settings  stores settings that are valid and agree with the verdict set
writer_lines  reads drafts from JSON lines and judges each by the writer's checks
consent_lines  reads messages from JSON lines and classifies each: STOP, START, HELP, a doubt or none
consent_audit  which rules and which consent allowed each message of a company
consent_commands  `consent hears`, `consent audit`
missing_words  settings that a project lacks to say what a jurisdiction requires of openings
send_verdict  whether a company may write to somebody
may_send_commands  `may-i-send`
identities    the SES identities a stage may send as, and the senders not covered by them
senders       the map of senders: which company a number or address belongs to
people_commands  `company desk-proof`, `desk-token issue`, `list`, `revoke`
stored_secret a secret that two operators may change at once
api_keys      the Router's API keys: issue, revoke
company_figures  answers and their time, failures and opt-outs, by day and week
usage         what language models have cost
erase         removes a person from every table
erase_remarks removes reasons about the person from the journal
erase_again   repeats erasures after a backup was restored
erase_archive  removes the person from the archive of facts and its former versions
erase_reports  removes the person from OneLake and the dataset, and searches both
erase_places  the result of searching one place
erase_scan    searches every place afterwards, and says what stays, why and until when
erase_namesakes  attributes a name found alone to the conversation that holds it
erase_canaries  what a scan looks for: addresses in every spelling, ids, names, given words
erase_verdicts  examples of verdict sets that name the person
erase_subject  what stays of a person's subjects, such as a refusal
"""
