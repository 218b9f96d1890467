"""Coded errors: the family is the class, the code is `.code`, the text is what the program prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from ._solution import Solution


class PercussionError(Exception):
    """Something Percussion refused or could not do; `percussion.explain(error.code)` says more.

    Attributes
    ----------
    code : such as ``"E120"``: E1xx input, E2xx numerical failure, E3xx files
    message, help : the fact and the remedy
    field : the key it concerns, dotted as in a scenario: ``model.contact[2].restitution``
    file, line, column : where it stands in a file
    t, step : time [s] and number of a step that could not be made
    solution : the steps before a failure, if there were any
    """

    def __init__(
        self,
        text: str,
        code: str = "",
        message: str = "",
        help: str = "",
        field: str = "",
        file: Optional[str] = None,
        line: Optional[int] = None,
        column: Optional[int] = None,
        t: Optional[float] = None,
        step: Optional[int] = None,
    ) -> None:
        super().__init__(text)
        self.code = code
        self.message = message
        self.help = help
        self.field = field
        self.file = file
        self.line = line
        self.column = column
        self.t = t
        self.step = step
        self.solution: Optional[Solution] = None

    def __reduce__(self) -> Any:
        values = (self.code, self.message, self.help, self.field, self.file, self.line, self.column, self.t, self.step)
        return (type(self), (str(self), *values), {"solution": self.solution})


class InputError(PercussionError, ValueError):
    """Input that cannot be accepted (E1xx)."""


class NumericalError(PercussionError, ArithmeticError):
    """A step or a contact problem that could not be solved (E2xx); the steps before it are in `.solution`."""


class CallbackError(NumericalError):
    """A function of a user-written model raised (E206); its exception is `.__cause__`."""


class FileError(PercussionError, OSError):
    """A folder or file that cannot be written, or a run folder that does not fit (E3xx)."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


def make(code: str, text: str, **fields: Any) -> PercussionError:
    """The exception of a code."""
    if code == "E206":
        kind: type[PercussionError] = CallbackError
    else:
        kind = {"2": NumericalError, "3": FileError}.get(code[1:2], InputError)
    return kind(text, code, **fields)
