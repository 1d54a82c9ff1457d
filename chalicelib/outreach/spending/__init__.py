"""What language models cost: counted per message, conversation, project and day, and bounded.

token_counts    estimates how many tokens a text has; pure
model_catalogue the models that may write, their prices and request options; pure
unwritten       the error of a message that no model could write
asking          the requests for one message, and the further ones after an unusable answer; pure
message_time    the time limit for writing one message
budget          a project's budgets per day and per conversation; pure
usage           the rows that count calls and costs
providers       which provider's model writes for a project, if any does
models          the model of a conversation, with every call counted
"""
