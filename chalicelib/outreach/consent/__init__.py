"""The wish not to be contacted, and its end.

words          STOP, START and HELP in the words of recipients; pure
folding        a text in the one shape in which texts are compared
wordings       the rows of `wordings.toml` as patterns for `words`
unwanted       a small model that suspects a wish which no table lists
unsubscribe    one-click unsubscribe: the link in an e-mail, and the page behind it
"""
