"""Asks Triton what its front end makes of the kernels of internal/conform, and whether it reads our IR. Needs
Triton, not a GPU.

  conform.py DIR [TARGET]

The target is cuda:90 unless it is named. DIR holds NAME.py for each module and cases.jsonl, a line for each
case: {"name", "module", "kernel", "signature", "ttir"}, the last being our Triton IR after the passes, or "".
For each case a line goes to DIR/answers.jsonl:

  {"name", "ir": Triton's IR before any pass, without locations and aliases, or "error": why there is none,
   "rejected": why Triton does not read our IR, or ""}
"""
import ast
import importlib
import json
import os
import re
import sys
import tempfile
import traceback
import warnings

cache = tempfile.TemporaryDirectory(prefix="triton-conform-")  # gone when the program ends
os.environ.setdefault("TRITON_CACHE_DIR", cache.name)
import triton
import triton.language as tl
from triton._C.libtriton import ir
from triton.compiler import ASTSource

from _signature import split
from semantics import Session

TYPES = {"i1": tl.int1, "u1": tl.int1, "i8": tl.int8, "i16": tl.int16, "i32": tl.int32, "i64": tl.int64,
         "u8": tl.uint8, "u16": tl.uint16, "u32": tl.uint32, "u64": tl.uint64, "fp16": tl.float16,
         "bf16": tl.bfloat16, "fp32": tl.float32, "fp64": tl.float64, "fp8e4nv": tl.float8e4nv,
         "fp8e5": tl.float8e5, "fp8e4b15": tl.float8e4b15, "fp8e4b8": tl.float8e4b8,
         "fp8e5b16": tl.float8e5b16}


def unaliased(text):
    """The text with the attributes in the place of their aliases."""
    aliases = {}
    for name, value in re.findall(r"^(#\w+) = (.*)\n", text, re.M):
        aliases[name] = re.sub(r"#\w+\b(?!\.)", lambda m: aliases.get(m[0], m[0]), value)
    text = re.sub(r"^#\w+ = .*\n", "", text, flags=re.M)
    text = re.sub(r"#\w+\b(?!\.)", lambda m: aliases.get(m[0], m[0]), text)
    return text.replace("licm = #llvm.loop_licm<", "licm = <")


def number(text):
    return float(text[7:-2]) if text.startswith("float(") else ast.literal_eval(text)


def entry(text, constexpr, path, constants, attrs):
    """What ASTSource is told of one entry of a signature."""
    if constexpr or text == "None":
        constants[path] = TYPES[text] if text in TYPES else number(text)
        return "constexpr"
    if text.startswith("tensordesc"):
        return text
    if text.startswith("("):
        return tuple(entry(part, False, path + (i,), constants, attrs) for i,
                     part in enumerate(split(text[1:-1])))
    base, _, known = text.partition(":")
    if base.lstrip("*").removeprefix("k") not in TYPES:
        constants[path] = number(text)
        return "constexpr"
    if known == "1":
        constants[path] = 1
        return "constexpr"
    if known == "16":
        attrs[path] = [["tt.divisibility", 16]]
    return base


def source(fn, signature):
    types, constants, attrs = {}, {}, {}
    parts = split(signature)
    assert len(parts) == len(fn.params), "the signature does not fit"
    for i, (param, text) in enumerate(zip(fn.params, parts)):
        types[param.name] = entry(text, param.is_constexpr, (i,), constants, attrs)
    return ASTSource(fn=fn, signature=types, constexprs=constants, attrs=attrs)


def ask(session, case):
    out = {"name": case["name"], "ir": "", "error": "", "rejected": ""}
    made = source(getattr(importlib.import_module(case["module"]), case["kernel"]), case["signature"])
    try:
        made = made.make_ir(session.target, session.options, session.codegen_fns, session.module_map,
                            session.context)
        out["ir"] = unaliased(made.str_nodebug())
    except Exception as e:
        out["error"] = f"{type(e).__name__}: {e}"[:2000]
    return out


def read(session, text):
    """Why Triton does not read a module; "" if it does."""
    with tempfile.NamedTemporaryFile("w", suffix=".ttir") as f:
        f.write(text)
        f.flush()
        try:
            ir.parse_mlir_module(f.name, session.context)
        except Exception as e:
            return str(e)[:2000]
    return ""


def answer(session, cases, pipe):
    """Answers cases one after the other, as far as Triton comes."""
    for case in cases:
        try:
            out = ask(session, case)
            if case["ttir"]:
                out["rejected"] = read(session, case["ttir"])
        except Exception:
            out = {"name": case["name"], "fatal": traceback.format_exc()}
        pipe.write(json.dumps(out) + "\n")
        pipe.flush()


def worker(session, cases, path):
    """Answers cases into a file. A child does the work, since Triton may abort on nonsense: then that case is
    an error."""
    done = 0
    with open(path, "w") as f:
        while done < len(cases):
            r, w = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.close(r)
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                with os.fdopen(w, "w") as pipe:
                    answer(session, cases[done:], pipe)
                os._exit(0)
            os.close(w)
            with os.fdopen(r) as pipe:
                for line in pipe:
                    f.write(line)
                    done += 1
            os.waitpid(pid, 0)
            if done < len(cases):
                f.write(json.dumps({"name": cases[done]["name"], "ir": "", "error": "Triton aborted",
                                    "rejected": ""}) + "\n")
                done += 1


class Driver:
    """Stands for the driver of the target's device: kernels may ask which target they are compiled for."""

    def __init__(self, target):
        self.get_current_target = lambda: target


def main(folder, target="cuda:90"):
    warnings.simplefilter("ignore")
    sys.path.insert(0, folder)
    cases = [json.loads(line) for line in open(os.path.join(folder, "cases.jsonl"))]
    for name in sorted({c["module"] for c in cases}):
        importlib.import_module(name)
    session = Session(target)
    triton.runtime.driver.set_active(Driver(session.target))
    n = os.cpu_count() or 1
    paths = [os.path.join(folder, f"answers{i}.jsonl") for i in range(n)]
    children = []
    for i in range(n):
        pid = os.fork()
        if pid == 0:
            worker(session, cases[i::n], paths[i])
            os._exit(0)
        children.append(pid)
    for pid in children:
        os.waitpid(pid, 0)
    answers = [line for path in paths for line in open(path)]
    for line in answers:
        if "fatal" in json.loads(line):
            sys.exit(json.loads(line)["name"] + ": " + json.loads(line)["fatal"])
    with open(os.path.join(folder, "answers.jsonl"), "w") as f:
        f.writelines(answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
