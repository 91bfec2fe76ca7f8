"""Launches of Triton's kernels that repeat: Triton's JITFunction.run without the work that the first one did.

A launch is like an earlier one if Triton's binder finds the same types and specializations, and the same options.
Everything else (hooks of the user's, warm-up, another driver) takes Triton's own way.
"""

from __future__ import annotations

from typing import Any

_MOST = 1024  # launches that a kernel remembers

_missing = object()


class Launches:
    """The launches of a JITFunction on one device."""

    __slots__ = ("binder", "kernels")

    def __init__(self, binder: Any) -> None:
        self.binder, self.kernels = binder, {}


def repeat(fn: Any, driver: Any, knobs: Any, args: Any, grid: Any, kwargs: dict[str, Any]) -> Any:
    """Launches a kernel like before and returns it, or None if there was no such launch."""
    device = driver.get_current_device()
    known = fn.__dict__.get("_nereid", {}).get(device)
    if known is None or fn.pre_run_hooks:
        return None
    given = {**kwargs, "debug": kwargs.get("debug", fn.debug) or knobs.runtime.debug,
             "instrumentation_mode": knobs.compilation.instrumentation_mode}
    bound, specialization, options = known.binder(*args, **given)
    kernel = known.kernels.get((tuple(specialization), tuple(options.items())))
    if kernel is None:
        return None
    for (name, _), (value, space) in fn.used_global_vals.items():
        if space.get(name, _missing) != value:
            return None  # Triton has a message
    if callable(grid):
        grid = grid(bound)
    n = len(grid)
    hooks = knobs.runtime
    enter, leave = hooks.launch_enter_hook, hooks.launch_exit_hook
    values = bound.values()
    stream = driver.get_current_stream(device)
    about = None
    if enter is not None and getattr(enter, "calls", True):
        about = kernel.launch_metadata(grid, stream, *values)
    else:
        enter = None
    if not getattr(leave, "calls", True):
        leave = None
    kernel._run(grid[0], grid[1] if n > 1 else 1, grid[2] if n > 2 else 1, stream, kernel.function,
                kernel.packed_metadata, about, enter, leave, *values)
    return kernel


def remember(fn: Any, driver: Any, kernel: Any, knobs: Any, args: Any, kwargs: dict[str, Any]) -> None:
    """Keeps a launch that Triton has made."""
    if getattr(kernel, "_run", None) is None:
        return
    device = driver.get_current_device()
    all_ = fn.__dict__.setdefault("_nereid", {})
    known = all_.get(device)
    if known is None:
        known = all_[device] = Launches(fn.device_caches[device][4])
    given = {**kwargs, "debug": kwargs.get("debug", fn.debug) or knobs.runtime.debug,
             "instrumentation_mode": knobs.compilation.instrumentation_mode}
    try:
        _, specialization, options = known.binder(*args, **given)
        key = (tuple(specialization), tuple(options.items()))
        if len(known.kernels) >= _MOST:
            known.kernels.clear()
        known.kernels[key] = kernel
    except TypeError:  # something has no hash
        pass
