"""Errors of the library as exceptions."""

from __future__ import annotations

import ctypes
import linecache
from dataclasses import dataclass

from . import _frames, _lib


@dataclass(frozen=True)
class Diagnostic:
    """A message about a place in a kernel's file. Lines and columns count from 1; 0 means no place."""

    severity: str
    code: str
    message: str
    hint: str
    file: str
    line: int
    column: int
    end_line: int
    end_column: int


class NereidError(RuntimeError):
    """An error of the library. str() is the whole message: for a place in a kernel with its line and a
    caret."""

    def __init__(self, text: str = "", file: str = "", line: int = 0, column: int = 0, kernel: str = "",
                 param: str = "", diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(text)
        self.file, self.line, self.column = file, line, column
        self.kernel, self.param, self.diagnostics = kernel, param, diagnostics

    def __reduce__(self):
        return type(self), (self.args[0], self.file, self.line, self.column, self.kernel, self.param,
                            self.diagnostics)


class ArgumentError(NereidError, ValueError):
    """An argument that the kernel, or the call, cannot take."""


class ClosedError(NereidError):
    """An object that is closed."""


class FileError(NereidError, OSError):
    """A file that cannot be read or written."""


class CompileError(NereidError):
    """A kernel whose source is wrong; diagnostics has the places."""


class RefusedError(NereidError, NotImplementedError):
    """Code that is right, but that the compiler or the device declines. The message has a remedy."""


class BudgetError(NereidError):
    """A compilation that exceeded its budget."""


class KernelFault(NereidError):
    """An action of the kernel that ended the launch: an access out of bounds, a race, an assertion."""


class CrashError(NereidError):
    """An isolated launch whose process died."""


class NoDeviceError(NereidError):
    """A device that this machine does not have."""


class NoLLVMError(NereidError):
    """LLVM is needed to compile, and not installed."""


class NotCompiledError(NereidError):
    """Strict mode: the launch would have to compile or tune."""


class CapturingError(NereidError):
    """The stream is being captured, and the launch would have to compile or copy."""


class CancelledError(NereidError):
    """A launch that was cancelled."""


class DeviceError(NereidError):
    """A failure that the device or its driver reports."""


class ForkedError(NereidError):
    """The process is a fork of one that had opened the library."""


class InternalError(NereidError):
    """A bug of Nereid."""


# The exceptions by nereid_status.
_BY_STATUS = (NereidError, ArgumentError, ClosedError, FileError, CompileError, RefusedError, BudgetError,
              KernelFault, CrashError, NoDeviceError, NoLLVMError, NotCompiledError, CapturingError,
              CancelledError, DeviceError, ForkedError, InternalError)

for _kind in set(_BY_STATUS):
    _kind.__module__ = "nereid"  # the name that programs know, in tracebacks and reports of tests

_HINT_FORKED = (
    "; in Python: multiprocessing.set_start_method(\"spawn\"), or use nereid in the children alone "
    "(import is free: the library is opened by its first use)")


def _diagnostics(l: ctypes.CDLL, e: ctypes.c_void_p) -> tuple[Diagnostic, ...]:
    out, d = [], _lib.Diagnostic()
    for i in range(l.nereid_error_diagnostics(e)):
        if l.nereid_error_diagnostic(e, i, ctypes.byref(d)):
            values = (getattr(d, name) for name, _ in d._fields_)
            out.append(Diagnostic(*(v.decode("utf-8", "replace") if isinstance(v, bytes) else v or 0
                                    for v in values)))
    return tuple(out)


def with_line(e: NereidError) -> NereidError:
    """Returns the error of a kernel that the library knows as IR alone, with the line of its file and a
    caret."""
    text, head = str(e), f"{e.file}:{e.line}:{e.column}: "
    source = linecache.getline(e.file, e.line).rstrip() if e.file and e.line else ""
    if not source or head not in text or "^" in text:
        return e
    first, _, rest = text.partition("\n")
    caret = " " * (e.column - 1) + "^"
    e.args = (f"{first}\n    {source}\n    {caret}" + (f"\n{rest}" if rest else ""),)
    return e


def take(e: ctypes.c_void_p) -> NereidError:
    """Returns an error of the library as an exception, and frees it."""
    l = _lib.lib()

    def text(name: str) -> str:
        return (getattr(l, "nereid_error_" + name)(e) or b"").decode("utf-8", "replace")

    try:
        status = l.nereid_error_status(e)
        kind = _BY_STATUS[status] if 0 < status < len(_BY_STATUS) else NereidError
        message = text("text") + (_HINT_FORKED if kind is ForkedError else "")
        out = kind(message, text("file"), l.nereid_error_line(e), l.nereid_error_column(e), text("kernel"),
                   text("param"), _diagnostics(l, e))
        return out.with_traceback(_frames.traceback((out.file, out.line, out.column), message))
    finally:
        l.nereid_error_free(e)
