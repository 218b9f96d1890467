"""`python -m percussion` is the program."""

import sys

from ._command_line import main

sys.exit(main())
