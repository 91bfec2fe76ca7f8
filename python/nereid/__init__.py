"""Nereid: Triton kernels on CPUs, GPUs and simulators, without Triton.

    import numpy, nereid
    add = nereid.load("kernels/vector_add.py")["add_kernel"]
    x = numpy.ones(1000, dtype=numpy.float32)
    out = numpy.empty_like(x)
    add[(1,)](x, x, out, x.size, BLOCK_SIZE=1024)

With Triton installed, nereid.activate("cpu") makes Triton's own kernels run here: see docs/PYTHON.md.
"""

from __future__ import annotations

import sys

from . import _lib
from ._args import Tensor as tensor
from ._args import TensorDescriptor, const, dtype, func
from ._bundle import Bundle, Variant, open_bundle
from ._device import Device, absent, devices, set_device
from ._device import open as device
from ._errors import (ArgumentError, BudgetError, CancelledError, CapturingError, ClosedError, CompileError,
                      CrashError, DeviceError, Diagnostic, FileError, ForkedError, InternalError, KernelFault,
                      NereidError, NoDeviceError, NoLLVMError, NotCompiledError, RefusedError)
from ._kernel import Code, Kernel, Module, load, load_code, parse, parse_ir

__all__ = [
    "ArgumentError", "BudgetError", "Bundle", "CancelledError", "CapturingError", "ClosedError", "Code",
    "CompileError", "CrashError", "Device", "DeviceError", "Diagnostic", "FileError", "ForkedError",
    "InternalError", "Kernel", "KernelFault", "Module", "NereidError", "NoDeviceError", "NoLLVMError",
    "NotCompiledError", "RefusedError", "TensorDescriptor", "absent", "activate", "cdiv", "const",
    "deactivate", "device", "devices", "dtype", "func", "load", "load_code", "open_bundle", "parse",
    "parse_ir", "set_device", "tensor", "version", "Variant",
]


def version() -> str:
    """Returns the release and build of the library."""
    return _lib.lib().nereid_version().decode()


def cdiv(x: int, y: int) -> int:
    """Returns x / y, rounded up."""
    return -(-x // y)


def activate(device: str = "", check: bool = False, deep: bool = False) -> None:
    """Makes Triton's kernels run on a device of Nereid's: "cpu", "interp", "sim:90", "cuda:0".

    check makes every launch check its accesses; interp and the simulators do anyway. deep reads the source of
    kernels without Triton's compiler, where they are functions of a file.
    """
    try:
        from .triton_backend import activate as f
    except ModuleNotFoundError as e:
        if e.name != "triton":
            raise
        raise ImportError("nereid: activate needs Triton, which is not installed: pip install triton==3.6.0; "
                          "nereid.load works without it") from None
    f(device, check, deep)


def deactivate() -> None:
    """Gives Triton's kernels back to Triton's own driver."""
    if "triton" in sys.modules:
        from .triton_backend import deactivate as f
        f()
