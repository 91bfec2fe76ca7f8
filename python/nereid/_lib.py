"""The C library libnereid.so, opened when it is first needed.

`import nereid` alone opens nothing, so a process may fork after it. The library itself does not survive a
fork: its threads stay with the parent, and calls in the child raise ForkedError.
"""

from __future__ import annotations

import ctypes
import os
import threading
from ctypes import POINTER, c_bool, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p
from pathlib import Path

ABI = 1
NAME = "libnereid.so.1"


class Grid(ctypes.Structure):
    """nereid_grid."""

    _fields_ = [("x", c_uint32), ("y", c_uint32), ("z", c_uint32), ("reserved", c_uint32),
                ("fn", c_void_p), ("user", c_void_p)]


class Options(ctypes.Structure):
    """nereid_options."""

    _fields_ = [("size", c_uint32), ("flags", c_uint32), ("num_warps", c_int), ("num_stages", c_int),
                ("num_ctas", c_int), ("maxnreg", c_int), ("extra", c_char_p), ("extern_libs", c_char_p)]


class Descriptor(ctypes.Structure):
    """nereid_descriptor; base is a nereid_arg, 32 bytes."""

    _fields_ = [("base", ctypes.c_uint8 * 32), ("ndim", c_uint32), ("nan", c_uint32),
                ("shape", c_void_p), ("strides", c_void_p), ("block", c_void_p)]


class Diagnostic(ctypes.Structure):
    """nereid_diagnostic."""

    _fields_ = [(n, c_char_p) for n in ("severity", "code", "message", "hint", "file")] + [
        (n, c_int) for n in ("line", "column", "end_line", "end_column")]


GRID_FN = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(c_uint32))
DEVICE_FN = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_char_p, c_char_p)
PROGRESS_FN = ctypes.CFUNCTYPE(None, c_void_p, c_size_t, c_size_t, c_void_p, c_char_p)

_H, _OUT, _ERR, _S = c_void_p, POINTER(c_void_p), POINTER(c_void_p), c_char_p
# Functions by result; the parameters of a function that returns a status end with the address of an error.
_STATUS = {
    "device_open": (_S, _OUT), "device_list": (DEVICE_FN, _H),
    "stream_new": (_H, _OUT), "stream_sync": (_H,),
    "config_new": (c_bool, _OUT), "config_set": (_H, _S, _S),
    "module_load": (_S, _H, _OUT), "module_parse": (_S, _S, c_size_t, _H, _OUT),
    "module_ir": (_S, _S, c_size_t, _H, _OUT), "module_kernel": (_H, _S, _OUT),
    "module_warmup": (_H, _H, _S, PROGRESS_FN, _H),
    "kernel_signature": (_H, _H, c_size_t, _OUT), "kernel_build": (_H, _H, _S, _H),
    "launch_on": (_H, _H, _H, Grid, _H, c_size_t, _H),
    "compile": (_H, _S, _S, _H, _S, _OUT), "code_info": (_H, _OUT),
    "code_save": (_H, _OUT, POINTER(c_size_t)), "code_load": (_H, _H, c_size_t, _OUT),
    "code_launch": (_H, _H, Grid, _H, c_size_t), "bundle_open": (_S, _OUT), "bundle_code": (_H, _S, _H, _OUT),
    "certify_prepare": (c_int, _H, c_size_t),
    "certify_compare": (c_int, _H, _H, _H, c_size_t, POINTER(c_size_t), _OUT),
}
_OTHERS = {
    "abi": (c_int, ()), "version": (c_char_p, ()), "free": (None, (_H,)),
    "error_status": (c_int, (_H,)), "error_text": (c_char_p, (_H,)), "error_file": (c_char_p, (_H,)),
    "error_line": (c_int, (_H,)), "error_column": (c_int, (_H,)), "error_kernel": (c_char_p, (_H,)),
    "error_param": (c_char_p, (_H,)), "error_diagnostics": (c_size_t, (_H,)),
    "error_diagnostic": (c_bool, (_H, c_size_t, POINTER(Diagnostic))), "error_free": (None, (_H,)),
    "dtype_of": (c_int, (_S,)), "dtype_name": (c_char_p, (c_int,)), "dtype_size": (c_size_t, (c_int,)),
    "meta_int": (c_bool, (_H, _S, POINTER(c_int64))),
    "device_name": (_H, (_H,)), "device_info": (_H, (_H,)), "device_stages": (_H, (_H,)),
    "device_target": (_H, (_H,)), "device_close": (None, (_H,)),
    "stream_close": (None, (_H,)), "config_close": (None, (_H,)),
    "module_kernels": (_H, (_H,)), "module_close": (None, (_H,)),
    "kernel_params": (c_size_t, (_H,)), "kernel_param": (c_char_p, (_H, c_size_t, POINTER(c_uint32))),
    "kernel_close": (None, (_H,)),
    "launch_call": (_H, (c_char_p,)), "bundle_variants": (_H, (_H,)), "bundle_close": (None, (_H,)),
    "code_stages": (_H, (_H,)), "code_stage": (_H, (_H, _S, POINTER(c_size_t))), "code_close": (None, (_H,)),
}

_lock = threading.Lock()
_opened: ctypes.CDLL | None = None


def path() -> str:
    """Returns the file of the library: $NEREID_LIBRARY, or the one that the wheel carries."""
    return os.environ.get("NEREID_LIBRARY") or str(Path(__file__).parent / NAME)


def lib() -> ctypes.CDLL:
    """Returns the library, which it opens at the first call."""
    if _opened is not None:
        return _opened
    with _lock:
        return _opened if _opened is not None else _open()


def _open() -> ctypes.CDLL:
    global _opened
    file = path()
    try:
        found = ctypes.CDLL(file)
    except OSError as e:
        raise ImportError(f"nereid: the library {file} cannot be opened: {e}; install the wheel, or set "
                          "NEREID_LIBRARY to a libnereid.so that `make capi` built") from e
    for name, params in _STATUS.items():
        f = getattr(found, "nereid_" + name)
        f.restype, f.argtypes = c_int, (*params, _ERR)
    for name, (result, params) in _OTHERS.items():
        f = getattr(found, "nereid_" + name)
        f.restype, f.argtypes = result, params
    if found.nereid_abi() != ABI:
        raise ImportError(f"nereid: {file} has version {found.nereid_abi()} of the interface: expected {ABI}")
    _opened = found
    return found


def call(name: str, *args) -> None:
    """Calls a function that returns a status, and raises its error."""
    err = c_void_p()
    if getattr(lib(), "nereid_" + name)(*args, ctypes.byref(err)):
        from ._errors import take as error
        __tracebackhide__ = True  # for pytest: the launch is of interest
        raise error(err)


def make(name: str, *args) -> int:
    """Calls a function that makes an object through its last parameter, and returns the handle."""
    out = c_void_p()
    call(name, *args, ctypes.byref(out))
    return out.value or 0


def text(name: str, *args) -> str:
    """Calls a function that returns a text, which it frees."""
    l = lib()
    p = getattr(l, "nereid_" + name)(*args)
    return take(p)


def take(p: int | None) -> str:
    """Returns the text at an address, and frees it."""
    if not p:
        return ""
    try:
        return ctypes.string_at(p).decode("utf-8", "replace")
    finally:
        lib().nereid_free(p)


class Handle:
    """An object of the library, closed with its last reference."""

    _close = ""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self._pid = os.getpid()

    def __del__(self) -> None:
        handle, self.handle = getattr(self, "handle", 0), 0
        if handle and _opened is not None and self._pid == os.getpid():
            getattr(_opened, "nereid_" + self._close)(handle)


