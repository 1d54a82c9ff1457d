"""The classifier's labelled samples: training, and how well it decides.

train       the linear model from the labelled samples; `python -m bench.intents.train`
evaluation  decisions on samples that were not used, with bounds, and a peer
"""
