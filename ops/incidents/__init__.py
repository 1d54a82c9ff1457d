"""What holds events up, by cause: an operator hears of a cause once, and mends it by one act.

commands    `incidents list`, `show`, `acknowledge`, `mend` and `stop`
affected    what one incident holds up, and what a mend would do about it, effect by effect
mend        puts it on the queue again at a rate; can be stopped, and goes on where it ended
naming      an incident as a person types it, and as it is shown
"""
