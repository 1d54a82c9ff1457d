"""What happens: one module for each kind of event, with its plan, its conclusion and its escalation.

flow           the flow of all kinds about one conversation: sets context and hand-off id, asks the handler to
               plan, conclude or escalate
start          a start: opens the conversation, then it is held or written and sent
message        a recipient's message: stored with its note, opt-outs applied and reported to the company,
               answered or left to a person
approval       an approved or given-back conversation: back to automation, the held message is sent
act            a person's act: the reply that they drafted is sent, and the company informed
step           a reminder or an end message that is due
drafting       has an opening or an answer composed within its budget, and plans its sending with a
               hand-off, tool call or STOP confirmation; a permanent error fails the conversation
waiting        makes an event wait: its order in the conversation, its planned time, quiet hours, rules of a
               place
handler        the base of the handlers: concludes a plan's results, escalates
handlers       makes the flow with the handler of each kind
held           has a message written that a person must approve, and hands it over; the approved draft
tool_result    a tool's result or its absence: closes the call, answers or hands over
click          informs the company of a click on the unsubscribe link in an e-mail
lifted         informs the company that marks of a recipient were lifted
silence        schedules a doubt's end, and informs the company that no person decided it in time
context        the subject of a run's event: job, key, record, draft, match
receipt        the flow of delivery receipts: settles unknown sends, advances delivery
notice         the flow of e-mails to a company's desk while a hand-off waits
company_event  the flow of events that are posted to a company, by number; makes their lost jobs again
"""
