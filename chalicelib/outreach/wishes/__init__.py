"""What a recipient wishes about time and channel, and whether they ask who writes.

preference        hours, days and channels that a recipient wants, and how they are stored; pure
lexicon           the words of the languages, from `wishes.toml`
wish_clauses      splits a message into clauses of known words; pure
clock_words       makes minutes of the day of "before 9" or "between 9 and 5"; pure
wished            the wish of a message, or None; pure
confirming        whether a draft promises a time or a channel that is not stored as a wish; pure
question_words    the words of questions for a machine, from `machine_question.toml`
machine_question  whether a message asks if a machine or a person writes
"""
