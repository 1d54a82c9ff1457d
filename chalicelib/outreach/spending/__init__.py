"""What language models cost: counted per message, conversation, project and day, and bounded.

prices   the price of a model's tokens; pure
budget   a project's budgets of a day and of a conversation; pure
usage    the rows that count
providers which provider's model writes for a project, if one does
models   the model of a conversation, with every call counted
"""
