"""The checks of a draft's text, in code; pure.

instructing       whether the recipient's message instructs the machine, also hidden in base64; whether it
                  may cause a function's call
contact_details   finds links, e-mail addresses and phone numbers, also disguised; allow-lists
claims            statements (promise, act, order) that neither a source nor another sentence gives: `statements.toml`
human_claims      whether a text claims that a human being writes: `speakers.toml`
written_language  the language and script of a text, by its common words: `written_language.toml`
wording           leaked instructions, placeholders and markup, forbidden topics
segments          how many SMS a text is sent as
text              folded letters, sentences, clauses, stems and numbers of a text
"""
