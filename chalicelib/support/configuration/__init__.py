"""What an operator may change of support without a release: a versioned document per stage.

document    the document: templates, delivery days, departments, phrases; its schema and checks
applied     one version of it as flows read it, over the built-in words
dangers     what a valid document says and its author most likely does not mean; phrases are tried on
            `neutral_messages.toml`
versions    the stored versions, which never change, and which of them is current
cached      the versions as the functions read them: cached, and the last good one if one is bad
"""
