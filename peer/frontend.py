"""Asks Triton's front end alone: what IR does it make of kernels, before any pass? Needs Triton, not a GPU.

  frontend.py SPECS.json OUTDIR [--root DIR]...
      for each entry of SPECS.json ({name, file, kernel, signature}, as oracle.py takes them, with
          `module` where the file is not to be
      imported under its own name, and `root`, the folder that its imports begin in, where there are
          several) writes OUTDIR/NAME.source, the module without locations, or OUTDIR/NAME.error, the reason
          of the
      refusal
"""
import argparse
import ast
import importlib
import json
import os
import sys
import warnings

import triton
import triton.language as tl
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend

from _signature import split

TARGET = GPUTarget("cuda", 90, 32)
DTYPES = {str(t): t for t in tl.core.dtype.SINT_TYPES + tl.core.dtype.UINT_TYPES + tl.core.dtype.FP_TYPES}
DTYPES = {name: tl.dtype(name) for name in DTYPES}
SHORT = {name.replace("uint", "u").replace("int", "i"): t for name, t in DTYPES.items()} | {"u1": tl.int1}


def constant(text):
    if text in SHORT:
        return SHORT[text]
    return eval(text,
                {"__builtins__": {}, "float": float}) if text.startswith("float(") else ast.literal_eval(text)


class Reader:
    """Types, constants and attributes of one signature, by path."""

    def __init__(self):
        self.constants, self.attrs = {}, {}

    def entry(self, path, text, constexpr):
        if not constexpr and text.startswith("(") and text.endswith(")"):
            items = split(text[1:-1])
            return tuple(self.entry(path + (i, ), p, False) for i, p in enumerate(items))
        base, _, hint = text.partition(":")
        if constexpr or not text.startswith("tensordesc<") and base.lstrip("*k") not in SHORT and base.lstrip("*") not in SHORT:
            self.constants[path] = constant(text)
            return "constexpr"
        if text.startswith("tensordesc<"):
            return text
        if hint == "1":
            self.constants[path] = 1
            return "constexpr"
        if hint == "16":
            self.attrs[path] = [["tt.divisibility", 16]]
        elif hint:
            raise ValueError(f"unknown hint :{hint}")
        return base


def unwrap(fn):
    while not isinstance(fn, triton.runtime.jit.JITFunction):
        fn = fn.fn
    return fn


def source(fn, signature):
    parts, reader = split(signature), Reader()
    if len(parts) != len(fn.params):
        raise ValueError(f"{len(fn.params)} parameters, {len(parts)} entries")
    types = {p.name: reader.entry((i, ), text, p.is_constexpr) for i,
             (p, text) in enumerate(zip(fn.params, parts))}
    return ASTSource(fn=fn, signature=types, constexprs=reader.constants, attrs=reader.attrs)


def load(spec):
    """Imports the file of an entry; with `root`, modules of other roots are forgotten first."""
    root = spec.get("root")
    if root and sys.path[0] != root:
        for name, module in list(sys.modules.items()):
            if (getattr(module, "__file__", None) or "").startswith(sys.path[0] + os.sep):
                del sys.modules[name]
        sys.path[0] = root
        importlib.invalidate_caches()
    return importlib.import_module(spec.get("module") or os.path.basename(spec["file"])[:-3])


def front_end(spec, backend):
    module = load(spec)
    fn = module
    for part in spec["kernel"].split("."):
        fn = getattr(fn, part)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    options = backend.parse_options({k: spec[k] for k in ("num_warps", "num_stages", "num_ctas")
                                     if k in spec})
    made = source(unwrap(fn), spec["signature"]).make_ir(TARGET, options,
                                                         backend.get_codegen_implementation(options),
                                                         backend.get_module_map(), context)
    return made.str_nodebug()


def reason(error):
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specs")
    parser.add_argument("out")
    parser.add_argument("--root", action="append", default=[])
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    here = os.path.dirname(os.path.abspath(args.specs))
    sys.path[:0] = [here] + args.root
    triton.runtime.driver.set_active(type("Driver", (), {"get_current_target": lambda self: TARGET})())
    backend = make_backend(TARGET)
    for spec in json.load(open(args.specs)):
        try:
            text, ext = front_end(spec, backend), "source"
        except Exception as e:
            text, ext = reason(e), "error"
        with open(os.path.join(args.out, spec["name"] + "." + ext), "w") as f:
            f.write(text)


if __name__ == "__main__":
    main()
