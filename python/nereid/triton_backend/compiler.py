"""The compiler that Triton sees: its front end makes Triton IR, and Nereid takes it from there."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import os
import re
import sys
import threading
from dataclasses import dataclass, fields
from types import ModuleType
from typing import Any

from triton.backends.compiler import BaseBackend, GPUTarget

from .. import _errors, _kernel, version
from . import active, launcher, open_device

_PRECISIONS = ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6")
_SHARED = 1  # bytes of shared memory that host code may divide by; the launch decides how many there are
_FP8 = {"cuda": ("fp8e4b15", "fp8e4nv", "fp8e5"), "hip": ("fp8e4b8", "fp8e4nv", "fp8e5", "fp8e5b16"),
        "cpu": ("fp8e4b15", "fp8e4b8", "fp8e4nv", "fp8e5", "fp8e5b16")}


@dataclass(frozen=True)
class NereidOptions:
    """The options of a compilation: Triton's, and those of activate()."""

    num_warps: int = 4
    num_ctas: int = 1
    num_stages: int = 3
    warp_size: int = 32
    maxnreg: int | None = None
    ir_override: str | None = None
    enable_fp_fusion: bool = True
    launch_cooperative_grid: bool = False
    launch_pdl: bool = False
    supported_fp8_dtypes: tuple[str, ...] = _FP8["cpu"]
    deprecated_fp8_dot_operand_dtypes: tuple[str, ...] = ()
    default_dot_input_precision: str = "ieee"
    allowed_dot_input_precisions: tuple[str, ...] = _PRECISIONS
    max_num_imprecise_acc_default: int = 0
    extern_libs: tuple = ()
    debug: bool = False
    backend_name: str = "nereid"
    sanitize_overflow: bool = True
    arch: str = ""
    instrumentation_mode: str = ""
    # Options of Triton's own back ends, which mean nothing here.
    ptx_version: int | None = None
    ptx_options: str | None = None
    enable_reflect_ftz: bool = True
    waves_per_eu: int = 0
    matrix_instr_nonkdim: int = 0
    kpack: int = 1
    allow_flush_denorm: bool = False
    schedule_hint: str = "none"
    fpsan_homomorphic_casts: bool = False  # of Triton 3.9
    # The device, and activate(check=True).
    device: str = ""
    check: bool = False

    def __post_init__(self) -> None:
        if self.num_warps <= 0 or self.num_warps & (self.num_warps - 1):
            raise AssertionError("num_warps must be a power of 2")

    def hash(self) -> str:
        """Returns a hash of all options."""
        text = "_".join(f"{f.name}-{getattr(self, f.name)}" for f in fields(self))
        return hashlib.sha256(text.encode()).hexdigest()

    def launch(self) -> dict[str, Any]:
        """Returns the options of launches."""
        return {"num_warps": self.num_warps, "num_ctas": self.num_ctas, "num_stages": self.num_stages,
                "maxnreg": self.maxnreg, "enable_fp_fusion": self.enable_fp_fusion,
                "launch_cooperative_grid": self.launch_cooperative_grid, "launch_pdl": self.launch_pdl,
                "check": self.check, "extern_libs": dict(self.extern_libs) or None}


class Program:
    """A kernel in memory: its module, its launch options, and the device that it is compiled for."""

    def __init__(self, text: str, device: str, values: dict[str, Any]) -> None:
        self.device = open_device(device)
        self.module = _kernel.parse_ir(text, "kernel.ttir", device=self.device)
        self.kernel = next(iter(self.module.values()))
        self.values = values
        self.options = _kernel.options(self.values)
        self.signature = self.kernel.signature()

    def code(self, until: str = "") -> _kernel.Code:
        """Compiles the kernel once more, for the text of its stages."""
        return self.kernel.compile(self.signature, self.device.target, until, **self.values)


class Warming(threading.local):
    """Whether the calling thread compiles ahead of launches, in JITFunction.warmup."""

    on = False


warming = Warming()
_programs: dict[tuple, Program] = {}
_lock = threading.Lock()
_MOST = 4096  # programs that are kept for kernels compiled and not loaded yet


def program(text: str, device: str, opts: dict[str, Any]) -> Program:
    """Returns the kernel of a text, the same for all who ask."""
    opts = {k: v for k, v in opts.items() if v is not None}
    key = (device, text, tuple(sorted((k, str(v)) for k, v in opts.items())))
    with _lock:
        p = _programs.get(key)
    if p is None:
        p = Program(text, device, opts)
        with _lock:
            if len(_programs) >= _MOST:
                _programs.clear()
            p = _programs.setdefault(key, p)
    return p


@functools.lru_cache(maxsize=1)
def _columns_from_one() -> bool:
    """Reports whether places in the IR of this Triton have columns that begin with 1: since 3.8, and with 0
    before."""
    from triton.compiler.code_generator import CodeGenerator
    return "begin_col" in inspect.signature(CodeGenerator.__init__).parameters


_PLACE = re.compile(r'(loc\("[^"\n]*":\d+:)(\d+)')


def source(module: Any) -> str:
    """Returns the text of a module of Triton's, with columns that begin with 0, as MLIR's other tools have
    them."""
    text = str(module)
    if _columns_from_one():
        text = _PLACE.sub(lambda m: m[1] + str(max(int(m[2]) - 1, 0)), text)
    return text


def read(binary: bytes, device: str = "") -> Program:
    """Returns the kernel of a binary: a line with its device and options, then its IR."""
    head, _, text = binary.partition(b"\n")
    made = json.loads(head)
    return program(text.decode(), device or made["device"], made["options"])


def gpu_like(target: GPUTarget) -> bool:
    """Reports whether kernels see a GPU: a real one, or a simulated one."""
    return target.backend in ("cuda", "hip")


def _min_dot_size(lhs: Any, rhs: Any) -> tuple[int, int, int]:
    return (1, 1, 1)


class NereidBackend(BaseBackend):
    """The compiler of Nereid's devices."""

    binary_ext = "nereid"

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        d = active()
        return d is not None and d.backend_name == target.backend

    def __init__(self, target: GPUTarget) -> None:
        super().__init__(target)
        self.binary_ext = "nereid"

    @functools.lru_cache
    def hash(self) -> str:
        """Returns what compiled kernels depend on beside their source and options."""
        return f"nereid-{version()}-{self.target}"

    def parse_options(self, opts: dict) -> NereidOptions:
        known = {f.name for f in fields(NereidOptions)}
        args = {k: v for k, v in opts.items() if k in known and v is not None}
        args["extern_libs"] = _libraries(args.get("extern_libs"))
        d = active()
        args.setdefault("arch", str(self.target.arch))
        args.setdefault("warp_size", self.target.warp_size)
        args.setdefault("device", d.device.name)
        args.setdefault("supported_fp8_dtypes", _FP8[self.target.backend])
        args["check"] = bool(args.get("check") or d.check)
        if self.target.backend == "cuda":
            args.setdefault("default_dot_input_precision", "tf32")
            args.setdefault("backend_name", "cuda")
            args.setdefault("max_num_imprecise_acc_default", 2**30 if self.target.arch == 90 else 0)
        if "enable_fp_fusion" not in args:
            from triton import knobs
            args["enable_fp_fusion"] = knobs.language.default_fp_fusion
        return NereidOptions(**args)

    def pack_metadata(self, metadata: Any) -> tuple:
        return (metadata.num_warps, metadata.num_ctas, metadata.shared)

    def get_codegen_implementation(self, options: NereidOptions) -> dict:
        import triton.language.extra.cuda as cuda
        size = _min_dot_size
        if self.target.backend == "cuda":
            from triton.backends.nvidia.compiler import min_dot_size
            size = min_dot_size(self.target)
        return {"min_dot_size": size, "convert_custom_types": cuda.convert_custom_float8_sm80}

    def get_module_map(self) -> dict[str, ModuleType]:
        from triton.language.extra.cuda import libdevice
        return {"triton.language.extra.libdevice": libdevice}

    def load_dialects(self, context: Any) -> None:
        if self.target.backend == "cuda":
            from triton._C.libtriton import nvidia
            nvidia.load_dialects(context)

    def add_stages(self, stages: dict, options: NereidOptions, language: Any = None) -> None:
        kept: dict[str, str] = {}
        stages["ttir"] = lambda src, metadata: self._ttir(src, metadata, options, kept)
        stages["nereid"] = lambda src, metadata: self._build(src, metadata, options, kept)

    def _ttir(self, src: Any, metadata: dict, options: NereidOptions, kept: dict[str, str]) -> str:
        """Returns Triton IR after our passes. The IR before them is kept for the next stage."""
        kept["source"] = source(src)
        p = program(kept["source"], options.device, options.launch())
        metadata["name"], metadata["shared"] = p.kernel.name, _SHARED
        if os.environ.get("MLIR_ENABLE_DUMP", "0") in ("1", p.kernel.name):
            sys.stderr.write(
                f"// -----// IR Dump Before Nereid ({p.kernel.name}) //----- //\n{kept['source']}\n")
        kept["ttir"] = ir = p.code("ttir").asm["ttir"]
        return ir

    def _build(self, src: Any, metadata: dict, options: NereidOptions, kept: dict[str, str]) -> bytes:
        """Returns the IR that launches compile, compiled already where a launch tells nothing more."""
        text = kept["source"] if src == kept.get("ttir") else str(src)
        p = program(text, options.device, options.launch())
        metadata["name"] = p.kernel.name
        metadata.setdefault("shared", _SHARED)
        if not gpu_like(self.target) or warming.on:
            try:
                p.kernel.build(p.signature, **p.values)
            except _errors.NereidError as e:
                raise launcher.expected(_errors.with_line(e)) from None
        return json.dumps({"device": options.device, "options": p.values}).encode() + b"\n" + text.encode()


def _libraries(libs: Any) -> tuple:
    return tuple(sorted((libs.items() if isinstance(libs, dict) else libs) or ()))

