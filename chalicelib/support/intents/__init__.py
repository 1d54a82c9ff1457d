"""Intents: which intents a message has, by tables of English and Spanish phrases; pure.

In the order of a message:

    own_words        its own words and order number
    spelling         corrects a misspelt word to a listed one, never a word in `real_words.toml`
    language         its language
    words            the phrases of each intent: `words.toml`
    risks            the phrases of grave matters: `risks.toml`
    harmless         hides what looks grave and is not: `harmless.toml`
    phrases          finds every phrase of the tables in the words
    classify         scores the phrases found: primary intent, confidence, margin
    linear_model     the linear model beside the tables; `linear.bin` holds its weights
    combined         tables and linear model together
    grammar          the closed grammar of plain sentences: `grammar_english.toml`, `grammar_spanish.toml`,
                     words of it in `grammar_words.toml`
    sentence_words   the message's sentences, and what their words may be read as
    sentence_model   the learned judge of sentences; `sentences.bin` holds its weights
    sentences        the kind of each sentence on which grammar and learned judge agree
    message_reading  all of this for one message
    departments      the team and risk flag of each intent, and the team of each risk
"""
