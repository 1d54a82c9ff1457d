"""Who has written, and to which conversation it belongs.

matching       which conversation a recipient's message belongs to
ownership      whether a message or a receipt may touch a conversation
loops          whether a machine answers us; pure
lost_replies   reconciliation: fetches a reply again that its worker had not stored
lost_texts     reconciliation: finds texts that Twilio received and no door has kept
"""
