"""Programs that name CUDA, with tensors in host memory: `pytest --nereid-as-cuda`."""

from __future__ import annotations

import contextlib
import types
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_IS_CUDA = torch.Tensor.is_cuda.__get__
_KEPT: list[Any] = []  # modes that are on until the process ends


def stand_in(driver: Any) -> None:
    """Makes PyTorch's functions that are asked for memory of CUDA return memory of the host, and torch.cuda's
    answer for a driver's device."""
    mode = _OnHost()
    mode.__enter__()
    _KEPT.append(mode)
    for name, value in _answers(driver).items():
        setattr(torch.cuda, name, value)


class _OnHost(TorchFunctionMode):
    """Every function of PyTorch's: a device of CUDA among the arguments is the host."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.Tensor.cuda:
            return args[0]
        if func == _IS_CUDA:
            return True
        named = {k: _host(v) if k == "device" else v for k, v in (kwargs or {}).items()}
        if func is torch.Tensor.to:  # any string there is a device
            args = (args[0], *map(_host, args[1:]))
        return func(*args, **named)


def _host(device: Any) -> Any:
    """Returns the host for a device of CUDA, by name, number or object; anything else as it is."""
    if isinstance(device, torch.device) and device.type == "cuda":
        return torch.device("cpu")
    if isinstance(device, str) and device.partition(":")[0] == "cuda":
        return "cpu"
    return "cpu" if type(device) is int else device


def _always(value: Any) -> Any:
    """Returns a function of any arguments: a new one, since torch.compile tells functions apart by what they
    are."""
    return lambda *_, **__: value


class Stream:
    """A stream whose work is done when it is queued."""

    cuda_stream = 0
    synchronize = wait_stream = wait_event = staticmethod(_always(None))

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def record_event(self, event: Any = None) -> Any:
        from .triton_backend.driver import Event
        event = event or Event()
        event.record()
        return event

    def query(self) -> bool:
        return True

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: Any) -> None:
        pass


class _There(contextlib.nullcontext):
    """The one device, or its one stream."""

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__()


def _answers(driver: Any) -> dict[str, Any]:
    """Returns what replaces functions of torch.cuda."""
    from .triton_backend.driver import Event
    facts = driver.utils.get_device_properties()
    capability = driver.get_device_capability() if driver.target.backend == "cuda" else (9, 0)
    properties = types.SimpleNamespace(
        name=f"nereid {driver.device.name}", major=capability[0], minor=capability[1], total_memory=80 << 30,
        multi_processor_count=facts["multiprocessor_count"], warp_size=facts["warpSize"],
        regs_per_multiprocessor=facts["max_num_regs"], shared_memory_per_block_optin=facts["max_shared_mem"],
        max_threads_per_multi_processor=facts["max_threads_per_sm"], L2_cache_size=50 << 20)
    quiet = ("synchronize", "set_device", "empty_cache", "init", "reset_peak_memory_stats", "ipc_collect",
             "manual_seed", "manual_seed_all", "seed", "seed_all")
    zero = ("current_device", "max_memory_allocated", "memory_allocated", "memory_reserved",
            "max_memory_reserved")
    return {
        **{name: _always(None) for name in quiet}, **{name: _always(0) for name in zero},
        "is_available": lambda: True, "device_count": lambda: 1,
        "is_bf16_supported": lambda *_, **__: True, "get_device_capability": lambda *_: capability,
        "get_device_name": lambda *_: properties.name, "get_device_properties": lambda *_: properties,
        "current_stream": lambda *_: Stream(), "default_stream": lambda *_: Stream(), "Stream": Stream,
        "Event": Event, "stream": type("stream", (_There,), {}), "device": type("device", (_There,), {}),
    }
