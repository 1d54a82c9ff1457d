"""Hearing: finds the conversation that a message belongs to, and recognises machines.

matching       matches a recipient's message with its conversation: by token, reference, or who awaits
ownership      whether a message or a receipt may touch a conversation: owner and signing account
loops          recognises machines by words, repetitions and pace; pure
lost_replies   makes a reply's lost job again from its ledger row: fetches the text from Twilio where none
               is stored
lost_texts     reads Twilio's list of received texts of each company number, from a stored position on, and
               queues those that the ledger lacks
"""
