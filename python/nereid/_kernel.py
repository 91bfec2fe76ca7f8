"""Modules, kernels and launches."""

from __future__ import annotations

import ctypes
import json
import operator
import os
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence, Union

from . import _args, _device, _lib
from ._errors import ArgumentError, CancelledError, NereidError

GridLike = Union[int, Sequence[int], Callable[[Mapping[str, Any]], Sequence[int]]]

# Options of launches: bits of nereid_options.flags when they are True, or False.
_TRUE = {"debug": 1, "launch_cooperative_grid": 8, "launch_pdl": 16, "overlap": 64, "check": 128,
         "certify": 256}
_FALSE = {"debug": 2, "sanitize_overflow": 4, "enable_fp_fusion": 32}
_NUMBERS = ("num_warps", "num_stages", "num_ctas", "maxnreg")
_CONSTEXPR = 1  # NEREID_PARAM_CONSTEXPR
OPTIONS = frozenset((*_TRUE, *_FALSE, *_NUMBERS, "extern_libs", "extra"))


def options(values: Mapping[str, Any]) -> _lib.Options | None:
    """Returns nereid_options, None for the defaults."""
    if not values:
        return None
    o = _lib.Options(size=ctypes.sizeof(_lib.Options))
    for name, v in values.items():
        if v is None:
            continue
        if name in _NUMBERS:
            setattr(o, name, int(v))
        elif name in ("extern_libs", "extra"):
            pairs = v.items() if isinstance(v, Mapping) else v
            text = v if isinstance(v, str) else ",".join(f"{k}={x}" for k, x in pairs)
            setattr(o, name, text.encode())
        else:
            o.flags |= (_TRUE if v else _FALSE).get(name, 0)
    return o


class _Meta(Mapping):
    """The arguments of a launch by name, for a function that computes the grid."""

    def __init__(self, meta: int, given: Mapping[str, Any]) -> None:
        self._meta, self._given = meta, given

    def __getitem__(self, name: str) -> Any:
        out = ctypes.c_int64()
        if _lib.lib().nereid_meta_int(self._meta, name.encode(), ctypes.byref(out)):
            return out.value
        return self._given[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)


def grid_of(grid: Any) -> _lib.Grid:
    """Returns a grid of numbers."""
    numbers = grid if isinstance(grid, Iterable) else (grid,)
    try:
        g = [operator.index(n) for n in numbers]
    except TypeError:
        g = []
    if not 1 <= len(g) <= 3 or min(g) < 0 or max(g) >= 1 << 32:
        raise ArgumentError(
            f"nereid: {grid!r} is no grid: expected one to three whole numbers, none negative")
    g += [1] * (3 - len(g))
    return _lib.Grid(*g, 0, None, None)


def _stored(info: Mapping[str, Any]) -> frozenset[str]:
    """Returns the parameters through which code may write, of what a launcher must know of it."""
    return frozenset(a["name"].split(".")[0] for a in info["arguments"] if a.get("stored"))


def refuse_writes(kernel: str, values: Mapping[str, Any], stored: frozenset[str]) -> None:
    """Raises an error if a kernel may write to an array that must not be written: the process would end."""
    for name, v in values.items():
        if name in stored and _args.fixed(v):
            raise ArgumentError(
                f"nereid: {kernel}: argument {name!r}: the array is read-only, and the kernel writes "
                "to it", kernel=kernel, param=name)


class Code(_lib.Handle):
    """A compiled kernel: asm has its stages by name, info what a launcher must know; code[grid](*args)
    launches it."""

    _close = "code_close"

    def __init__(self, handle: int, device: _device.Device | None = None) -> None:
        super().__init__(handle)
        self.device = device
        self.keep: Any = None  # what the code is part of

    def save(self) -> bytes:
        """Returns bytes that load_code loads in another process, without a compiler."""
        data, n = ctypes.c_void_p(), ctypes.c_size_t()
        _lib.call("code_save", self.handle, ctypes.byref(data), ctypes.byref(n))
        try:
            return ctypes.string_at(data, n.value)
        finally:
            _lib.lib().nereid_free(data)

    def __getitem__(self, grid: int | Sequence[int]) -> Callable[..., None]:
        return lambda *args: self.launch(grid, args)

    def launch(self, grid: int | Sequence[int], args: Sequence[Any]) -> None:
        """Launches on the device that the code was loaded on, with the arguments that are not compiled in,
        and waits."""
        if self.device is None:
            raise ArgumentError(
                "nereid: code that was compiled, and not loaded on a device: load_code(code.save())")
        packer = _args.Packer(self.device.name)
        packed = b"".join(packer.pack(v) for v in args)
        if packer.fixed:
            self._refuse_writes(args)
        stream = _lib.make("stream_new", self.device.handle)
        try:
            _lib.call("code_launch", self.handle, stream, grid_of(grid), packed, len(args))
            _lib.call("stream_sync", stream)
        finally:
            _lib.lib().nereid_stream_close(stream)

    def _refuse_writes(self, args: Sequence[Any]) -> None:
        """Raises an error if the code may write to an array that must not be written."""
        info = self.info
        names = [p["name"] for p in info["parameters"] if not p.get("constant")]
        refuse_writes(info["kernel"], dict(zip(names, args)), _stored(info))

    @property
    def stages(self) -> list[str]:
        """The names of the stages, in order."""
        return [s for s in _lib.text("code_stages", self.handle).split(",") if s]

    def stage(self, name: str) -> bytes:
        """Returns the text, or the bytes, of a stage."""
        n = ctypes.c_size_t()
        p = _lib.lib().nereid_code_stage(self.handle, name.encode(), ctypes.byref(n))
        if not p:
            raise KeyError(name)
        try:
            return ctypes.string_at(p, n.value)
        finally:
            _lib.lib().nereid_free(p)

    @property
    def asm(self) -> dict[str, str | bytes]:
        """The stages by name: text, or bytes of machine code."""
        out: dict[str, str | bytes] = {}
        for name in self.stages:
            try:
                data = self.stage(name)
            except KeyError:
                continue
            out[name] = data if name in ("cubin", "obj", "hsaco") else data.decode("utf-8", "replace")
        return out

    @property
    def info(self) -> dict[str, Any]:
        """What a launcher must know of the code."""
        out = ctypes.c_void_p()
        _lib.call("code_info", self.handle, ctypes.byref(out))
        return json.loads(_lib.take(out.value))


class Kernel(_lib.Handle):
    """A kernel: kernel[grid](*args, **kwargs) launches it."""

    _close = "kernel_close"

    def __init__(self, module: Module, name: str, device: str | _device.Device = "") -> None:
        super().__init__(_lib.make("module_kernel", module.handle, name.encode()))
        self.module, self.name = module, name
        self._device = device
        self._names = {n: n.encode() for n in self.params}
        self._stored: dict[str, frozenset[str]] = {}  # by signature

    @property
    def params(self) -> list[str]:
        """The names of the parameters."""
        l = _lib.lib()
        return [(l.nereid_kernel_param(self.handle, i, None) or b"").decode()
                for i in range(l.nereid_kernel_params(self.handle))]

    def on(self, device: str | _device.Device) -> Kernel:
        """Returns the kernel for launches on a device."""
        return Kernel(self.module, self.name, device)

    def __getitem__(self, grid: GridLike) -> Callable[..., None]:
        return lambda *args, **kwargs: self.launch(grid, args, kwargs)

    def __call__(self, *_: Any, **__: Any) -> None:
        raise TypeError(f"nereid: {self.name} is launched on a grid: {self.name}[grid](...)")

    def __repr__(self) -> str:
        return f"nereid.Kernel({self.name!r}, {self.module.name!r})"

    def _split(self, kwargs: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Parts keyword arguments: parameters of the kernel, and options."""
        named, opts = {}, {}
        for name, v in kwargs.items():
            if name in self._names:
                named[name] = v
            elif name in OPTIONS:
                opts[name] = v
            else:
                raise ArgumentError(f"nereid: {self.name} has no parameter or option {name!r}: it has "
                                    f"{', '.join(self.params)}", kernel=self.name, param=name)
        return named, opts

    def _pack(self, packer: _args.Packer, args: Sequence[Any], named: Mapping[str, Any]) -> bytes:
        try:
            self._refuse_lists(args, named)
            parts = [packer.pack(v) for v in args]
            parts += [packer.pack(v, _address(self._names[n])) for n, v in named.items()]
        except ArgumentError as e:
            e.kernel = self.name
            raise
        return b"".join(parts)

    def _refuse_lists(self, args: Sequence[Any], named: Mapping[str, Any]) -> None:
        """Raises an error for a list that is given as an array; a constexpr may be one."""
        for name, v in self._given(args, named).items():
            if type(v) is list and not self._constexpr(name):
                raise ArgumentError(
                    f"nereid: {self.name}: argument {name!r}: a list is no array: make one of it "
                    "(numpy.array, array.array), or a tuple of values", param=name)

    def _constexpr(self, name: str) -> bool:
        flags = ctypes.c_uint32()
        _lib.lib().nereid_kernel_param(self.handle, self.params.index(name), ctypes.byref(flags))
        return bool(flags.value & _CONSTEXPR)

    def _given(self, args: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
        return {**dict(zip(self._names, args)), **named}

    def stored(self, signature: str) -> frozenset[str]:
        """Returns the parameters through which code of a signature may write."""
        if signature not in self._stored:
            self._stored[signature] = _stored(self.compile(signature, "interp").info)
        return self._stored[signature]

    def _refuse_writes(self, args: Sequence[Any], named: Mapping[str, Any]) -> None:
        """Raises an error if the kernel may write to an array that must not be written."""
        try:
            stored = self.stored(self.signature(*args, **named))
        except NereidError:
            return  # the launch says why, or chooses values that the signature lacks
        refuse_writes(self.name, self._given(args, named), stored)

    def _device_of(self, args: Sequence[Any]) -> _device.Device:
        """Returns the device of a launch: the kernel's, or that of the first tensor on a GPU."""
        if self._device:
            return _device.open(self._device)
        if not _device._default:
            for v in args:
                on = getattr(v, "device", None)
                if on is not None and getattr(on, "type", "") == "cuda":
                    return _device.open(f"cuda:{on.index or 0}")
        return _device.open("")

    def launch(self, grid: GridLike, args: Sequence[Any], kwargs: Mapping[str, Any],
               stream: int | None = None) -> None:
        """Launches the kernel; kernel[grid](*args, **kwargs) is the short form."""
        named, opts = self._split(kwargs)
        dev = self._device_of([*args, *named.values()])
        packer = _args.Packer(dev.name)
        packed = self._pack(packer, args, named)
        if packer.fixed:
            self._refuse_writes(args, named)
        o = options(opts)
        n = len(args) + len(named)
        if stream is None:
            stream = dev.stream()
        raised: list[BaseException] = []
        g = self._grid(grid, args, named, raised, packer.keep) if callable(grid) else grid_of(grid)
        try:
            _lib.call("launch_on", self.handle, dev.handle, stream, g, packed, n,
                      ctypes.byref(o) if o else None)
        except CancelledError:
            if raised:
                raise raised[0]
            raise

    def _grid(self, f: Callable, args: Sequence[Any], named: Mapping[str, Any], raised: list,
              keep: list) -> Any:
        given = self._given(args, named)

        def call(_, meta, out):
            try:
                g = grid_of(f(_Meta(meta, given)))
                out[0], out[1], out[2] = g.x, g.y, g.z
                return 0
            except BaseException as e:
                raised.append(e)
                return 1

        fn = _lib.GRID_FN(call)
        keep.append(fn)
        return _lib.Grid(0, 0, 0, 0, ctypes.cast(fn, ctypes.c_void_p), None)

    def signature(self, *args: Any, **kwargs: Any) -> str:
        """Returns the signature, as compile takes it, that a launch with these arguments has."""
        named, _ = self._split(kwargs)
        packer = _args.Packer("cpu")
        out = ctypes.c_void_p()
        _lib.call("kernel_signature", self.handle, self._pack(packer, args, named), len(args) + len(named),
                  ctypes.byref(out))
        return _lib.take(out.value)

    def compile(self, signature: str, target: str = "", until: str = "", **opts: Any) -> Code:
        """Compiles for a target that this machine may not have: "cuda:90", "cpu", "hip:gfx942"."""
        o = options(opts)
        target = target or _device.open(self._device).target
        return Code(_lib.make("compile", self.handle, target.encode(), signature.encode(),
                              ctypes.byref(o) if o else None, until.encode()))

    def verify(self, grid: GridLike, *args: Any, device: str | _device.Device = "sim:90",
               **kwargs: Any) -> int:
        """Compares the code for a simulated device with the source, bit for bit, as `nereid verify` does.

        Both run on copies of the arrays, whose floats are elements of a finite ring: sums and products are
        exact in every order, so a wrong index or a lost term cannot hide in rounding. It returns how many
        elements the source changed; where the code leaves others, it raises a KernelFault, and an
        ArgumentError where it changes none.
        """
        from . import _verify
        return _verify.verify(self, grid, args, _device.open(device), kwargs)

    def build(self, signature: str, **opts: Any) -> None:
        """Compiles for the kernel's device, so that launches with such arguments find the code."""
        o = options(opts)
        _lib.call("kernel_build", self.handle, _device.open(self._device).handle, signature.encode(),
                  ctypes.byref(o) if o else None)


def _address(b: bytes) -> int:
    """Returns the address of a bytes object's text, which lives as long as the object."""
    return ctypes.cast(ctypes.c_char_p(b), ctypes.c_void_p).value or 0


class Module(_lib.Handle, Mapping):
    """A file with kernels: a mapping of their names to Kernel."""

    _close = "module_close"

    def __init__(self, handle: int, name: str, device: str | _device.Device = "") -> None:
        super().__init__(handle)
        self.name, self._device = name, device
        self._kernels: dict[str, Kernel] = {}

    def __getitem__(self, name: str) -> Kernel:
        k = self._kernels.get(name)
        if k is None:
            if name not in list(self):
                raise KeyError(f"{self.name} has no kernel {name!r}: it has {', '.join(self) or 'none'}")
            k = self._kernels[name] = Kernel(self, name, self._device)
        return k

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as e:
            raise AttributeError(e.args[0]) from None

    def __iter__(self) -> Iterator[str]:
        return iter([n for n in _lib.text("module_kernels", self.handle).split("\n") if n])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        return f"nereid.Module({self.name!r}: {', '.join(self)})"

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def warmup(self, manifest: str | os.PathLike, device: str | _device.Device = "") -> None:
        """Compiles the variants of a manifest, so that launches find them."""
        dev = _device.open(device or self._device)
        _lib.call("module_warmup", self.handle, dev.handle, os.fspath(manifest).encode(),
                  ctypes.cast(None, _lib.PROGRESS_FN), None)


def _config(settings: Mapping[str, Any], env: Mapping[str, str] | None, roots: Sequence[str]) -> Any:
    if not settings and env is None and not roots:
        return None
    c = _lib.make("config_new", True)
    try:
        pairs = [(k, ("1" if v else "0") if isinstance(v, bool) else os.fspath(v) if hasattr(v, "__fspath__")
                  else str(v)) for k, v in settings.items()]
        pairs.sort(key=lambda p: p[0] == "cache")  # it opens the cache with the settings before it
        pairs += [("env." + k, v) for k, v in (env or {}).items()]
        pairs += [("root", os.fspath(r)) for r in roots]
        for k, v in pairs:
            _lib.call("config_set", c, k.encode(), v.encode())
    except BaseException:
        _lib.lib().nereid_config_close(c)
        raise
    return c


def _make(name: str, text: bytes | None, ir: bool, device: str | _device.Device, settings: Mapping[str, Any],
          env: Mapping[str, str] | None, roots: Sequence[str]) -> Module:
    c = _config(settings, env, roots)
    try:
        if text is None:
            h = _lib.make("module_load", name.encode(), c)
        else:
            h = _lib.make("module_ir" if ir else "module_parse", name.encode(), text, len(text), c)
        return Module(h, name, device)
    finally:
        if c:
            _lib.lib().nereid_config_close(c)


def load_code(data: bytes, device: str | _device.Device = "") -> Code:
    """Loads code that Code.save returned, on a device. It is machine code: load only what you trust."""
    dev = _device.open(device)
    return Code(_lib.make("code_load", dev.handle, data, len(data)), dev)


def load(path: str | os.PathLike, *, device: str | _device.Device = "", env: Mapping[str, str] | None = None,
         roots: Sequence[str] = (), **settings: Any) -> Module:
    """Reads a file with kernels. Settings are those of nereid_config_set: cache, strict, record, check, …"""
    return _make(os.fspath(path), None, False, device, settings, env, roots)


def parse(text: str, name: str = "kernel.py", *, device: str | _device.Device = "",
          env: Mapping[str, str] | None = None, roots: Sequence[str] = (), **settings: Any) -> Module:
    """Reads kernels from text. The name appears in messages."""
    return _make(name, text.encode(), False, device, settings, env, roots)


def parse_ir(text: str, name: str = "kernel.ttir", *, device: str | _device.Device = "",
             **settings: Any) -> Module:
    """Reads a kernel that another front end, Triton's say, translated to Triton IR."""
    return _make(name, text.encode(), True, device, settings, None, ())
