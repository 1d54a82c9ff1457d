"""`python -m ops`."""

import sys

STOPPED = 130
"""As `ops.running` has it, which is not imported yet when a person stops the imports."""

try:
    from ops.cli import main

    code = main()
except KeyboardInterrupt:
    sys.stderr.write("error: stopped; run it again\n")
    code = STOPPED
sys.exit(code)
