"""Bundles: kernels that `nereid aot` compiled ahead of time."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Iterator, Mapping

from . import _device, _kernel, _lib


@dataclass(frozen=True)
class Variant:
    """A variant of a bundle: a kernel with constants, compiled for targets."""

    name: str
    group: str
    kernel: str
    signature: str
    constants: dict[str, str]
    targets: list[str]


class Bundle(_lib.Handle, Mapping):
    """A bundle: a mapping of the names of its variants to them. open_bundle() opens one."""

    _close = "bundle_close"

    def __init__(self, path: str | os.PathLike) -> None:
        super().__init__(_lib.make("bundle_open", os.fspath(path).encode()))
        listed = json.loads(_lib.text("bundle_variants", self.handle) or "[]")
        self._variants = {v["name"]: Variant(**v) for v in listed}

    def __getitem__(self, name: str) -> Variant:
        return self._variants[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._variants)

    def __len__(self) -> int:
        return len(self._variants)

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def load(self, name: str, device: str | _device.Device = "") -> _kernel.Code:
        """Loads a variant on a device: load(name)[grid](*args). Its arguments are those that are not
        constants."""
        dev = _device.open(device)
        code = _kernel.Code(_lib.make("bundle_code", self.handle, name.encode(), dev.handle), dev)
        code.keep = self
        return code


def open_bundle(path: str | os.PathLike) -> Bundle:
    """Opens a bundle of `nereid aot`. It has machine code: open only what you trust."""
    return Bundle(path)
