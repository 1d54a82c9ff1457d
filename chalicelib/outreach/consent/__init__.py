"""Refusals to be contacted (STOP), and how a recipient takes them back (START).

contact_words  recognises STOP, START and HELP in recipients' messages; a wish for another time or channel
               is no STOP; pure
keywords       whole messages that are a keyword, with courtesies and typing errors; a message made bare for
               comparison, its abbreviations written out; pure
folding        bare words: a text without accents, shapes of letters, punctuation, invisible signs; pure
wordings       the rows of `wordings.toml` as patterns for `contact_words`
compiled       packs those patterns into `wordings.bin`, and reads it; compiling takes half a second
contact_purpose  what a company contacts somebody for: marketing, service, transactional
consents       a recipient's consent, as a value
unwanted       a small linear model that suspects a STOP in wordings that no table lists
unsubscribe    the routes of the link in an e-mail: checks its token, answers its page and its click
preference_form  the wishes on the link's page: their sentences, their HTML form, a posted form; pure
preference_page  the HTML of the link's page: sentences and buttons by the recipient's permission
quoted_footer  removes our own footer from a reply that quotes it; pure
"""
