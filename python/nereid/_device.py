"""Devices."""

from __future__ import annotations

import os
import sys
import threading

from . import _lib


class Device(_lib.Handle):
    """A device that kernels run on: "cpu", "interp", "sim:90", "cuda:0". open() returns one."""

    _close = "device_close"

    def __init__(self, name: str) -> None:
        super().__init__(_lib.make("device_open", name.encode()))
        self.name: str = _lib.text("device_name", self.handle)
        self.cuda: bool = self.name.startswith("cuda")

    @property
    def info(self) -> str:
        """A line about the device."""
        return _lib.text("device_info", self.handle)

    @property
    def target(self) -> str:
        """What Kernel.compile takes to compile for the device: "cuda:90", "cpu"."""
        return _lib.text("device_target", self.handle)

    @property
    def stages(self) -> list[str]:
        """The forms that a kernel takes on its way to the device."""
        return _lib.text("device_stages", self.handle).split(",")

    def stream(self) -> int | None:
        """Returns the raw stream that launches go to: PyTorch's current one on a GPU."""
        torch = sys.modules.get("torch")
        if not self.cuda or torch is None:
            return None
        return torch.cuda.current_stream(int(self.name.partition(":")[2] or 0)).cuda_stream

    def synchronize(self) -> None:
        """Waits for everything that was launched on the device."""
        if not self.cuda:
            return  # a launch returns when its kernel has run
        if "torch" in sys.modules:
            sys.modules["torch"].cuda.synchronize()
            return
        s = _lib.make("stream_new", self.handle)
        try:
            _lib.call("stream_sync", s)
        finally:
            _lib.lib().nereid_stream_close(s)

    def __repr__(self) -> str:
        return f"nereid.Device({self.name!r})"


class Later(Device):
    """A device that every machine has, opened by its first use: until then the process may fork."""

    target: str = ""

    def __init__(self, name: str) -> None:
        self.name, self.cuda, self.target = name, False, name

    @property
    def handle(self) -> int:
        return open(self.name).handle

    def __del__(self) -> None:
        pass  # open's is closed


_EVERYWHERE = ("cpu", "interp")


def later(name: str) -> Device:
    """Returns the device of a name, opened by its first use where every machine has one."""
    return Later(name) if name in _EVERYWHERE else open(name)


_opened: dict[tuple[int, str], Device] = {}
_lock = threading.Lock()
_default = ""


def open(name: str | Device = "") -> Device:
    """Returns the device of a name. "" means set_device's, or else $NEREID_DEVICE, or else the best there
    is."""
    if isinstance(name, Device):
        return name
    key = (os.getpid(), name or _default)
    with _lock:
        d = _opened.get(key)
        if d is None:
            d = _opened[key] = Device(key[1])
        return d


def set_device(name: str) -> Device:
    """Sets the device of launches that name none, and returns it."""
    global _default
    d = open(name)
    _default = name
    return d


def devices() -> dict[str, str]:
    """Returns the devices of this machine, the best first, each with a line about it."""
    return {n: info for n, info, why in _list() if why is None}


def absent() -> dict[str, str]:
    """Returns the kinds of devices that this machine does not have, each with the reason."""
    return {n: why for n, _, why in _list() if why is not None}


def _list() -> list[tuple[str, str, str | None]]:
    out: list[tuple[str, str, str | None]] = []

    def add(_, name, info, why):
        out.append((name.decode(), (info or b"").decode(), None if why is None else why.decode()))

    _lib.call("device_list", _lib.DEVICE_FN(add), None)
    return out
