"""The classifier's labelled samples: training, and how well it decides.

train       the linear model from the labelled samples; `python -m bench.intents.train`
train_sentences  the learned judge of sentences; `python -m bench.intents.train_sentences`
fitting     texts as a matrix, and fitted weights as rows
composing   sentences by chance from the grammars' rows, plain and harmful
sentence_evaluation  how well sentences are judged; an adversary
evaluation  decisions on samples that were not used, with bounds, and a peer
compare     the judges of sentences beside a peer; `python -m bench.intents.compare`
"""
