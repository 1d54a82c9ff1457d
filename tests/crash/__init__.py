"""The crash test on real processes: the real functions against the local engine, killed everywhere.

proxy       between the functions and everything they call; counts, kills, stops, breaks
nursery     the process that forks one process an invocation, with everything imported
product     the product's wiring, with a reply that cannot be repeated behind the tags
harness     one stage of its own a run: post, deliver, kill, redeliver, sweep, judge
runs        every boundary, every vendor fault, zombies, twins, held requests
__main__    python -m tests.crash
"""
