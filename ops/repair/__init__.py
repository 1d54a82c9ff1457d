"""Repairs what failed or has an unknown outcome.

commands              `replay`, `resend`, `settle`, `reconcile`, `restore`, `journal`, `wrong-answer`
preview               predicts what a replay, a redrive or a resend would do
replay                events again under the same keys; one action again under a new key
restore               a ledger brought back from a backup: shadow, remember, reconcile, release
wrong_answer          records a person's verdict that an answer was wrong
settle                actions with an unknown outcome, settled by the vendor or by the operator
dead_letter_commands  `dlq list`, `show`, `redrive`, `drop`, `mail`
dead_letters          the dead-letter queues: read, redrive, delete
mail_failures         mail events that their Lambda function failed on, processed again
"""
