"""`python -m ops.facts`."""

import sys

from ops.facts.commands import main

sys.exit(main())
