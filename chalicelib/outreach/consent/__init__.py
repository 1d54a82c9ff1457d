"""Refusals to be contacted (STOP), and how a recipient takes them back (START).

words          recognises STOP, START and HELP in recipients' messages; pure
keywords       messages that consist of one keyword, and its normal form; pure
folding        the normal form in which texts are compared; pure
wordings       the rows of `wordings.toml` as patterns for `words`
compiled       those patterns precompiled in a file, as compiling them takes half a second
contact_purpose  what a company contacts somebody for: marketing, service, transactional
consents       a recipient's consent, as a value
unwanted       a small model that suspects a STOP in wordings that no table lists
unsubscribe    the link in an e-mail: one-click unsubscribe, and the preference page
preference_form  the page's sentences and form about times and channels; pure
preference_page  the page itself: whether messages are allowed, and its buttons; pure
quoted_footer  removes our own footer from a reply that quotes it; pure
"""
