"""The wish not to be contacted, and its end.

words          STOP, START and HELP in the words of recipients; pure
keywords       whole messages that are a keyword, and the shape in which they are compared; pure
folding        a text in the one shape in which texts are compared
wordings       the rows of `wordings.toml` as patterns for `words`
compiled       those patterns from a file, as compiling them takes half a second
contact_purpose  what a company contacts somebody for: marketing, service, transactional
consents       a recipient's consent, as a value
unwanted       a small model that suspects a wish which no table lists
unsubscribe    the link in an e-mail: one-click unsubscribe, and the person's own page
preference_form  what that page says of time and channel, and the form that changes it; pure
preference_page  that page: what holds, and one button; pure
quoted_footer  takes our own footer out of a reply; pure
"""
