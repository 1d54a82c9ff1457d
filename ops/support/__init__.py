"""Support, as an operator sets it up and watches it.

settings_file         the settings document in a file: read, checked, published
settings_checks       dangerous rows of a document, and assignees that Richpanel does not have
rendered_texts        every template in every language on sample orders
shadow_report         reports what automation would have done, or did, and what agents then did
printed               the report as people read it
decided               the decisions of a period, from the ledger
tickets_now           reads back from Richpanel what agents did with the report's tickets
bounds                shares with their 95 % bounds
decide_lines          conversations in a file of JSON lines, checked
decide                decides about one as the worker would, by the same judge
given_shop            a shop made of a line's orders
decide_command        `support decide`
shadow_outcomes       harm and gain of what would have been answered, by department and intent
labels                people's labels on shadow decisions
rendered_again        renders such a decision's reply again, from the present ticket and shop
decision_commands     `support decision` and `support label`
commands              `support-settings`, `support-tags` and `shadow-report`
"""
