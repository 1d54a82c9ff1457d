"""The classifier's labelled samples: training, and how well it decides.

train       the linear model from the labelled samples; `python -m bench.intents.train`
train_sentences  the learned judge of sentences; `python -m bench.intents.train_sentences`
composing   sentences by chance from the grammars' rows, plain and harmful
sentence_evaluation  how well sentences are judged; an adversary
evaluation  decisions on samples that were not used, with bounds, and a peer
"""
