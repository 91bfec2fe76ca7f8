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
    """Makes PyTorch's functions that are asked for memory of CUDA return memory of the host, and torch.cuda's answer
    for a driver's device."""
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


def _nothing(*_: Any, **__: Any) -> None:
    """Does what an empty queue does."""


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
    stream = types.SimpleNamespace(cuda_stream=0, synchronize=_nothing, wait_stream=_nothing, wait_event=_nothing,
                                   record_event=lambda event=None: event or Event(), query=lambda: True)
    quiet = ("synchronize", "set_device", "empty_cache", "init", "reset_peak_memory_stats", "ipc_collect")
    zero = ("current_device", "max_memory_allocated", "memory_allocated", "memory_reserved", "max_memory_reserved")
    return {
        **dict.fromkeys(quiet, _nothing), **dict.fromkeys(zero, lambda *_, **__: 0),
        "is_available": lambda: True, "is_initialized": lambda: True, "device_count": lambda: 1,
        "is_bf16_supported": lambda *_, **__: True, "get_device_capability": lambda *_: capability,
        "get_device_name": lambda *_: properties.name, "get_device_properties": lambda *_: properties,
        "current_stream": lambda *_: stream, "default_stream": lambda *_: stream, "Stream": lambda *_, **__: stream,
        "stream": lambda *_: contextlib.nullcontext(), "device": lambda *_: contextlib.nullcontext(), "Event": Event,
    }
