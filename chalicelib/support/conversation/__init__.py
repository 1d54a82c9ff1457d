"""What a conversation has asked for so far, who is in it, and whether a machine may speak; pure.

conversation_words  the words of requests, of withdrawals and of subjects, as data
clauses             what one message asks for, and what it withdraws
dialogue            the state of a conversation, folded message by message, and as it is stored
utterances          a ticket's comments as the messages of a conversation
speaking            why a machine says nothing, and whose the ticket is
"""
