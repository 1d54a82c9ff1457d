"""The wish not to be contacted, and its end.

words          STOP, START and HELP in the words of recipients; pure
wordings       tables of whole sentences for `words`
unwanted       a small model that suspects a wish which no table lists
unsubscribe    one-click unsubscribe: the link in an e-mail, and the page behind it
"""
