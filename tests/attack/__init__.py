"""Every public door under attack: hostile requests by kind, their memory, their calls to AWS.

    doors       the doors, what a valid request to each looks like, and its proof
    hostile     generated requests by kind: sizes, nesting, encodings, headers, methods, forgeries
    run         sends them to the functions as API Gateway would, and judges every answer
    persons     proofs of who acts that do not hold, at the desk and the register
    console     sessions, forms and roles that open no page of the console
    memory      the peak memory of the function under the worst body that each door takes
    stage       a stage on the local engine for the commands below

The tests try a few of each kind.  Everything, with a table::

    python -m tests.attack --per-door 2000
    python -m tests.attack.memory
"""
