"""Who wrote a message, and to which conversation the message belongs.

matching       which conversation a recipient's message belongs to
ownership      whether a message or a receipt may touch a conversation
loops          whether a machine is answering us; pure
lost_replies   reconciliation: fetches a reply again whose worker died before it stored the text
lost_texts     reconciliation: finds texts that Twilio received and no door stored
"""
