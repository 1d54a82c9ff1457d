"""Operator commands for the fact pipeline: `python -m ops.facts`.

__main__  the entry point
commands  create, seed, pending, failed, retry, explain, rebuild
rebuild   clears a dataset and posts every stored fact and dimension key again
"""
