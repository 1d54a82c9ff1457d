"""Python imports this at its start wherever this folder is on its path."""

import netguard

netguard.install()
