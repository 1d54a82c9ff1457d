"""Intents: which intents a message has, by tables of English and Spanish phrases; pure.

In the order of a message:

    own_words        the message's own words, ages and numbers marked, and its order number
    spelling         corrects a misspelt word to a listed one, never a word in `real_words.toml`
    language         the message's language: `language.toml`
    words            reads the phrases of each intent: `words.toml`
    risks            reads the phrases of grave matters: `risks.toml`
    harmless         hides harmless phrases and titles that look grave: `harmless.toml`
    phrases          finds phrases in the words, by a prefix tree
    classify         scores the phrases found: primary intent, confidence, margin
    linear_model     loads the linear model of intents, `linear.bin`
    combined         agreement of tables and linear model: which team, whether to escalate
    grammar          the closed grammar of plain sentences, slots as graphs: `grammar_english.toml`,
                     `grammar_spanish.toml`, words of it in `grammar_words.toml`
    sentence_words   splits a message into paragraphs, sentences and tokens; what a token may be read as
    sentence_model   the likeliest kind of a sentence by a linear model, `sentences.bin`
    sentences        each sentence's kind by grammar and model; whether one asks what no order answers
    message_reading  all of this for one message: intents, grave matters, complaint, share understood
    departments      tables: the team and risk flag of each intent, and the team of each risk
"""
