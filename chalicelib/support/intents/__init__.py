"""Intents: which intents a message has, by tables of English and Spanish phrases; pure.

In the order of a message:

    message      its own words, language and order number
    words        the phrases of each intent, as data
    phrases      finds every phrase of the tables in the words
    classify     scores the phrases found: primary intent, confidence, margin
    departments  the team and risk flag of each intent
"""
