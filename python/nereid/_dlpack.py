"""Reading arrays of other libraries through DLPack, without copying them."""

from __future__ import annotations

import ctypes
from ctypes import c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p
from typing import Any


class _Tensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32),
                ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16),
                ("shape", ctypes.POINTER(c_int64)), ("strides", ctypes.POINTER(c_int64)),
                ("byte_offset", c_uint64)]


_CODES = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}
_DEVICES = {1: "", 2: "cuda", 3: "", 10: "hip", 11: "", 13: "cuda"}  # pinned memory is the host's

_get = ctypes.pythonapi.PyCapsule_GetPointer
_get.restype, _get.argtypes = c_void_p, (ctypes.py_object, ctypes.c_char_p)


class Array:
    """An array behind a capsule, which it keeps: the owner frees the memory with the last reference."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule
        t = ctypes.cast(_get(capsule, b"dltensor"), ctypes.POINTER(_Tensor)).contents
        self.address = (t.data or 0) + t.byte_offset
        self.shape = [t.shape[i] for i in range(t.ndim)]
        self.strides = [t.strides[i] for i in range(t.ndim)] if t.strides else None
        if t.device_type not in _DEVICES or t.code not in _CODES or t.lanes != 1:
            raise TypeError(f"nereid: an array of DLPack's device {t.device_type}, type {t.code}")
        kind = _DEVICES[t.device_type]
        self.device = f"{kind}:{t.device_id}" if kind else ""
        self.type_name = "bool" if t.code == 6 else f"{_CODES[t.code]}{t.bits}"


def read(x: Any) -> Array:
    """Returns an object's array."""
    try:
        return Array(x.__dlpack__(stream=None))
    except TypeError:
        return Array(x.__dlpack__())
