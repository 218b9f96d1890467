"""The program `percussion`, carried by the wheel."""

import sys

from ._core import command_line


def main() -> int:
    """Runs the program on this process's arguments."""
    return command_line(["percussion", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
