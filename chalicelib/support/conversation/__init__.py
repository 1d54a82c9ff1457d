"""What was asked for in a conversation, who is in it, and whether a machine may speak; pure.

conversation_words  the phrases of requests, of withdrawals, of questions and of neutral subjects, as data
clauses             what one message and its subject ask for, and what they take back
dialogue            the state of a conversation, folded message by message: requests, speakers; as stored
utterances          a ticket's comments as the messages of a conversation
speaking            why a machine says nothing, and whether a person has the ticket
"""
