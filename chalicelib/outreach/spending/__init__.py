"""What language models cost: counted per message, conversation, project and day, and bounded.

prices   the price of a model's tokens; pure
budget   a project's budgets of a day and of a conversation; pure
usage    the rows that count
models   which provider writes for a project, and its model with every call counted
"""
