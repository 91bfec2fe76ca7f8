"""Arguments of launches: Python's values as nereid_arg, 32 bytes each."""

from __future__ import annotations

import ctypes
import struct
import sys
from functools import lru_cache
from typing import Any

from . import _dlpack, _lib
from ._errors import ArgumentError

# nereid_kind
NONE, BOOL, INT, FLOAT, SCALAR, PTR, HOST, TENSOR, STRING, DTYPE, FUNC, TUPLE, DESC = range(13)
FLAG_CONST = 1

ARG = struct.Struct("=BBHIQQQ")  # kind, dtype, flags, count, name, value, size
_INT, _FLOAT = struct.Struct("=q"), struct.Struct("=d")

# Names of element types that the library does not know by themselves: NumPy's, JAX's, ml_dtypes'.
_ALIASES = {"bool_": "bool", "double": "float64", "half": "float16", "single": "float32",
            "float8_e4m3fn": "float8e4nv", "float8_e5m2": "float8e5", "float8_e4m3fnuz": "float8e4b8",
            "float8_e5m2fnuz": "float8e5b16"}


class dtype:
    """An element type as an argument for a constexpr: nereid.dtype("fp16") is tl.float16."""

    def __init__(self, name: str) -> None:
        self.code = dtype_code(name)
        self.name = _lib.lib().nereid_dtype_name(self.code).decode()

    def __repr__(self) -> str:
        return f"nereid.dtype({self.name!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, dtype) and other.code == self.code

    def __hash__(self) -> int:
        return hash((dtype, self.code))


class func:
    """A jit function as an argument for a constexpr: "name", or "file.py:name"."""

    def __init__(self, name: str) -> None:
        self.name = name


class const:
    """A value that is compiled in although its parameter is no constexpr."""

    def __init__(self, value: Any) -> None:
        self.value = value


class TensorDescriptor:
    """A tensor for a kernel that loads and stores blocks, like Triton's class of the same name."""

    def __init__(self, base: Any, shape: list[int], strides: list[int], block_shape: list[int],
                 padding: str = "zero") -> None:
        self.base, self.shape, self.strides = base, list(shape), list(strides)
        self.block_shape, self.padding = list(block_shape), padding


class Tensor:
    """An array with the interface that Triton expects of tensors: nereid.tensor(x) for kernels under
    @triton.jit."""

    def __init__(self, base: Any) -> None:
        m = memory(base)
        if m is None:
            raise ArgumentError(f"nereid: a {type(base).__name__} is no array")
        self.base, self._memory = base, m
        self.dtype = _lib.lib().nereid_dtype_name(m.dtype).decode()
        self.shape = tuple(getattr(base, "shape", (m.size // dtype_size(m.dtype),)))

    def data_ptr(self) -> int:
        """Returns the address of the first element."""
        return self._memory.address

    def stride(self) -> tuple[int, ...]:
        """Returns the strides in elements."""
        bytes_ = getattr(self.base, "strides", None)
        size = dtype_size(self._memory.dtype)
        return tuple(s // size for s in bytes_) if bytes_ else tuple(contiguous(self.shape))

    def element_size(self) -> int:
        """Returns the bytes of an element."""
        return dtype_size(self._memory.dtype)


@lru_cache(maxsize=None)
def dtype_code(name: str) -> int:
    """Returns the nereid_dtype of a name: "fp16", "float16", "torch.float16", "tl.float16"."""
    short = name.rsplit(".", 1)[-1]
    code = _lib.lib().nereid_dtype_of(_ALIASES.get(short, short).encode())
    if not code:
        raise ArgumentError(f"nereid: {name!r} is no element type")
    return code


@lru_cache(maxsize=None)
def dtype_size(code: int) -> int:
    """Returns the bytes of an element."""
    return _lib.lib().nereid_dtype_size(code)


_codes: dict[Any, int] = {}  # by a library's object for an element type


def _code_of(t: Any) -> int:
    """Returns the nereid_dtype of a library's object for an element type."""
    code = _codes.get(t)
    if code is None:
        code = _codes[t] = dtype_code(getattr(t, "name", None) or str(t))
    return code


class Memory:
    """The memory of an array: address and bytes from its first element on, and the device that has it."""

    __slots__ = ("dtype", "address", "size", "device", "keep", "fixed")

    def __init__(self, dtype: int, address: int, size: int, device: str = "", keep: Any = None,
                 fixed: bool = False) -> None:
        self.dtype, self.address, self.size, self.device, self.keep = dtype, address, size, device, keep
        self.fixed = fixed  # it must not be written


def extent(shape: Any, strides: Any, size: int) -> int:
    """Returns the bytes from the first element to the end of the last; strides are in elements of size
    bytes."""
    last = 0
    for n, stride in zip(shape, strides):
        if n == 0:
            return 0
        if stride < 0:
            raise ArgumentError("nereid: an array with negative strides: copy it (numpy.ascontiguousarray)")
        last += (n - 1) * stride
    return (last + 1) * size


def _of_torch(x: Any) -> Memory:
    code = _code_of(x.dtype)
    size = x.element_size()
    on = x.device
    where = "" if on.type == "cpu" else f"{on.type}:{on.index or 0}"
    if x.layout is not sys.modules["torch"].strided:
        raise ArgumentError(f"nereid: a tensor of layout {x.layout}: kernels take strided tensors")
    return Memory(code, x.data_ptr(), extent(x.shape, x.stride(), size), where)


def _of_numpy(x: Any) -> Memory:
    flags = x.flags
    if not flags.c_contiguous:
        size = x.itemsize
        bytes_ = extent(x.shape, [s // size for s in x.strides], size)
    else:
        bytes_ = x.nbytes
    return Memory(_code_of(x.dtype), x.__array_interface__["data"][0] if bytes_ else 0, bytes_, keep=x,
                  fixed=not flags.writeable)


def _of_pointer(x: Any) -> Memory:
    """Returns the memory of an object with data_ptr(): tensors of other libraries, and Triton's wrappers."""
    code = _code_of(x.dtype)
    base = getattr(x, "base", None)
    if base is not None and base is not x:  # triton.reinterpret
        m = memory(base)
        return Memory(code, m.address, m.size, m.device, fixed=m.fixed)
    shape, stride = getattr(x, "shape", ()), getattr(x, "stride", None)
    size = 0
    if callable(stride):
        size = extent(shape, stride(), dtype_size(code))
    on = getattr(x, "device", None)
    where = "" if on is None or getattr(on, "type", str(on)) == "cpu" else str(on)
    return Memory(code, x.data_ptr(), size, where)


def _of_cuda_interface(x: Any) -> Memory:
    d = x.__cuda_array_interface__
    name = {"f": "float", "i": "int", "u": "uint", "b": "bool"}[d["typestr"][1]]
    size = int(d["typestr"][2:])
    code = dtype_code(name if name == "bool" else f"{name}{size * 8}")
    strides = [s // size for s in d["strides"]] if d.get("strides") else contiguous(d["shape"])
    return Memory(code, d["data"][0], extent(d["shape"], strides, size), "cuda")


def contiguous(shape: Any) -> list[int]:
    """Returns the strides of a contiguous array, in elements."""
    out: list[int] = []
    step = 1
    for n in reversed(list(shape)):
        out.insert(0, step)
        step *= n
    return out


def _of_buffer(x: Any) -> Memory:
    view = memoryview(x)
    kinds = {"b": "int8", "B": "uint8", "h": "int16", "H": "uint16", "i": "int32", "I": "uint32",
             "q": "int64", "Q": "uint64", "l": "int64", "L": "uint64", "e": "float16", "f": "float32",
             "d": "float64", "?": "bool"}
    if view.readonly:
        raise ArgumentError(f"nereid: a {type(x).__name__} cannot be written: pass a bytearray or an array")
    if view.format not in kinds or not view.c_contiguous:
        raise ArgumentError(
            f"nereid: a buffer of format {view.format!r}: expected a contiguous one of numbers")
    raw = (ctypes.c_char * view.nbytes).from_buffer(view) if view.nbytes else None
    return Memory(dtype_code(kinds[view.format]), ctypes.addressof(raw) if raw else 0, view.nbytes, keep=raw)


def _of_dlpack(x: Any) -> Memory:
    t = _dlpack.read(x)
    code = dtype_code(t.type_name)
    strides = t.strides if t.strides is not None else contiguous(t.shape)
    return Memory(code, t.address, extent(t.shape, strides, dtype_size(code)), t.device, t)


_readers: dict[type, Any] = {}


def _reader(x: Any) -> Any:
    kind = type(x)
    if kind.__module__ == "numpy" and kind.__name__ in ("ndarray", "memmap"):
        return _of_numpy
    if kind.__module__.split(".")[0] == "torch" and hasattr(x, "untyped_storage"):
        return _of_torch
    if hasattr(x, "data_ptr") and hasattr(x, "dtype"):
        return _of_torch if hasattr(x, "untyped_storage") and hasattr(x, "layout") else _of_pointer
    if hasattr(x, "__cuda_array_interface__"):
        return _of_cuda_interface
    if hasattr(x, "__dlpack__"):
        return _of_dlpack
    if hasattr(x, "__array_interface__") and hasattr(x, "flags"):
        return _of_numpy
    try:
        memoryview(x)
    except TypeError:
        return None
    return _of_buffer


def memory(x: Any) -> Memory | None:
    """Returns the memory of an array, or None if the object is none."""
    kind = type(x)
    f = _readers.get(kind)
    if f is None:
        if kind in _readers or (f := _reader(x)) is None:
            _readers[kind] = None
            return None
        _readers[kind] = f
    return f(x)


def fixed(v: Any) -> bool:
    """Reports whether a value is, or has, an array that must not be written."""
    if isinstance(v, (tuple, list)):
        return any(map(fixed, v))
    if hasattr(v, "block_shape") and hasattr(v, "base"):
        return fixed(v.base)
    m = None if isinstance(v, (int, float, str)) or v is None else memory(v)
    return m is not None and m.fixed


class Packer:
    """Writes arguments for a launch on a device; keep holds what must outlive the call."""

    def __init__(self, device: str) -> None:
        self.cuda = device.startswith("cuda")
        self.device = device
        self.keep: list[Any] = []
        self.fixed = False  # whether an array must not be written

    def text(self, s: str) -> int:
        """Returns the address of a C string."""
        b = ctypes.c_char_p(s.encode())
        self.keep.append(b)
        return ctypes.cast(b, ctypes.c_void_p).value or 0

    def pack(self, v: Any, name: int = 0) -> bytes:
        """Returns a nereid_arg."""
        kind = type(v)
        if kind is int:
            return self.integer(v, name)
        f = _PACKERS.get(kind)
        if f is not None:
            return f(self, v, name)
        m = memory(v)
        return self.array(m, name) if m is not None else self.other(v, name)

    def integer(self, v: int, name: int) -> bytes:
        if -(1 << 63) <= v < 1 << 63:
            return ARG.pack(INT, 0, 0, 0, name, v & 0xFFFFFFFFFFFFFFFF, 0)
        if v < 1 << 64:
            return ARG.pack(SCALAR, dtype_code("uint64"), 0, 0, name, v, 0)
        raise ArgumentError(f"nereid: {v} has more than 64 bits")

    def array(self, m: Memory, name: int) -> bytes:
        self.keep.append(m)
        self.fixed |= m.fixed
        kind = PTR
        if self.cuda:
            kind = PTR if m.device else HOST
            if m.address == 0:
                kind = PTR
        elif m.device:
            raise ArgumentError(f"nereid: the tensor is on {m.device}, and the launch on {self.device}: "
                                "move it with .cpu()")
        return ARG.pack(kind, m.dtype, 0, 0, name, m.address, m.size)

    def tuple(self, v: Any, name: int) -> bytes:
        fields = getattr(v, "_fields", (None,) * len(v))
        items = b"".join(self.pack(x, self.text(f) if f else 0) for x, f in zip(v, fields))
        buf = ctypes.create_string_buffer(items, max(len(items), 1))
        self.keep.append(buf)
        return ARG.pack(TUPLE, 0, 0, len(v), name, ctypes.addressof(buf), 0)

    def descriptor(self, d: Any, name: int) -> bytes:
        n = len(d.shape)
        arrays = [(ctypes.c_int64 * n)(*list(v)) for v in (d.shape, d.strides, d.block_shape)]
        padding = getattr(d, "padding", "zero")
        x = _lib.Descriptor((ctypes.c_uint8 * 32).from_buffer_copy(self.pack(d.base)), n, padding == "nan",
                            *(ctypes.addressof(a) for a in arrays))
        self.keep += [x, *arrays]
        return ARG.pack(DESC, 0, 0, 0, name, ctypes.addressof(x), 0)

    def other(self, v: Any, name: int) -> bytes:
        """Packs a value of another class: numbers of NumPy, subclasses, types and functions of Triton."""
        if isinstance(v, bool):
            return ARG.pack(BOOL, 0, 0, 0, name, v, 0)
        if isinstance(v, int) or hasattr(v, "__index__"):
            return self.integer(v.__index__(), name)
        if isinstance(v, float) or hasattr(v, "__float__"):
            return _float(self, float(v), name)
        if isinstance(v, (tuple, list)):
            return self.tuple(v, name)
        if hasattr(v, "block_shape") and hasattr(v, "base"):
            return self.descriptor(v, name)
        if type(v).__name__ == "constexpr":
            return self.pack(v.value, name)
        if type(v).__name__ in ("dtype", "DType") or type(v).__module__ == "numpy.dtypes":
            return ARG.pack(DTYPE, _code_of(v), 0, 0, name, 0, 0)
        code = getattr(getattr(v, "fn", None), "__code__", None)
        if code is not None:
            return ARG.pack(FUNC, 0, 0, 0, name, self.text(f"{code.co_filename}:{v.__name__}"), 0)
        raise ArgumentError(f"nereid: a {type(v).__name__} is no argument of a kernel: expected an array, a "
                            "number, a string, None, a tuple or a type")


def _float(p: Packer, v: float, name: int) -> bytes:
    return ARG.pack(FLOAT, 0, 0, 0, name, _INT.unpack(_FLOAT.pack(v))[0] & 0xFFFFFFFFFFFFFFFF, 0)


def _const(p: Packer, v: const, name: int) -> bytes:
    kind, code, _, count, _, value, size = ARG.unpack(p.pack(v.value))
    return ARG.pack(kind, code, FLAG_CONST, count, name, value, size)


_PACKERS = {
    type(None): lambda p, v, name: ARG.pack(NONE, 0, 0, 0, name, 0, 0),
    bool: lambda p, v, name: ARG.pack(BOOL, 0, 0, 0, name, v, 0),
    float: _float,
    str: lambda p, v, name: ARG.pack(STRING, 0, 0, 0, name, p.text(v), 0),
    tuple: Packer.tuple,
    list: Packer.tuple,
    const: _const,
    dtype: lambda p, v, name: ARG.pack(DTYPE, v.code, 0, 0, name, 0, 0),
    func: lambda p, v, name: ARG.pack(FUNC, 0, 0, 0, name, p.text(v.name), 0),
    TensorDescriptor: Packer.descriptor,
}
