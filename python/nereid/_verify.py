"""Comparison of code with its source: Kernel.verify."""

from __future__ import annotations

import ctypes
from typing import Any, Mapping, Sequence

from . import _args, _device, _kernel, _lib
from ._errors import ArgumentError, KernelFault


class _Copy:
    """A copy of an array, which _args.memory reads as it reads tensors."""

    def __init__(self, dtype: int, data: bytes) -> None:
        self.dtype, self.size = dtype, len(data)
        self.buffer = ctypes.create_string_buffer(data, max(len(data), 1))

    @property
    def data(self) -> bytes:
        return ctypes.string_at(self.buffer, self.size)


def _of_copy(c: _Copy) -> _args.Memory:
    return _args.Memory(c.dtype, ctypes.addressof(c.buffer) if c.size else 0, c.size, keep=c)


_args._readers[_Copy] = _of_copy


def _prepared(v: Any, found: dict[int, _Copy]) -> Any:
    """Returns an argument with copies of its arrays, fit for launches in the ring; equal memory has one
    copy."""
    if isinstance(v, (int, float, str, _args.dtype, _args.func, _args.const)) or v is None:
        return v
    if isinstance(v, (tuple, list)):
        items = [_prepared(x, found) for x in v]
        return type(v)(*items) if hasattr(v, "_fields") else tuple(items)
    if hasattr(v, "block_shape") and hasattr(v, "base"):
        return _args.TensorDescriptor(_prepared(v.base, found), v.shape, v.strides, v.block_shape,
                                      getattr(v, "padding", "zero"))
    m = _args.memory(v)
    if m is None:
        return v
    if m.device:
        raise ArgumentError("nereid: verify takes arrays in host memory: move them with .cpu()")
    if m.address not in found:
        c = _Copy(m.dtype, ctypes.string_at(m.address, m.size) if m.size else b"")
        _lib.call("certify_prepare", c.dtype, c.buffer, c.size)
        found[m.address] = c
    return found[m.address]


def _compare(name: str, before: bytes, source: _Copy, code: _Copy, device: str) -> int:
    """Returns how many elements of an array the source changed to numbers."""
    changed, text = ctypes.c_size_t(), ctypes.c_void_p()
    _lib.call("certify_compare", source.dtype, before, source.data, code.data, len(before),
              ctypes.byref(changed), ctypes.byref(text))
    if differ := _lib.take(text.value):
        raise KernelFault(f"nereid: the code of {name} for {device} differs from its source: {differ}",
                          kernel=name)
    return changed.value


def verify(kernel: _kernel.Kernel, grid: Any, args: Sequence[Any], device: _device.Device,
           kwargs: Mapping[str, Any]) -> int:
    """Kernel.verify."""
    runs: list[dict[int, _Copy]] = []
    before: list[bytes] = []
    for on in (_device.open("interp"), device):
        found: dict[int, _Copy] = {}
        copies = [_prepared(v, found) for v in args]
        named = {k: _prepared(v, found) for k, v in kwargs.items()}
        before = [c.data for c in found.values()]
        kernel.on(on).launch(grid, copies, {**named, "certify": True})
        runs.append(found)
    changed = sum(_compare(kernel.name, b, s, c, device.name)
                  for b, s, c in zip(before, runs[0].values(), runs[1].values()))
    if not changed:
        raise ArgumentError(
            f"nereid: {kernel.name}: nothing is compared, since it leaves every element of these "
            "arrays as it was, or makes it NaN: give arrays that it changes", kernel=kernel.name)
    return changed
