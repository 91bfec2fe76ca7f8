"""Marks memory that has no value yet, for the interpreter to report loads of it (NEREID_CHECK_UNINIT)."""

from __future__ import annotations

import functools
import importlib.util
from typing import Any, Callable

_MARK = 0x9E6D57A3C1F8B42D.to_bytes(8, "little")  # words at multiples of 8, as internal/target/interp has it


def mark_empty() -> None:
    """Makes functions of PyTorch and NumPy that return memory without values mark it."""
    if importlib.util.find_spec("torch"):
        import torch
        for owner, names in ((torch, ("empty", "empty_like", "empty_strided")),
                             (torch.Tensor, ("new_empty",))):
            for name in names:
                setattr(owner, name, _marking(getattr(owner, name), _mark_tensor))
    if importlib.util.find_spec("numpy"):
        import numpy
        for name in ("empty", "empty_like"):
            setattr(numpy, name, _marking(getattr(numpy, name), _mark_array))


def _marking(make: Callable, mark: Callable[[Any], None]) -> Callable:
    @functools.wraps(make)
    def made(*args: Any, **kwargs: Any) -> Any:
        out = make(*args, **kwargs)
        if kwargs.get("out") is None:
            mark(out)
        return out

    return made


def _mark_tensor(t: Any) -> None:
    import torch
    if type(t) is not torch.Tensor or t.device.type != "cpu" or t.layout is not torch.strided:
        return
    storage = t.untyped_storage()
    if storage.nbytes():
        marks = torch.frombuffer(_words(storage.nbytes()), dtype=torch.uint8)
        torch.tensor((), dtype=torch.uint8).set_(storage).copy_(marks)


def _mark_array(a: Any) -> None:
    import numpy
    if type(a) is numpy.ndarray and a.nbytes and a.dtype.kind in "biuf" and a.flags.c_contiguous:
        a.reshape(-1).view(numpy.uint8)[:] = numpy.frombuffer(_words(a.nbytes), dtype=numpy.uint8)


def _words(n: int) -> bytearray:
    """Returns n bytes of marks; allocators align what they return to 8 bytes and more."""
    return bytearray((_MARK * (n // 8 + 1))[:n])
