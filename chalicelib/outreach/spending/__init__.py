"""What language models cost: counted per message, conversation, project and day, and bounded.

token_counts    about how many tokens a text has; pure
model_catalogue the models that may write, what each costs and how it is asked; pure
unwritten       the error of a message that no model has written
asking          how a model is asked, and what is asked after an unusable answer; pure
message_time    the time in which one message is written
budget          a project's budgets of a day and of a conversation; pure
usage           the rows that count
providers       which provider's model writes for a project, if one does
models          the model of a conversation, with every call counted
"""
