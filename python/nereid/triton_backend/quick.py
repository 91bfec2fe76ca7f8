"""Launches of Triton's kernels that repeat: one Python function for each kernel, one call of the library.

The first launch of a kernel makes a function of Python with the kernel's parameters. It knows launches by
what Triton specializes on: element types, divisibility by 16, integers that are 1 or wide, constants,
options. A launch that is like an earlier one packs its arguments and calls the library; any other takes
Triton's way, and is remembered. The same holds while hooks are set, for tensors elsewhere, for grids without
programs, and for arguments that are neither tensors of PyTorch, nor arrays of NumPy on the CPU, nor numbers.
Arguments of other kinds, None where a tensor was, have a function of their own, which the first one calls.
"""

from __future__ import annotations

import ctypes
import struct
from typing import Any, Callable, NamedTuple

from .. import _args, _errors, _lib
from . import launcher

_MOST = 1024  # launches that a kernel remembers
_KINDS = 4  # combinations of kinds of arguments that a kernel has functions for
_HEAD = struct.Struct("=BBHI")  # of a nereid_arg: kind, dtype, flags, count

ON_GPU, ON_HOST = "is_cuda", "is_cpu"  # attributes of a tensor

_missing = object()


def fact(n: int) -> Any:
    """Returns what a kernel depends on of an integer that is 1 or has more than 32 bits."""
    return "1" if n == 1 else (n & 15 == 0, n >> 63)


def changed(used: dict) -> bool:
    """Reports whether a global value that a kernel was compiled with is another now, for which Triton has a
    message."""
    return any(space.get(name, _missing) != value for (name, _), (value, space) in used.items())


def _kind(param: Any, v: Any, cuda: bool) -> str:
    """Returns how a launch knows an argument; "" if it does not."""
    kind = type(v)
    if v is None:
        return "none"
    if param.is_constexpr:
        return "const" if kind in (int, bool, float, str) or kind.__name__ == "dtype" else ""
    if kind in (int, bool, float):
        return kind.__name__
    if kind.__module__ == "numpy" and kind.__name__ == "ndarray":
        return "" if cuda else "array"  # a GPU needs a copy
    return "tensor" if hasattr(v, "untyped_storage") and hasattr(v, ON_HOST) else ""


# What a launch compares of an argument x, beside its class.
_KEYS = {
    "none": "None",
    "const": "{x}",
    "bool": "None",
    "float": "None",
    "int": "{x} & 15 == 0 if -2147483648 <= {x} <= 2147483647 and {x} != 1 else nrd_fact({x})",
    "tensor": "{x}.dtype, not nrd_p_{x} & 15",
    "array": "{x}.dtype, not nrd_p_{x} & 15",
}


class Memory(NamedTuple):
    """What a launch asks of an argument that has memory, as expressions of its name x."""

    address: str
    contiguous: str  # kernels on the CPU are told where memory ends; and it may be written
    count: str       # of elements


_MEMORY = {
    "tensor": Memory("{x}.data_ptr()", "{x}.is_contiguous()", "{x}.numel()"),
    "array": Memory("{x}.__array_interface__['data'][0] if {x}.size else 0", "{x}.flags.carray", "{x}.size"),
}


class Quick:
    """The quick launches of a JITFunction with arguments of certain kinds, on the device of a driver."""

    def __init__(self, fn: Any, driver: Any, knobs: Any, values: dict[str, Any], kinds: dict[str, str],
                 general: Callable) -> None:
        self.fn, self.driver, self.kinds = fn, driver, kinds
        self.classes = {name: type(v) for name, v in values.items()}
        self.table: dict[Any, tuple[Callable, Any]] = {}
        self.next: Quick | None = None  # for arguments of other kinds
        self.space = {
            "nrd_table": self.table, "nrd_driver": driver, "nrd_fn": fn, "nrd_fact": fact,
            "nrd_changed": changed, "nrd_runtime": knobs.runtime, "nrd_compilation": knobs.compilation,
            "nrd_general": general, "nrd_self": self, "nrd_config": _config(),
            "nrd_device": driver.current_device, "nrd_stream": driver.current_stream,
            "nrd_fail": _fail, "nrd_callable": callable,
            "nrd_len": len,  # which parameters may be called, too
            **{f"nrd_class_{name}": kind for name, kind in self.classes.items()},
        }
        self.launch = self._function()

    def _with_memory(self) -> dict[str, Memory]:
        """Returns what is asked of each argument that has memory."""
        return {name: _MEMORY[kind] for name, kind in self.kinds.items() if kind in _MEMORY}

    def _parameters(self) -> str:
        """Returns the parameters of the function: the grid, and those of the kernel with their defaults."""
        out = ["nrd_grid, /"]
        for name, p in self.fn.signature.parameters.items():
            if p.default is not p.empty:
                self.space[f"nrd_default_{name}"] = p.default
            out.append(name if p.default is p.empty else f"{name}=nrd_default_{name}")
        return ", ".join(out)

    def _guards(self) -> str:
        tests = ["nrd_config._active is nrd_driver"]
        for name, kind in self.kinds.items():
            if kind == "none":
                tests.append(f"{name} is None")
            elif kind != "tensor":
                tests.append(f"{name}.__class__ is nrd_class_{name}")
        return " and ".join(tests)

    def _key(self) -> str:
        parts = ["nrd_at", "nrd_runtime.debug", "nrd_compilation.instrumentation_mode"]
        parts += [_KEYS[kind].format(x=name) for name, kind in self.kinds.items()]
        return ", ".join(parts)

    def _function(self) -> Callable:
        tensors = self._with_memory()
        where = ON_GPU if self.driver.device.cuda else ON_HOST
        here = [f"{x}.{where}" for x in tensors if self.kinds[x] == "tensor"]
        if not self.driver.device.cuda:
            here += [m.contiguous.format(x=x) for x, m in tensors.items()]
        addresses = "".join(f"            nrd_p_{x} = {m.address.format(x=x)}\n" for x, m in tensors.items())
        passed = ", ".join(["nrd_stream(nrd_at)", *(f"nrd_p_{x}" for x in tensors), *self.kinds])
        args = "".join(name + ", " for name in self.kinds)
        given = ", ".join(f"{n!r}: {n}" for n in self.kinds)
        source = f"""
def launch({self._parameters()}, **nrd_options):
    nrd_found = None
    if {self._guards()}:
        try:
            nrd_at = nrd_device()
{addresses}            nrd_found = nrd_table.get(({self._key()}, *nrd_options.items()))
            if nrd_found is not None and (nrd_runtime.launch_enter_hook.calls or nrd_runtime.launch_exit_hook.calls or
                    nrd_fn.pre_run_hooks or nrd_fn.used_global_vals and nrd_changed(nrd_fn.used_global_vals)
                    or nrd_at not in nrd_fn.device_caches or not ({" and ".join(here) or "True"})):
                nrd_found = None
        except (AttributeError, TypeError, RuntimeError):
            nrd_found = None
    if nrd_found is None:
        if nrd_self.next is not None:
            return nrd_self.next.launch(nrd_grid, {args}**nrd_options)
        return nrd_general(nrd_fn, ({args}), nrd_grid, nrd_options)
    if nrd_callable(nrd_grid):
        nrd_grid = nrd_grid({{{given}}})
    nrd_n = nrd_len(nrd_grid)
    nrd_x, nrd_y, nrd_z = nrd_grid[0], nrd_grid[1] if nrd_n > 1 else 1, nrd_grid[2] if nrd_n > 2 else 1
    if nrd_x > 0 and nrd_y > 0 and nrd_z > 0:
        nrd_call, nrd_kernel = nrd_found
        nrd_error = nrd_call(nrd_x, nrd_y, nrd_z, {passed})
        if nrd_error:
            nrd_fail(nrd_error)
        return nrd_kernel
    return nrd_general(nrd_fn, ({args}), nrd_grid, nrd_options)
"""
        exec(compile(source, f"<launches of {self.fn.__name__}>", "exec"), self.space)
        f = self.space["launch"]
        f.__name__ = f.__qualname__ = self.fn.__name__
        return f

    def fits(self, values: dict[str, Any], kinds: dict[str, str]) -> bool:
        """Reports whether arguments are of the kinds that the function knows; tensors may be of any class."""
        return kinds == self.kinds and all(kinds[n] == "tensor" or type(v) is self.classes[n] for n,
                                           v in values.items())

    def remember(self, values: dict[str, Any], options: dict[str, Any], kernel: Any) -> None:
        """Keeps a launch that Triton has made."""
        space = {**self.space, **values, "nrd_at": self.driver.current_device(), "nrd_options": options}
        try:
            space.update({f"nrd_p_{n}": eval(m.address.format(x=n), space) for n,
                          m in self._with_memory().items()})
            key = eval(f"({self._key()}, *nrd_options.items())", space)
            if len(self.table) >= _MOST:
                self.table.clear()
            self.table[key] = self._caller(kernel), kernel
        except (AttributeError, TypeError):  # a tensor of another kind, or something that has no hash
            pass

    def _caller(self, kernel: Any) -> Callable:
        """Returns a function that calls the library for a compiled kernel."""
        function, types = kernel.function, iter(kernel.function.types)
        host = not self.driver.device.cuda
        layout, fields = "=QQQQIIII", []
        for name, kind in zip(self.kinds, kernel._run.kinds):
            if kind == "constexpr":
                continue
            form, code = next(types)
            if form == "*":
                head, value = _args.PTR, "0" if self.kinds[name] == "none" else f"nrd_p_{name}"
                count = _MEMORY[self.kinds[name]].count.format(x=name) if value != "0" else "0"
                size = f"{count} * {_args.dtype_size(code)}" if host else "0"
            else:
                head, value, size = _args.SCALAR, name, "0"
            layout += {"*": "Q8xQQ", "f": "Q8xdQ", "i": "Q8xqQ"}[form]
            fields += [str(int.from_bytes(_HEAD.pack(head, code, 0, 0), "little")), value, size]
        n = len(fields) // 3
        tensors = [f"nrd_p_{x}" for x in self._with_memory()]
        head = f"{function.handle}, {function.device}, nrd_stream, {function.options}, nrd_x, nrd_y, nrd_z, {n}"
        space = {"nrd_pack": struct.Struct(layout).pack, "nrd_launch": _lib.lib().nereid_launch_call,
                 "nrd_keep": function}
        exec(f"def call(nrd_x, nrd_y, nrd_z, {', '.join(['nrd_stream', *tensors, *self.kinds])}):\n"
             f"    return nrd_launch(nrd_pack({', '.join([head, *fields])}))\n", space)
        return space["call"]


def _fail(error: int) -> None:
    """Raises an error of the library."""
    __tracebackhide__ = True  # for pytest: the launch is of interest
    raise launcher.expected(_errors.with_line(_errors.take(ctypes.c_void_p(error))))


def _config() -> Any:
    from triton.runtime.driver import driver
    return driver


def remember(fn: Any, driver: Any, kernel: Any, knobs: Any, args: Any, kwargs: dict[str, Any],
             general: Callable) -> None:
    """Keeps a launch that Triton has made, if later ones like it can be quick."""
    run = getattr(kernel, "_run", None)
    if not isinstance(run, launcher.Launcher) or run.host and run.whole:
        return
    options = {k: v for k, v in kwargs.items() if k not in fn.signature.parameters}
    try:
        bound = fn.signature.bind(*args, **{k: v for k, v in kwargs.items() if k not in options})
    except TypeError:
        return
    bound.apply_defaults()
    values = bound.arguments
    kinds = {p.name: _kind(p, values[p.name], driver.device.cuda) for p in fn.params}
    if "" in kinds.values():
        return
    make = lambda: Quick(fn, driver, knobs, values, kinds, general)  # noqa: E731
    _function(fn, driver, values, kinds, make).remember(values, options, kernel)


def _function(fn: Any, driver: Any, values: dict[str, Any], kinds: dict[str, str], make: Callable) -> Quick:
    """Returns the quick launches for arguments of some kinds, new ones behind those that the kernel has."""
    first = fn.__dict__.get("_nereid")
    if first is None or first.driver is not driver:
        first = fn.__dict__["_nereid"] = make()
    q, length = first, 1
    while not q.fits(values, kinds):
        if q.next is None:
            last = q if length < _KINDS else first  # a program that does not settle begins again
            last.next = make()
            return last.next
        q, length = q.next, length + 1
    return q
