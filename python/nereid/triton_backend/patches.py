"""Changes of Triton for which it has no hook. Each leaves Triton as it was while another driver is active."""

from __future__ import annotations

import functools
import threading
from typing import Any

from . import active

_lock = threading.Lock()
_installed = False


def install() -> None:
    """Makes the changes, once."""
    global _installed
    with _lock:
        if not _installed:
            _share_targets()
            _lazy_stages()
            _free_alone()
            _mark_warmups()
            _take_arrays()
            _compile_in_turn()
            _tune_deep()
            _installed = True


def only_nereid() -> None:
    """Keeps Triton's own drivers from being active, so that there is one: Nereid's."""
    from triton.backends.amd.driver import HIPDriver
    from triton.backends.nvidia.driver import CudaDriver
    for driver in (CudaDriver, HIPDriver):
        driver.is_active = staticmethod(lambda: False)


def _share_targets() -> None:
    """Lets the active driver's compiler have a target that Triton's own compilers also support."""
    from triton.backends import backends
    for name in ("nvidia", "amd"):
        if name not in backends:
            continue
        own = backends[name].compiler
        old = own.supports_target

        def supports(target: Any, old: Any = old) -> bool:
            d = active()
            return (d is None or d.backend_name != target.backend) and old(target)

        own.supports_target = staticmethod(supports)


# What programs written for other back ends call a stage.
_ALIASES = {"ttsharedir": "linalg"}


class Stages(dict):
    """The stages of a compiled kernel. Those of Nereid's are compiled when they are asked for."""

    _filled = False

    def _fill(self) -> None:
        from . import compiler
        if not self._filled:
            self._filled = True
            for name, text in compiler.read(dict.__getitem__(self, "nereid")).code().asm.items():
                dict.setdefault(self, name, text)

    def __missing__(self, name: str) -> Any:
        self._fill()
        name = _ALIASES.get(name, name)
        if not dict.__contains__(self, name):
            raise KeyError(f"there is no stage {name!r}: there are {', '.join(self)}")
        return dict.__getitem__(self, name)

    def __contains__(self, name: object) -> bool:
        return dict.__contains__(self, name) or name in self.keys()

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default

    def keys(self) -> Any:
        self._fill()
        return dict.keys(self)

    def items(self) -> Any:
        self._fill()
        return dict.items(self)

    def values(self) -> Any:
        self._fill()
        return dict.values(self)

    def __iter__(self) -> Any:
        return iter(self.keys())


def _lazy_stages() -> None:
    """Gives compiled kernels all stages in asm."""
    from triton.compiler import compiler
    old = compiler.AsmDict
    compiler.AsmDict = lambda files: Stages(files) if "nereid" in files else old(files)


def _free_alone() -> None:
    """Frees kernels of Nereid's without the active driver, which Triton asks since 3.8: it may be another, or
    none."""
    from triton import knobs
    from triton.compiler.compiler import CompiledKernel

    from . import compiler
    old = getattr(CompiledKernel, "__del__", None)
    if old is None:
        return

    def free(self: Any) -> None:
        module = getattr(self, "module", None)
        if not isinstance(module, compiler.Program):
            return old(self)
        if hook := getattr(knobs.runtime, "kernel_unload_hook", None):
            hook(module, self.function, self.name, self.metadata_group, self.hash)
        self.module = None

    CompiledKernel.__del__ = free


def _mark_warmups() -> None:
    """Tells the compiler that a kernel is compiled ahead of its launches."""
    from triton.runtime.jit import KernelInterface

    from . import compiler
    old = KernelInterface.warmup

    @functools.wraps(old)
    def warmup(self: Any, *args: Any, **kwargs: Any) -> Any:
        compiler.warming.on, before = True, compiler.warming.on
        try:
            return old(self, *args, **kwargs)
        finally:
            compiler.warming.on = before

    KernelInterface.warmup = warmup


def _take_arrays() -> None:
    """Launches kernels of the active driver: NumPy arrays are tensors too, and launches that repeat are
    quick."""
    from triton import knobs
    from triton.runtime.driver import driver as config
    from triton.runtime.jit import JITFunction

    from .. import _args
    from . import deep, quick
    old = JITFunction.run

    def wrapped(v: Any) -> Any:
        if isinstance(v, (int, float, str)) or v is None or hasattr(v, "data_ptr"):
            return v
        if type(v).__module__ == "numpy" and getattr(v, "ndim", 1) == 0 and not hasattr(v, "ctypes"):
            return v.item()  # a number of NumPy's, which has a buffer as arrays have
        return _args.Tensor(v) if _args.memory(v) is not None else v

    def triton(self: Any, args: Any, grid: Any, warmup: bool, kwargs: dict) -> Any:
        """Launches Triton's way: with its own tensors, and if it knows an argument of no such kind, with
        ours."""
        __tracebackhide__ = True
        try:
            return old(self, *args, grid=grid, warmup=warmup, **kwargs)
        except TypeError as e:
            if "failed to specialize" not in str(e):
                raise
        named = {k: wrapped(v) for k, v in kwargs.items()}
        return old(self, *map(wrapped, args), grid=grid, warmup=warmup, **named)

    def general(self: Any, args: Any, grid: Any, kwargs: dict, warmup: bool = False) -> Any:
        __tracebackhide__ = True
        d = config._active
        if d is None or not getattr(d, "nereid", False):
            return old(self, *args, grid=grid, warmup=warmup, **kwargs)
        if d.deep and not warmup and deep.launch(d.device, self, grid, args, kwargs):
            return None
        kernel = triton(self, args, grid, warmup, kwargs)
        if not warmup and kernel is not None:
            quick.remember(self, d, kernel, knobs, args, kwargs, general)
        return kernel

    @functools.wraps(old)
    def run(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        known = None if warmup else self.__dict__.get("_nereid")
        return general(self, args, grid, kwargs, warmup) if known is None else known.launch(grid, *args, **kwargs)

    def item(self: Any, grid: Any) -> Any:
        known = self.__dict__.get("_nereid")
        if known is None or JITFunction.run is not run:  # a program that watches launches has replaced it
            return before(self, grid)
        return functools.partial(known.launch, grid)

    before = JITFunction.__getitem__
    JITFunction.run, JITFunction.__getitem__ = run, item


def _compile_in_turn() -> None:
    """Lets one thread at a time compile: CPython 3.11's ast module fails in several, and work would be
    repeated."""
    from triton.runtime.jit import JITFunction
    old, turn = JITFunction._do_compile, threading.RLock()

    @functools.wraps(old)
    def compile(self: Any, key: Any, signature: Any, device: Any, *args: Any, **kwargs: Any) -> Any:
        if active() is None:
            return old(self, key, signature, device, *args, **kwargs)
        with turn:
            return self.device_caches[device][0].get(key) or old(self, key, signature, device, *args,
                                                                 **kwargs)

    JITFunction._do_compile = compile


def _tune_deep() -> None:
    """Lets Nereid tune kernels that it reads itself: their decorators are in the file."""
    from triton.runtime.autotuner import Autotuner, Heuristics

    from . import deep
    for kind in (Autotuner, Heuristics):
        old = kind.run

        @functools.wraps(old)
        def run(self: Any, *args: Any, old: Any = old, **kwargs: Any) -> Any:
            d = active()
            if d is not None and d.deep and not kwargs.get("warmup"):
                named = {k: v for k, v in kwargs.items() if k not in ("grid", "warmup")}
                if deep.launch(d.device, self, kwargs.get("grid"), args, named):
                    return None
            return old(self, *args, **kwargs)

        kind.run = run
