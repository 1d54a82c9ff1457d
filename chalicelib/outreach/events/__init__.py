"""What happens: one module for each kind of event, with its plan, its end and its escalation.

flow           the flow of all kinds that concern one conversation's messages
start          plans a start: open the conversation, then hold it or have it written and sent
message        plans the answer to a recipient's message
approval       plans the message that an operator has approved
act            plans the sending of what a person wrote
step           plans a reminder or an end message whose time has come
drafting       shared by these: quiet hours, credentials, the draft
waiting        keeps a conversation's order while an event of it waits
handler        how events of one kind are planned, ended and escalated
handlers       the flow with the handler of each kind
held           what a rule holds for a person, written first
tool_result    what a tool gave back, or that it gave nothing in time
click          the company hears of a click on the link in an e-mail
lifted         the company hears that marks of a recipient were lifted
silence        the company hears that no person has decided a doubt in time
context        what a run knows of its event
receipt        the flow of delivery receipts: settles unknown sends, advances delivery
notice         the flow of e-mails to a company's desk
company_event  the flow of events that are posted to a company
"""
