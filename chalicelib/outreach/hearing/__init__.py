"""Hearing: finds the conversation that a message belongs to, and recognises machines.

matching       matches a recipient's message with its conversation: by token, reference, or who awaits
ownership      whether a message or a receipt may touch a conversation: owner and signing account
loops          recognises machines by words, repetitions and pace; pure
lost_replies   rebuilds the job of a reply whose worker died before it stored the text
lost_texts     reconciles Twilio's lists of received texts with the ledger, by inbox and position
"""
