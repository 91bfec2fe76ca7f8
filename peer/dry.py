"""Runs a Triton program without a GPU: nothing is launched, but each launch is recorded, and Triton compiles
its kernel.

  dry.py --out DIR --root LIBRARIES [--target hip:gfx942|cuda:90] [--configs N] [--no-triton | --ask
      SPECS.json] [--types] program.py [its arguments]

The program's tensors lie in the host's memory and say that they are a GPU's. Memory that a launch would have
written holds made-up values, which later launches get. For the first launch with each choice of types and
constants, DIR has

  NNNN-KERNEL.safetensors   as capture.py writes it, without results; `nereid replay --against interp` runs it
  NNNN-KERNEL.{hsaco,json}  Triton's code object, and what a launcher must know of it (`nereid replay
      --from-stage hsaco=DIR`)
  specs.json                an entry for `nereid compile --specs` for each compilation, with the processor
      time in seconds
                            that Triton took, or its error. An autotuned kernel has N configs here, and a
                                recorded launch
                            of the first one that Triton compiles and whose shared memory the GPU has

For cuda:90 there is PTX instead of code objects: ptxas is not run.

With --types, Triton's front end reads every kernel that Triton is not asked to compile: an entry whose
arguments it refuses has its error, as if Triton had been asked, and small_libraries.py goes on to other
arguments.

A launch that Triton does not compile, or that asks for more shared memory than there is, has an entry in
specs.json alone.

With --thin, floats are neither computed nor recorded, only the size of their memory, which replays fill with
random numbers: launches of any size take little disk, for `nereid rules measure`. Integers are recorded.

Processor time is that of Triton's compilation in this process from the syntax tree to the code object, with
its cache off.
"""
import argparse
import contextlib
import enum
import json
import os
import runpy
import shutil
import sys
import types
import warnings

import torch
import triton
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction

import capture

GPU = torch.device("cuda", 0)
THREADS = 1024  # that a program may have
MORE_CONFIGS = 8  # that are tried if those before do not fit
COMMON = dict(total_memory=1 << 37, max_threads_per_multi_processor=2048, regs_per_multiprocessor=65536,
              L2_cache_size=1 << 25)
# What torch says of the GPU of a back end.
GPUS = {
    "hip": types.SimpleNamespace(name="AMD Instinct MI300X", major=9, minor=4, multi_processor_count=304,
                                 warp_size=64, gcnArchName="gfx942", shared_memory_per_block=65536,
                                 shared_memory_per_block_optin=65536, **COMMON),
    "cuda": types.SimpleNamespace(name="NVIDIA H200", major=9, minor=0, multi_processor_count=132,
                                  warp_size=32, shared_memory_per_block=49152,
                                  shared_memory_per_block_optin=232448, **COMMON),
}
CODE = {"hip": "hsaco", "cuda": "ptx"}  # the last stage that is compiled


class Driver:
    """What Triton and the libraries ask of a driver."""

    def __init__(self, target):
        self.target = target
        gpu = GPUS[target.backend]
        self.capability = gpu.major, gpu.minor
        self.utils = types.SimpleNamespace(get_device_properties=lambda _: {
            "max_shared_mem": gpu.shared_memory_per_block_optin,
            "multiprocessor_count": gpu.multi_processor_count, "max_num_regs": 65536,
            "warpSize": gpu.warp_size, "sm_clock_rate": 1, "mem_clock_rate": 1, "mem_bus_width": 1})

    def get_current_target(self):
        return self.target

    def get_current_device(self):
        return 0

    def get_current_stream(self, device=0):
        return 0

    def get_device_interface(self):
        return torch.cuda

    def get_active_torch_device(self):
        return GPU

    def get_device_capability(self, device=0):
        return self.capability

    def get_empty_cache_for_benchmark(self):
        return torch.empty(1)

    def clear_cache(self, cache):
        pass


def on_host(value):
    """The device cpu for the GPU, any other value as it is."""
    if isinstance(value, torch.device) and value.type == "cuda" or isinstance(value, str) and value.split(":")[0] == "cuda":
        return HOST
    return value


HOST = torch.device("cpu")
MAKERS = (
    "arange empty empty_like empty_strided eye full full_like linspace logspace normal ones ones_like rand rand_like randint randint_like "
    "randn randn_like randperm tensor as_tensor zeros zeros_like tril_indices triu_indices").split()
METHODS = "to new_empty new_empty_strided new_full new_ones new_tensor new_zeros".split()


def move_to_host():
    """Has torch make tensors for the GPU in the host's memory. Those that would be uninitialised get
    values."""
    for owner, names in ((torch, MAKERS), (torch.Tensor, METHODS)):
        for name in names:
            setattr(owner, name, moved(getattr(owner, name), "empty" in name))
    torch.Tensor.cuda = lambda self, *_, **__: self
    torch.Tensor.device, torch.Tensor.is_cuda = property(lambda _: GPU), property(lambda _: True)


def moved(make, uninitialised):
    if THIN and make.__name__ in RANDOM:
        make = torch.zeros_like if make.__name__.endswith("_like") else torch.zeros

    def on_host_instead(*args, **kwargs):
        kwargs.pop("generator", None) if THIN else None
        made = make(*map(on_host, args), **{k: on_host(v) for k, v in kwargs.items() if k != "pin_memory"})
        if uninitialised:
            fill(made)
        return made

    return on_host_instead


THIN = False
RANDOM = "rand rand_like randn randn_like".split()  # not computed if THIN


@torch.no_grad()
def fill(made):
    """Puts values into a new tensor: random floats, integers that are 0, which is a valid index."""
    if made.is_floating_point() and THIN:
        return
    if made.dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        made.normal_()
    else:
        made.untyped_storage().fill_(0)


def pretend(backend):
    """Makes torch say that there is a GPU."""
    cuda, gpu = torch.cuda, GPUS[backend]
    said = {"is_available": True, "current_device": 0, "device_count": 1,
            "get_device_capability": (gpu.major, gpu.minor), "get_device_properties": gpu,
            "get_device_name": gpu.name, "empty_cache": None, "set_device": None, "synchronize": None,
            "is_current_stream_capturing": False, "is_bf16_supported": True, "_lazy_init": None,
            "mem_get_info": (1 << 37, 1 << 37)}
    for name, value in said.items():
        setattr(cuda, name, lambda *_, _value=value, **__: _value)
    stream = types.SimpleNamespace(cuda_stream=0, synchronize=lambda: None, wait_stream=lambda _: None)
    cuda.current_stream = cuda.default_stream = lambda *_: stream
    torch.get_device_module = lambda *_: cuda
    for name in ("device", "device_of", "_DeviceGuard", "stream"):
        setattr(cuda, name, lambda *_: contextlib.nullcontext())
    # The state of a GPU's generator is a seed and an offset.
    state = torch.zeros(16, dtype=torch.uint8)
    cuda.default_generators = (types.SimpleNamespace(get_state=lambda: state, set_state=lambda _: None,
                                                     initial_seed=lambda: 0),)
    cuda.get_rng_state, cuda.set_rng_state = lambda *_: state, lambda *_: None
    if backend == "hip":
        torch.version.hip = "6.4"
    move_to_host()


def stand_in():
    """Stands for what tutorials import for their tests: pytest where it is not installed, and cuBLAS."""
    from triton._C import libtriton
    libtriton.nvidia.cublas.CublasLt = lambda *_: None
    try:
        import pytest  # noqa: F401
    except ImportError:
        mark = types.SimpleNamespace(parametrize=lambda *_, **__: lambda f: f)
        sys.modules["pytest"] = types.SimpleNamespace(mark=mark, skip=lambda *_: None)


class Nothing:
    """The compiled kernel that a launch returns."""
    asm, metadata, n_regs, n_spills = {}, types.SimpleNamespace(shared=0), 1, 0

    def __getitem__(self, grid):
        return lambda *_, **__: None

    def _init_handles(self):
        pass


def first_cause(e):
    while e.__cause__ is not None:
        e = e.__cause__
    return f"{type(e).__name__}: {e}"[:400]


def about(spec):
    """What tells compilations apart."""
    return tuple(spec[k] for k in ("kernel", "signature", "num_warps", "num_stages", "num_ctas"))


class Recorder(capture.Recorder):

    def __init__(self, out, root, compiles, max_bytes, backend):
        super().__init__(out, root, 1, max_bytes)
        self.compiles, self.specs, self.asks, self.types = compiles, [], None, False
        self.code, self.shared = CODE[backend], GPUS[backend].shared_memory_per_block_optin
        self.only_compile = False  # the launch of another config is recorded
        self.fits = True  # Triton compiled the last kernel, and its shared memory is there
        self.compiled = set()

    def source(self, fn):
        """The kernel's file below the root. One that a library has generated elsewhere is copied beside the
        cases."""
        path = super().source(fn)
        if not path.startswith(".."):
            return path
        name = f"{capture.hashlib.sha256(path.encode()).hexdigest()[:12]}_{os.path.basename(path)}"
        os.makedirs(os.path.join(self.out, "src"), exist_ok=True)
        shutil.copy(os.path.join(self.root, path), os.path.join(self.out, "src", name))
        return "@/" + name

    def launch(self, original, fn, args, kwargs):
        try:
            self.record(fn, args, dict(kwargs))
        except Exception as e:
            print("dry: skipped", fn.__name__, repr(e)[:300], file=sys.stderr)
        return Nothing()

    def snapshot(self, storages):
        return {} if THIN else super().snapshot(storages)

    def thin(self, launch, storages):
        """Notes the sizes of storages of floats in the launch, and returns the others."""
        floats = set()

        def walk(described):
            for d in described:
                if d.get("storage") is not None and d["dtype"].startswith(("fp", "bf", "float")):
                    floats.add(d["storage"])
                walk(d.get("items") or [])

        walk(launch["args"])
        launch["made"] = {key: s.nbytes() for key, s, _ in storages.values() if key in floats}
        return super().snapshot({k: v for k, v in storages.items() if v[0] not in floats})

    def record(self, fn, args, kwargs):
        grid = kwargs.pop("grid")
        kwargs.pop("warmup", None)
        for hook in fn.pre_run_hooks:
            hook(*args, **kwargs)
        seen = self.before(fn, args, kwargs, grid)
        if seen is None:
            return
        launch, storages, before = seen
        if THIN:
            before = self.thin(launch, storages)
        kept = {k: kwargs[k] for k in ("waves_per_eu", "matrix_instr_nonkdim", "kpack") if kwargs.get(k)}
        kwargs["debug"] = kwargs.get("debug", fn.debug) or False
        kwargs["instrumentation_mode"] = ""
        _, _, target, backend, binder = fn.device_caches[0]
        bound, specialization, options = binder(*args, **kwargs)
        options, signature, constexprs, attrs = fn._pack_args(backend, kwargs, bound, specialization, options)
        key = fn.cache_key, str(signature), str(constexprs), str(attrs), str(options)
        if key in self.compiled:
            return
        self.compiled.add(key)
        name = f"{self.count:04d}-{launch['kernel']}"
        self.count += 1
        described = dict(zip([p.name for p in fn.params], launch["args"]))
        spec = {"name": name, "file": self.from_here(launch["file"]), "kernel": launch["kernel"],
                "signature": self.signature(signature, constexprs, attrs, described),
                "num_warps": options.num_warps, "num_stages": options.num_stages,
                "num_ctas": options.num_ctas, "library": launch["file"].split("/")[0]}
        if kept:
            spec["extra"] = ",".join(f"{k}={v}" for k, v in kept.items())
        launch["options"].update(num_warps=options.num_warps, num_stages=options.num_stages)
        self.specs.append(spec)
        if self.compiles and (self.asks is None or about(spec) in self.asks):
            spec["triton"] = self.compile(name, triton.compiler.ASTSource(fn, signature, constexprs, attrs),
                                          target, options)
            self.fits = spec["triton"].get("shared", self.shared + 1) <= self.shared and options.num_warps * target.warp_size <= THREADS
        elif self.types and (wrong := self.refused(
            triton.compiler.ASTSource(fn, signature, constexprs, attrs), target, options)):
            spec["triton"] = {"error": wrong}
            self.fits = False
        elif self.types:
            self.fits = True
        if self.fits and not self.only_compile:
            tensors = {f"in/{k}": v for k, v in before.items()}
            capture.save_file(tensors, os.path.join(self.out, name + ".safetensors"),
                              metadata={"launch": json.dumps(launch)})

    def from_here(self, file):
        """A kernel's file by its path from the folder of the cases."""
        return "src/" + file[2:] if file.startswith("@/") else os.path.relpath(os.path.join(self.root, file),
                                                                               self.out)

    def signature(self, types_, constexprs, attrs, described):
        """The signature as nereid compile takes it."""
        return ", ".join(self.entry((i,), t, constexprs, attrs, described[n]) for i,
                         (n, t) in enumerate(types_.items()))

    def entry(self, path, kind, constexprs, attrs, described):
        if isinstance(kind, tuple):
            items = [self.entry(path + (i,), k, constexprs, attrs, d) for i,
                     (k, d) in enumerate(zip(kind, described["items"]))]
            return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
        if kind == "constexpr":
            return self.constant(constexprs[path], described)
        return kind + (":16" if ["tt.divisibility", 16] in attrs.get(path, []) else "")

    def constant(self, value, described):
        value = getattr(value, "value", value) if isinstance(value, triton.language.constexpr) else value
        if isinstance(value, JITFunction):
            return f"@{self.from_here(described['file'])}:{value.__name__}"
        if described["kind"] == "dtype":
            return described["value"]
        if described["kind"] == "int" and not described.get("constexpr"):
            return "i32:1"
        if isinstance(value, float) and (value != value or value in (float("inf"), -float("inf"))):
            return f"float('{value}')"
        return repr(value.value if isinstance(value, enum.Enum) else value)

    def refused(self, source, target, options):
        """What Triton's front end says against a kernel with these arguments, "" for nothing."""
        backend, context = triton.compiler.compiler.make_backend(target), ir.context()
        ir.load_dialects(context)
        backend.load_dialects(context)
        try:
            source.make_ir(target, options, backend.get_codegen_implementation(options),
                           backend.get_module_map(), context)
        except Exception as e:
            return first_cause(e)
        return ""

    def compile(self, name, source, target, options):
        start = os.times()
        try:
            made = triton.compile(source, target=target, options=options.__dict__)
        except Exception as e:
            return {"error": first_cause(e)}
        end = os.times()
        if not self.only_compile:
            code = made.asm[self.code]
            with open(os.path.join(self.out, f"{name}.{self.code}"), "wb") as f:
                f.write(code.encode() if isinstance(code, str) else code)
            with open(os.path.join(self.out, name + ".json"), "w") as f:
                json.dump({"Name": made.metadata.name, "Shared": made.metadata.shared,
                           "NumWarps": made.metadata.num_warps}, f)
        return {"seconds": round(sum(end[:4]) - sum(start[:4]), 4), "shared": made.metadata.shared}

    def close(self):
        with open(os.path.join(self.out, "specs.json"), "w") as f:
            json.dump(self.specs, f, indent=1)
        triton_specs = [s["triton"] for s in self.specs if "triton" in s]
        took = [t["seconds"] for t in triton_specs if "seconds" in t]
        print(
            f"dry: {len(self.specs)} compilations, {len({s['kernel'] for s in self.specs})} kernels; Triton compiled {len(took)} in "
            f"{sum(took):.1f} s", file=sys.stderr)


def install(recorder, most):
    JITFunction.run = lambda self, *args, **kwargs: recorder.launch(None, self, args, kwargs)

    def run(self, *args, **kwargs):
        self.nargs = dict(zip(self.arg_names, args))
        configs = self.prune_configs(kwargs) if len(self.configs) > 1 else self.configs
        self.best_config = configs[0]
        out = None
        for i, config in enumerate(configs):
            if i >= most and recorder.only_compile or i >= most + MORE_CONFIGS:
                break
            if config.pre_hook is not None:
                config.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()})
            made = self.fn.run(*args, **kwargs, **config.all_kwargs())
            if recorder.fits and not recorder.only_compile:
                recorder.only_compile, self.best_config = True, config
            out = out or made
        recorder.only_compile = False
        self.nargs = None
        return out

    def without_run(cls, **_):
        """FlagGems' tuner has a run of its own, which keeps what it measured in a file: all configs are
        wanted."""
        if "run" in vars(cls):
            del cls.run

    Autotuner.run = run
    if most > 1:
        Autotuner.__init_subclass__ = classmethod(without_run)


def target_of(text):
    backend, arch = text.split(":")
    return GPUTarget(backend, int(arch) if arch.isdigit() else arch, 64 if arch.startswith("gfx9") else 32)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--target", default="hip:gfx942")
    parser.add_argument("--configs", type=int, default=1,
                        help="compile so many configs of an autotuned kernel")
    parser.add_argument("--max-bytes", type=int, default=1 << 22)
    parser.add_argument("--no-triton", action="store_true", help="record only")
    parser.add_argument("--ask", metavar="SPECS.json", help="have Triton compile these entries alone")
    parser.add_argument("--types", action="store_true",
                        help="have Triton's front end read what Triton does not compile")
    parser.add_argument("--thin", action="store_true", help="do not record floats")
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    a = parser.parse_args()
    global THIN
    THIN = a.thin
    warnings.simplefilter("ignore")
    triton.knobs.compilation.always_compile = True
    target = target_of(a.target)
    triton.runtime.driver.set_active(Driver(target))
    if target.backend == "cuda":
        type(triton.compiler.compiler.make_backend(target)).make_cubin = lambda *_: b""
    pretend(target.backend)
    stand_in()
    recorder = Recorder(a.out, a.root, not a.no_triton, a.max_bytes, target.backend)
    if a.ask:
        with open(a.ask) as f:
            recorder.asks = {about(spec) for spec in json.load(f)}
    recorder.types = a.types
    install(recorder, a.configs)
    sys.modules["dry"] = types.SimpleNamespace(recorder=recorder)  # the program finds it here
    sys.argv = [a.program] + a.arguments
    sys.path[:0] = [a.root, os.path.dirname(os.path.abspath(a.program))]
    try:
        runpy.run_path(a.program, run_name="__main__")
    finally:
        recorder.close()


if __name__ == "__main__":
    main()
