"""Support, as an operator sets it up and watches it.

settings_file         the settings document in a file: read, checked, published
settings_checks       dangerous rows of a document, and assignees that Richpanel does not have
rendered_texts        every template in every language on sample orders
shadow_report         what automation would have done, or has done, and what people did then
printed               the report as people read it
decided               the decisions of a period, from the ledger
tickets_now           what people have done since with the tickets, from Richpanel
bounds                shares with their 95 % bounds
decide_lines          conversations in a file of JSON lines, checked
decide                what the worker would decide about one, by the same judge
given_shop            a shop made of a line's orders
decide_command        `support decide`
shadow_outcomes       harm and gain of what would have been answered, by department and intent
labels                what persons say of a decision made in shadow
rendered_again        its reply, from ticket and shop as they are now
decision_commands     `support decision` and `support label`
commands              `support-settings`, `support-tags` and `shadow-report`
"""
