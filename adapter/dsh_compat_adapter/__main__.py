"""`python -m dsh_compat_adapter`: the command line."""

import sys

from .cli import main

sys.exit(main())
