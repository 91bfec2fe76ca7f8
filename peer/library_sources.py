"""Asks a release of Triton, and Nereid by its rules, for the kernels in the sources of libraries that cannot
be imported here:

  library_sources.py --root LIBRARIES --release 3.9 --nereid bin/nereid --out DIR [--seconds 3] PACKAGE...

Modules below the packages are run statement by statement, and a statement that fails is left out; packages
that are not here, PyTorch among them, are stubs. So the jit functions are there, and neither PyTorch nor a
GPU is needed. The types of the parameters are not known: they are searched for, beginning with those that
Nereid guesses, until the release's front end takes the kernel or the time is over. A kernel that it takes is
compiled by Nereid with the same types (`nereid compile --triton RELEASE`); those with block pointers, which
the release refuses, with types that 3.8 takes are not looked for: they are compiled by RELEASE+block_ptr
alone. DIR/specs.json and DIR/report.tsv tell of each kernel; with the former as --guesses, the search goes
on. The first triton on PYTHONPATH must be of that release.
"""
import argparse
import ast
import collections
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import re
import sys
import time
import types
import warnings

import triton
import triton.language as tl
from triton.language.extra import libdevice

import frontend
from _nereid import compile_specs

POINTERS = ["*bf16:16", "*fp32:16", "*i32:16", "*i64:16", "*fp16:16", "*u8:16", "*i8:16", "*u32:16", "*i1:16",
            "*fp8e4nv:16"]
SCALARS = ["i32", "fp32", "i64"]
CONSTANTS = ["64", "False", "True", "16", "1", "2", "4", "32", "128", "None", "0", "bf16", "'silu'", "3", "8"]


class Stub(types.ModuleType):
    """A package that is not here: every name in it is a class or a function that returns another stub."""
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name[:1].isupper():
            return type(name, (object, ), {})
        return Stub(name)

    def __call__(self, *args, **kwargs):
        if len(args) == 1 and not kwargs and callable(args[0]):
            return args[0]  # a decorator
        return self.__name__ in ("is_cuda", "is_cuda_alike") if self.__name__.startswith(("is_", "has_")) else Stub(self.__name__)


class Stubs(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds what nobody else has found."""

    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Stub(spec.name)

    def exec_module(self, module):
        pass


class Sources(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds modules of the packages and runs what of them can be run."""

    def __init__(self, root, packages):
        self.root, self.packages = root, packages

    def find_spec(self, name, path, target=None):
        if name.split(".")[0] not in self.packages:
            return None
        base = os.path.join(self.root, *name.split("."))
        for file, is_package in ((os.path.join(base, "__init__.py"), True), (base + ".py", False)):
            if os.path.exists(file):
                spec = importlib.machinery.ModuleSpec(name, self, origin=file, is_package=is_package)
                spec.has_location = True
                if is_package:
                    spec.submodule_search_locations = [base]
                return spec
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        file = module.__spec__.origin
        with open(file) as f:
            tree = ast.parse(f.read(), file)
        for statement in tree.body:
            if isinstance(statement, ast.Expr):  # calls for their effects
                continue
            code = compile(ast.Module([statement], []), file, "exec",
                           flags=__import__("__future__").annotations.compiler_flag)
            try:
                exec(code, module.__dict__)
            except Exception:
                pass


def vllm_modules():
    """What vLLM asks of the machine, answered for a GPU of NVIDIA's."""
    made = Stub("vllm.triton_utils")
    made.__dict__.update(triton=triton, tl=tl, HAS_TRITON=True, tldevice=libdevice)
    sys.modules["vllm.triton_utils"] = made


def choices(param, guess):
    """Entries that a parameter may have, the likeliest first."""
    name, low = param.name, param.name.lower()
    if param.is_constexpr:
        first = []
        if param.has_default:
            first.append(repr(param.default) if isinstance(param.default,
                                                           (int, float, str, bool, type(None))) else "None")
        if "dtype" in low or low.endswith("_type"):
            first += ["bf16", "fp32"]
        if low.startswith(("is_", "has_", "use_", "do_", "with_", "enable", "apply", "even", "store",
                           "load")):
            first += ["False", "True"]
        if "stride" in low:
            first.append("1")
        return unique(first + CONSTANTS)
    if param.annotation_type:
        return [param.annotation_type]
    whole = ("idx", "index", "indices", "ids", "loc", "len", "offset", "table", "slot", "map", "count", "num",
             "pos", "cu_", "start", "token", "mask", "block", "req", "seq")
    pointer = low.endswith(("ptr", "_ptrs", "_p")) or guess and guess.startswith("*")
    if pointer:
        first = ["*i32:16", "*i64:16"] if any(w in low for w in whole) else ["*fp32:16"] if "scale" in low else []
        return unique(first + POINTERS + SCALARS + ["None"])
    first = ["fp32"] if re.search(r"(^|_)(eps|epsilon|scale|alpha|theta|beta|temperature|softcap)(_|$)",
                                  low) else []
    return unique(first + SCALARS + POINTERS + ["None"])


def unique(items):
    return list(dict.fromkeys(items))


def attempt(fn, entries, backend):
    """Triton's verdict: (None, "") if it takes the kernel, else how far it came (the lines of the calls) and
    why."""
    from triton._C.libtriton import ir
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    options = backend.parse_options({})
    try:
        frontend.source(fn, ", ".join(entries)).make_ir(frontend.TARGET, options,
                                                        backend.get_codegen_implementation(options),
                                                        backend.get_module_map(), context)
    except Exception as e:
        lines, last = [], e
        while e is not None:
            lines.append(getattr(getattr(e, "node", None), "lineno", 0))
            last, e = e, e.__cause__
        return lines, f"{type(last).__name__}: {last}".strip().splitlines()[-1][:200]
    return None, ""


def search(fn, guess, backend, seconds):
    """Entries that Triton takes, or the best found and the reason of the refusal."""
    params = fn.params
    lists = [choices(p, g) for p, g in zip(params, guess or [""] * len(params))]
    best = [l[0] for l in lists]
    score, why = attempt(fn, best, backend)
    if guess and score is not None:
        got, reason = attempt(fn, guess, backend)
        if got is None or got > score:
            best, score, why = guess, got, reason
    end, source = time.time() + seconds, fn.src.splitlines()
    improved = True
    while score is not None and improved and time.time() < end:
        improved = False
        line = source[score[0] - 1] if score and 0 < score[0] <= len(source) else ""
        order = sorted(range(len(params)), key=lambda i: params[i].name not in line)
        for i in order:
            for entry in lists[i]:
                if time.time() > end or entry == best[i]:
                    continue
                tried = best[:i] + [entry] + best[i + 1:]
                got, reason = attempt(fn, tried, backend)
                if got is None or got > score:
                    best, score, why, improved = tried, got, reason, True
                    break
            if score is None or improved:
                break
    return best, score is None, why


def kernels(a):
    """Jit functions of the packages' files that launches name: those with a kernel's parameters and no
    return."""
    for package in a.packages:
        for folder, _, files in sorted(os.walk(os.path.join(a.root, package))):
            for file in sorted(files):
                path = os.path.join(folder, file)
                if not file.endswith(".py"):
                    continue
                with open(path) as f:
                    text = f.read()
                if "triton.jit" not in text:
                    continue
                module = os.path.relpath(path, a.root)[:-3].replace(os.sep, ".").removesuffix(".__init__")
                for node in ast.parse(text).body:
                    if isinstance(node, ast.FunctionDef) and any("triton.jit" in ast.unparse(d)
                                                                 for d in node.decorator_list):
                        returns = any(isinstance(n, ast.Return) and n.value is not None
                                      for n in ast.walk(node))
                        stores = any(isinstance(n, ast.Attribute) and n.attr.startswith(("store", "atomic"))
                                     for n in ast.walk(node))
                        if stores and not returns:
                            yield package, path, module, node.name, "make_block_ptr" in ast.unparse(node)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("root", "release", "nereid", "out"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rules", help="the rules by which Nereid compiles, if not those of the release")
    parser.add_argument("--block-pointers", action="store_true",
                        help="ask for kernels with block pointers alone")
    parser.add_argument("--guesses",
                        help="signatures to begin with: a list as nereid compile --specs takes it")
    parser.add_argument("packages", nargs="+")
    a = parser.parse_args()
    a.root = os.path.realpath(a.root)
    os.makedirs(a.out, exist_ok=True)
    if not triton.__version__.startswith(a.release + "."):
        raise SystemExit(f"this is Triton {triton.__version__}")
    warnings.simplefilter("ignore")
    triton.runtime.driver.set_active(type("Driver", (),
                                          {"get_current_target": lambda self: frontend.TARGET})())
    sys.meta_path[:] = [Sources(a.root, a.packages), *sys.meta_path, Stubs()]
    if "vllm" in a.packages:
        vllm_modules()
    guesses = {}
    if a.guesses:
        with open(a.guesses) as f:
            guesses = {(os.path.realpath(s["file"]), s["kernel"]): s["signature"] for s in json.load(f)}
    backend, specs, verdicts = triton.compiler.compiler.make_backend(frontend.TARGET), [], {}
    for package, path, module, name, block in kernels(a):
        if a.block_pointers and not block:
            continue
        fn = getattr(importlib.import_module(module), name, None)
        entry = {"name": f"{len(verdicts):04d}-{name}", "file": path, "kernel": name, "library": package}
        try:
            fn = frontend.unwrap(fn)
        except AttributeError:
            verdicts[entry["name"]] = (entry, False, "the stubs do not reach it", block)
            continue
        guess = guesses.get((path, name))
        guess = frontend.split(guess) if guess else None
        entries, taken, why = search(fn, guess if guess and len(guess) == len(fn.params) else None, backend,
                                     a.seconds)
        entry["signature"] = ", ".join(entries)
        specs.append(entry)
        verdicts[entry["name"]] = (entry, taken, why, block)
        print(f"{'ok ' if taken else 'no '} {name} {why}", flush=True)
    with open(os.path.join(a.out, "specs.json"), "w") as f:
        json.dump(specs, f, indent=1)
    ours = compile_specs(a.nereid, specs, a.rules or a.release, a.root, os.path.join(a.out, "source"))
    refused = [s for s in specs if not verdicts[s["name"]][1]]
    kept = compile_specs(a.nereid, refused, a.release + "+block_ptr", a.root, os.path.join(a.out, "kept"))
    report(a, verdicts, ours, kept)


def report(a, verdicts, ours, kept):
    counts, lines = collections.defaultdict(collections.Counter), []
    for name, (entry, taken, why, block) in verdicts.items():
        we = ours.get(name, "no answer")
        column = ("both" if not we else "Triton alone") if taken else ("Nereid alone"
                                                                       if not we else "neither")
        for key in (entry["library"], "all"):
            counts[key]["kernels"] += 1
            counts[key][column] += 1
            counts[key]["block pointers"] += block
            counts[key]["of them +block_ptr"] += block and not taken and kept.get(name) == ""
        lines.append(
            f"{column}\t{entry['library']}\t{name}\t{why}\t{we}\t{kept.get(name, '-')}\t{entry.get('signature', '')}")
    with open(os.path.join(a.out, "report.tsv"), "w") as f:
        f.write("\n".join(lines) + "\n")
    columns = ("kernels", "both", "Triton alone", "Nereid alone", "neither", "block pointers",
               "of them +block_ptr")
    print(f"{'':16}" + "".join(f"{c:>20}" for c in columns))
    for library, row in sorted(counts.items(), key=lambda kv: kv[0] == "all"):
        print(f"{library:16}" + "".join(f"{row[c]:>20}" for c in columns))


if __name__ == "__main__":
    main()
