"""What a recipient wishes about time and channel, and whether they ask who writes.

preference        the hours, days, zones and channels that a recipient wants, and how they are stored; pure
lexicon           tokens, and the words of each language for times and channels, from `wishes.toml`
wish_clauses      splits a message into sentences and clauses of known words and times; pure
clock_words       makes minutes of the day of "before 9" or "between 9 and 5"; merges such windows; pure
wished            the wish that a message's clauses state together, or None; hours and channels in a clause
confirming        whether a draft promises a time or a channel that is not stored as a wish; pure
question_words    words, also misspelt, to ask if a machine writes: patterns of `machine_question.toml`
machine_question  whether a message asks if a machine or a person writes, by where those words are
"""
