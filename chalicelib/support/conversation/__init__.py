"""What was asked for in a conversation, who is in it, and whether a machine may speak; pure.

conversation_words  the words of requests, of withdrawals and of subjects, as data
clauses             what one message asks for, and what it takes back
dialogue            the state of a conversation, folded message by message, and as it is stored
utterances          a ticket's comments as the messages of a conversation
speaking            why a machine says nothing, and whether a person has the ticket
"""
