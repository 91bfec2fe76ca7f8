"""The driver that Triton sees: devices, loading, benchmarks."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

from . import default_device, launcher, open_later, patches, register

_CHOSEN = os.environ.get("TRITON_DEFAULT_BACKEND") == "nereid"
if _CHOSEN:
    patches.only_nereid()


_REGISTERS = 32  # of a thread, for host code that computes occupancy; the code itself is made by the first launch


# What host code is told of a device that has nothing of the kind: the numbers of an H100.
_PROPERTIES = {"max_shared_mem": 232448, "max_num_regs": 65536, "warpSize": 32, "max_threads_per_sm": 2048,
               "sm_clock_rate": 0, "mem_clock_rate": 0, "mem_bus_width": 0}


class Index(int):
    """The number of a GPU that keeps Triton's caches of kernels by device apart from those of its own
    driver."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Index) and int(self) == int(other)

    __hash__ = int.__hash__


_indices = [Index(i) for i in range(64)]  # a dictionary finds the same object without comparing


class Utils:
    """What Triton asks about devices and binaries."""

    def __init__(self, driver: NereidDriver) -> None:
        self._driver = driver

    def get_device_properties(self, device: Any = None) -> dict[str, int]:
        """Returns the properties that occupancy calculations of host code use."""
        if self._driver.device.cuda:
            import torch
            p = torch.cuda.get_device_properties(int(self._driver.get_current_device()))
            return {**_PROPERTIES, "multiprocessor_count": p.multi_processor_count,
                    "max_shared_mem": getattr(p, "shared_memory_per_block_optin", 232448),
                    "max_num_regs": getattr(p, "regs_per_multiprocessor", 65536)}
        # Kernels that walk over rows with one program for each multiprocessor walk in order with many of
        # them.
        return {**_PROPERTIES, "multiprocessor_count": max(os.cpu_count() or 1, 132)}

    def load_binary(self, name: str, kernel: bytes, shared: int, device: Any) -> tuple:
        """Returns module, function, registers, spills and threads of a kernel."""
        from . import compiler
        p = compiler.read(kernel, f"cuda:{int(device)}" if self._driver.device.cuda else "")
        return p, launcher.Function(p), _REGISTERS, 0, sys.maxsize

    def unload_module(self, module: Any) -> None:
        """Does nothing when Triton 3.8 frees a kernel: its module is freed with the last user."""


class Event:
    """A moment on the host's clock, with the interface of PyTorch's events."""

    def __init__(self, enable_timing: bool = True, **_: Any) -> None:
        self.at = 0.0

    def record(self, *_: Any) -> None:
        self.at = time.perf_counter()

    def elapsed_time(self, end: Event) -> float:
        """Returns milliseconds, never 0: benchmarks divide by them."""
        return max((end.at - self.at) * 1e3, 1e-6)

    def synchronize(self) -> None:
        pass


class Interface:
    """The part of torch.cuda that Triton's benchmarks use, for devices that run when they are asked to."""

    Event = Event

    @staticmethod
    def synchronize(*_: Any) -> None:
        pass

    @staticmethod
    def current_device() -> int:
        return 0


class NereidDriver(DriverBase):
    """The driver of one of Nereid's devices."""

    nereid = True

    def __init__(self, device: str = "", check: bool = False, deep: bool = False) -> None:
        super().__init__()
        register()
        patches.install()
        self.device = open_later(device or default_device())
        self.check, self.deep = check, deep
        self.utils = Utils(self)
        self.launcher_cls = launcher.Launcher
        self.binary_ext = "nereid"
        self.target = self._target()
        self._key = self.device.name + ("/check" if check else "")
        self._ask_torch()

    @property
    def backend_name(self) -> str:
        return self.target.backend

    def _target(self) -> GPUTarget:
        kind, _, arch = self.device.target.partition(":")
        if kind == "cuda":
            return GPUTarget("cuda", int(arch), 32)
        if kind == "hip":
            return GPUTarget("hip", arch, 64 if arch.startswith("gfx9") else 32)
        return GPUTarget("cpu", self.device.name, 1)

    @staticmethod
    def is_active() -> bool:
        """Reports whether the environment chooses Nereid: TRITON_DEFAULT_BACKEND=nereid."""
        return _CHOSEN

    def map_python_to_cpp_type(self, ty: str) -> str:
        if ty[0] == "*":
            return "void*"
        names = {"fp16": "float", "bf16": "float", "fp32": "float", "f32": "float", "fp64": "double",
                 "i1": "bool", "u1": "bool"}
        return names.get(ty) or ("u" if ty[0] == "u" else "") + f"int{ty[1:]}_t"

    def get_current_target(self) -> GPUTarget:
        return self.target

    def get_current_device(self) -> Any:
        return self.current_device()

    def get_current_stream(self, device: Any = None) -> int:
        return self.current_stream(self.current_device() if device is None else device)

    def set_current_device(self, device: Any) -> None:
        if self.device.cuda:
            import torch
            torch.cuda.set_device(int(device))

    def _ask_torch(self) -> None:
        """Sets current_device and current_stream, which launches call, to the quickest functions that
        know."""
        self.current_device, self.current_stream = lambda: self._key, lambda device: 0
        if not self.device.cuda:
            return
        import torch
        torch.cuda.init()
        number, at = torch._C._cuda_getDevice, _indices.__getitem__
        self.current_device = lambda: at(number())
        self.current_stream = torch._C._cuda_getCurrentRawStream

    def get_device_capability(self, device: Any = None) -> tuple:
        if self.target.backend == "cuda":
            return divmod(self.target.arch, 10)
        return (self.target.backend, 0)

    def get_active_torch_device(self) -> Any:
        import torch
        return torch.device("cuda",
                            int(self.get_current_device())) if self.device.cuda else torch.device("cpu")

    def get_device_interface(self) -> Any:
        if self.device.cuda:
            import torch
            return torch.cuda
        return Interface

    def get_benchmarker(self) -> Any:
        from triton.testing import do_bench
        return do_bench

    def get_empty_cache_for_benchmark(self) -> Any:
        if not self.device.cuda:
            return None
        import torch
        return torch.empty(64 << 20, dtype=torch.int, device="cuda")

    def clear_cache(self, cache: Any) -> None:
        if cache is not None:
            cache.zero_()

    def assemble_tensormap_to_arg(self, tensormaps_info: Any, args: Any) -> Any:
        return args
