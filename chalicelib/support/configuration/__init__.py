"""What an operator may change of support without a release: a versioned document per stage.

document    the document's schema and checks: shop, delivery, answers, templates, departments, phrases
applied     one version as flows read it: departments, tags, assignees, texts, calendar; else built-in
dangers     what a valid document says and its author most likely does not mean; phrases are tried on
            `neutral_messages.toml`
versions    the stored versions in table A, which never change, and which of them is current
cached      the current version as the functions read it: cached, and the last good one if one is bad
"""
