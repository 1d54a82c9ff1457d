"""What a recipient wishes of time and channel, and whether they ask who writes.

preference        a wish as a value: hours and days, channels; how it is kept; pure
lexicon           the words of the languages, from `wishes.toml`
wish_clauses      a message as clauses of known parts; pure
clock_words       hours in words as hours of a day; pure
wished            what the clauses of a message wish, or nothing; pure
confirming        whether a draft says that a wish is kept that is not; pure
question_words    the words of questions for a machine, from `machine_question.toml`
machine_question  whether a message asks if a machine or a person writes
"""
