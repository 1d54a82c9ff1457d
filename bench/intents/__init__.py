"""Trains the classifier of support messages, and measures its decisions on labelled samples.

train       trains the linear model of intents; `python -m bench.intents.train`
train_sentences  trains the learned judge of sentences; `python -m bench.intents.train_sentences`
fitting     turns texts into a matrix, and fitted weights into rows of a model's file
composing   composes random sentences from the grammars' rows, plain and harmful
sentence_evaluation  how well sentences are judged, among them an adversary's
evaluation  decisions on samples that were not trained with, with bounds, and a peer model
compare     the judges of sentences compared with a peer model; `python -m bench.intents.compare`
"""
