"""What language models cost: counted per message, conversation, project and day, and bounded.

token_counts    estimates how many tokens a text has; pure
model_catalogue the models that may write: prices, highest cost, options of a request; their setting; pure
unwritten       `UnwrittenError`: no model could write a message
asking          the requests for one message: less reasoning, then the fallback model; pure
message_time    the time limit for writing one message, by thread
budget_limits   the limits (soft, hard) of a project's budget per day and per conversation; pure
cost_rows       `Spending`: rows that reserve budget, release it, count each call, and sum a day's costs
providers       the stage's models at each provider (`ModelPair`), and which provider writes for a project
counted_models  the model that writes for a conversation: each call within budget and share, and counted
"""
