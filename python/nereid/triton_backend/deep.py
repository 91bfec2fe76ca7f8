"""Launches of Triton's kernels that Nereid reads from their files: Triton's compiler has no part in them."""

from __future__ import annotations

import threading
from typing import Any, Mapping, Sequence

from .. import _errors, _kernel

_lock = threading.Lock()
_kernels: dict[tuple[str, str], _kernel.Kernel | None] = {}


def kernel(fn: Any) -> _kernel.Kernel | None:
    """Returns the kernel of a JITFunction, or of decorators around one; None if no file has it by its
    name."""
    while not hasattr(fn, "__code__"):
        if getattr(fn, "pre_run_hooks", None):
            return None
        fn = fn.fn
    key = (fn.__code__.co_filename, fn.__qualname__)
    with _lock:
        if key not in _kernels:
            _kernels[key] = _load(*key)
        return _kernels[key]


def _load(file: str, name: str) -> _kernel.Kernel | None:
    if "<locals>" in name:
        return None
    try:
        return _kernel.load(file)[name]
    except (_errors.NereidError, KeyError):
        return None


def launch(device: Any, fn: Any, grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Launches a JITFunction, with its decorators if fn is one. It returns False if Triton must do it."""
    k = kernel(fn)
    if k is None:
        return False
    named = {n: v for n, v in kwargs.items() if v is not None or n in k.params}
    k.on(device).launch(grid, args, named)
    return True
