"""What language models cost: counted per message, conversation, project and day, and bounded.

token_counts    estimates how many tokens a text has; pure
model_catalogue the models that may write, their prices and options; checks a setting's name; pure
unwritten       `UnwrittenError`: no model could write a message
asking          the requests for one message: less reasoning, then the fallback model; pure
message_time    the time limit for writing one message, by thread
budget          a project's budgets per day and per conversation; pure
usage           reserves budget (soft and hard limit) and counts calls, tokens, costs: the rows
providers       the stage's models at each provider (`ModelPair`), and which provider writes for a project
models          the model of a conversation: each call within budget and share, and counted
"""
