"""Launches: arguments of Triton's as the library takes them."""

from __future__ import annotations

import ctypes
import struct
from typing import Any, Callable

from .. import _args, _errors, _kernel, _lib

_FLOATS = ("fp", "bf", "f3", "f6")
_WORD = struct.Struct("=Q")
_DOUBLE = struct.Struct("=d")
_CALL = struct.Struct("=QQQQIIII")  # nereid_call
_MASK = 0xFFFFFFFFFFFFFFFF


def split(signature: str) -> list[str]:
    """Returns the types of a signature; those of descriptors have commas in brackets."""
    out, depth, start = [], 0, 0
    for i, c in enumerate(signature + ","):
        depth += (c in "<[") - (c in ">]")
        if c == "," and depth == 0:
            if part := signature[start:i].strip():
                out.append(part)
            start = i + 1
    return out


def _word(v: Any) -> int:
    return int(v) & _MASK


def _float_word(v: Any) -> int:
    return _WORD.unpack(_DOUBLE.pack(v))[0]


class Launcher:
    """Launches a compiled kernel. One is made for each, from its source's signature and its metadata."""

    def __init__(self, src: Any, metadata: Any) -> None:
        self.kinds = list(src.signature.values())
        self.device = metadata.device
        self.host = not self.device.startswith("cuda")
        self.whole = self.device != "cpu" or metadata.check

    def _flatten(self, kinds: Any, args: Any, out: list) -> None:
        """Adds the arguments that the code receives."""
        for kind, v in zip(kinds, args):
            if isinstance(kind, tuple):
                self._flatten(kind, v, out)
            elif kind != "constexpr":
                out.append((kind, v))

    def _pointer(self, v: Any, code: int, packer: _args.Packer) -> bytes:
        if v is None:
            return _args.ARG.pack(_args.PTR, code, 0, 0, 0, 0, 0)
        if type(v) is int:
            return _args.ARG.pack(_args.PTR, code, 0, 0, 0, v, 0)
        if not self.host and not getattr(v, "is_cpu", False):
            return _args.ARG.pack(_args.PTR, code, 0, 0, 0, v.data_ptr(), 0)
        m = _args.memory(v)
        if m is None:
            raise _errors.ArgumentError(
                f"nereid: a {type(v).__name__} is no tensor, which the kernel expects")
        if self.host and not m.device and self.whole:
            m.size = max(m.size, _rest(v))
        return packer.array(_args.Memory(code, m.address, m.size, m.device, m, m.fixed), 0)

    def pack(self, function: Any, args: Any) -> tuple[bytes, int, list]:
        """Returns the arguments of a launch, their number, and what must outlive it."""
        flat: list = []
        self._flatten(self.kinds, args, flat)
        types = function.types
        packer = _args.Packer(self.device)
        parts = []
        for (kind, v), (form, code) in zip(flat, types):
            if form == "*":
                parts.append(self._pointer(v, code, packer))
            elif form == "desc":
                parts.append(packer.descriptor(v, 0))
            else:
                word = _float_word(v) if form == "f" else _word(v)
                parts.append(_args.ARG.pack(_args.SCALAR, code, 0, 0, 0, word, 0))
        if len(flat) != len(types):
            raise _errors.ArgumentError(
                f"nereid: {function.program.kernel.name} takes {len(types)} arguments, "
                f"and its signature has {len(flat)}")
        if packer.fixed:
            kernel = function.program.kernel
            values = dict(zip(kernel.params, (v for _, v in flat)))
            _kernel.refuse_writes(kernel.name, values, kernel.stored(function.program.signature))
        return b"".join(parts), len(parts), packer.keep

    def __call__(self, x: int, y: int, z: int, stream: Any, function: Any, packed_metadata: Any,
                 launch_metadata: Any, enter: Callable | None, leave: Callable | None, *args: Any) -> None:
        __tracebackhide__ = True
        if enter is not None:
            enter(launch_metadata)
        if x > 0 and y > 0 and z > 0:
            try:
                packed, n, keep = self.pack(function, args)
            except _errors.ArgumentError as e:
                e.kernel = function.program.kernel.name
                raise
            function.launch(x, y, z, stream, packed, n)
        if leave is not None:
            leave(launch_metadata)


def _rest(v: Any) -> int:
    """Returns the bytes from a tensor's first element to the end of its storage: kernels may use them."""
    v = getattr(v, "base", v) if hasattr(getattr(v, "base", None), "untyped_storage") else v
    storage = getattr(v, "untyped_storage", None)
    if storage is None:
        return 0
    return storage().nbytes() - v.storage_offset() * v.element_size()


class Function:
    """A kernel that is loaded: what Triton calls the function of a CompiledKernel."""

    def __init__(self, program: Any) -> None:
        self.program = program
        self.types = [_form(t) for t in split(program.signature)]
        self.handle, self.device = program.kernel.handle, program.device.handle
        self.options = ctypes.addressof(program.options) if program.options else 0

    def launch(self, x: int, y: int, z: int, stream: Any, packed: bytes, n: int) -> None:
        """Launches with packed arguments."""
        call = _CALL.pack(self.handle, self.device, stream or 0, self.options, x, y, z, n)
        if err := _lib.lib().nereid_launch_call(call + packed):
            __tracebackhide__ = True  # for pytest: the launch is of interest
            raise expected(_errors.with_line(_errors.take(ctypes.c_void_p(err))))


_ASSERT = "error: assertion failed: "


def expected(e: _errors.NereidError) -> Exception:
    """Returns an error as programs written for Triton look for it: too much shared memory, a failed
    assertion."""
    if isinstance(e, _errors.KernelFault):
        e.args = (str(e).replace(_ASSERT, _ASSERT + "device-side assert: ", 1),)
    if not isinstance(e, _errors.RefusedError) or "shared memory" not in str(e):
        return e
    from triton.runtime.errors import OutOfResources
    return OutOfResources(0, 0, f"shared memory ({e})")


def _form(t: str) -> tuple[str, int]:
    """Returns how an argument of a type is packed, and its element type."""
    if t.startswith("tensordesc"):
        return "desc", 0
    if t.startswith("*"):
        inner = t.lstrip("*")
        return "*", _args.dtype_code("i64" if t.startswith("**") else inner)
    return "f" if t[:2] in _FLOATS else "i", _args.dtype_code(t)
