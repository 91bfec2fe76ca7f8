"""Runs the unit tests of Triton's language without a GPU, and keeps what Triton's front end makes of each
kernel in them:

  language_tests.py [--each N] OUT.jsonl.gz TEST.py... [arguments of pytest]

The first triton on PYTHONPATH is asked, for cuda:90; the tests are those of its release
(python/test/unit/language of its repository). PyTorch and pytest are needed. With --each, at most N of the
parameters of each test, evenly spread, are run. Nothing is launched, so tests fail that look at results; only
what they compile counts. Each line of OUT is a compilation: the kernel with all that it refers to as the text
of one file, its name, its signature as `nereid compile` takes it, its options, and Triton's IR before any
pass, or its error. Lines with `left_out` have a reason why there is no such file. `go test ./internal/lang
-run TestLanguageTests` compares them with ours.
"""
import ast
import builtins
import gzip
import hashlib
import inspect
import json
import os
import signal
import sys
import textwrap
import types
import warnings

import triton
import triton.language as tl
from triton._C.libtriton import ir
from triton.compiler import ASTSource, compiler
from triton.runtime.jit import JITFunction

import dry

SECONDS = 10  # for a test, without what Triton compiles
TARGET = dry.target_of("cuda:90")
OPTIONS = ("num_warps", "num_stages", "num_ctas", "debug", "sanitize_overflow", "enable_fp_fusion", "maxnreg",
           "default_dot_input_precision", "allow_fp8e4nv", "arch")
DTYPES = {str(t): t for t in tl.core.dtype.SINT_TYPES + tl.core.dtype.UINT_TYPES + tl.core.dtype.FP_TYPES}


class LeftOut(Exception):
    """Something that a file cannot have."""


class File:
    """The text of a file with functions and all that they refer to."""

    def __init__(self):
        self.parts, self.made = [], {}

    def text(self):
        return "import triton\nimport triton.language as tl\n" + "".join(self.parts)

    def define(self, name, value):
        """Adds a definition of a name, after those that it needs."""
        if name in self.made:
            if not same(self.made[name], value):
                raise LeftOut(f"two things are called {name}")
            return
        self.made[name] = value
        text = self.definition(name, value)
        if text:
            self.parts.append(text)

    def definition(self, name, value):
        if isinstance(value, types.ModuleType):
            return f"import {value.__name__} as {name}\n"
        if (own := imported(value)) is not None:
            module, its = own
            if not hasattr(sys.modules.get(module), its):
                raise LeftOut(f"{name} is {module}.{its}")
            return f"from {module} import {its} as {name}\n"
        if isinstance(value, triton.runtime.jit.JITCallable):
            return self.function(name, value)
        if isinstance(value, type):
            return self.of_class(name, value)
        if isinstance(value, tl.constexpr):
            return f"{name} = tl.constexpr({self.literal(value.value)})\n"
        return f"{name} = {self.literal(value)}\n"

    def function(self, name, value):
        its = ast.parse(value.src).body[0].name
        if its != name:
            if its in self.made and not same(self.made[its], value):
                raise LeftOut(f"two functions are called {its}")
            self.define(its, value)
            return f"{name} = {its}\n"
        self.needs(value.src, value.get_capture_scope())
        return f"\n\n{decorators(value)}\n{value.src.rstrip()}\n\n"

    def of_class(self, name, value):
        source = textwrap.dedent(inspect.getsource(value))
        scope = dict(vars(sys.modules[value.__module__]))
        for member in list(vars(value).values()):
            member = getattr(member, "fn", member)
            if isinstance(member, types.FunctionType):
                scope.update(inspect.getclosurevars(member).nonlocals)
        self.needs(source, scope)
        if value.__name__ != name:
            source += f"{name} = {value.__name__}\n"
        return "\n\n" + source + "\n\n"

    def needs(self, source, scope):
        """Defines what the names of a source stand for outside of it."""
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Name) and node.id in scope and not is_builtin(node.id, scope[node.id]):
                try:
                    self.define(node.id, scope[node.id])
                except LeftOut:
                    if isinstance(node.ctx, ast.Load) and node.id not in locals_of(source):
                        raise

    def literal(self, value):
        if isinstance(value, tl.constexpr):
            return f"tl.constexpr({self.literal(value.value)})"
        if isinstance(value, tl.dtype) and str(value) in DTYPES:
            return f"tl.{written(value)}"
        if type(value) in (int, bool, str, type(None)):
            return repr(value)
        if isinstance(value, float):
            return repr(value) if value == value and abs(value) != float("inf") else f"float('{value}')"
        if type(value) in (list, tuple):
            items = ", ".join(map(self.literal, value))
            return f"[{items}]" if isinstance(value, list) else f"({items}{',' if len(value) == 1 else ''})"
        if isinstance(value, triton.runtime.jit.JITCallable):
            self.define(value.__name__, value)
            return value.__name__
        raise LeftOut(f"a {type(value).__module__}.{type(value).__name__}")


def decorators(fn):
    """The decorators that make a function what it is."""
    must = getattr(fn, "_must_use_result", False)
    lines = [f"@triton.must_use_result({must!r})"
             if isinstance(must, str) else "@triton.must_use_result"] if must else []
    if not isinstance(fn, JITFunction):
        return "\n".join(lines + ["@triton.constexpr_function"])
    options = {"noinline": getattr(fn, "noinline", False),
               "do_not_specialize": list(getattr(fn, "do_not_specialize", None) or []),
               "do_not_specialize_on_alignment": list(getattr(fn, "do_not_specialize_on_alignment", None)
                                                      or [])}
    given = ", ".join(f"{k}={v!r}" for k, v in options.items() if v)
    return "\n".join(lines + [f"@triton.jit({given})" if given else "@triton.jit"])


def written(dtype):
    names = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64",
             "fp8e4nv": "float8e4nv", "fp8e5": "float8e5", "fp8e4b15": "float8e4b15", "fp8e4b8": "float8e4b8",
             "fp8e5b16": "float8e5b16"}
    return names.get(str(dtype), str(dtype))


def same(a, b):
    return a is b or (isinstance(a, tl.constexpr) and isinstance(b, tl.constexpr) and repr(a) == repr(b)) or \
        (type(a) is type(b) and isinstance(a, (int, float, str, tuple)) and a == b)


def is_builtin(name, value):
    return getattr(builtins, name, None) is value


def locals_of(source):
    return {n.id for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Name)
            and isinstance(n.ctx, ast.Store)} | \
        {n.arg for n in ast.walk(ast.parse(source)) if isinstance(n, ast.arg)}


def imported(value):
    """The module and the name of what triton itself or Python's library defines, or None."""
    if isinstance(value, tl.dtype) or not (isinstance(value,
                                                      (type, types.FunctionType, types.BuiltinFunctionType))
                                           or
                                           isinstance(value, triton.runtime.jit.JITCallable)):
        return None
    module = getattr(value, "__module__", None) or ""
    if module.split(".")[0] in ("triton", "typing", "math", "dataclasses", "collections", "enum"):
        return module, value.__name__
    return None


def entry(file, path, kind, constants, attrs):
    if isinstance(kind, (tuple, list)):
        names = [f"{n}=" for n in kind._fields] if hasattr(kind, "_fields") else [""] * len(kind)
        items = [n + entry(file, path + (i, ), k, constants, attrs) for i,
                 (n, k) in enumerate(zip(names, kind))]
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    if kind == "constexpr":
        return constant(file, constants.get(path))
    return kind + (":16" if ["tt.divisibility", 16] in attrs.get(path, []) else "")


def constant(file, value):
    value = value.value if isinstance(value, tl.constexpr) else value
    if isinstance(value, triton.runtime.jit.JITCallable):
        file.define(value.__name__, value)
        return f"@k.py:{value.__name__}"
    if isinstance(value, tl.dtype) and str(value) in DTYPES:
        return str(value).replace("uint", "u").replace("int", "i")
    if plain(value):
        return file.literal(value)
    name = f"value_of_{hashlib.sha256(repr(value).encode()).hexdigest()[:8]}"
    file.define(name, value)
    return f"@k.py:{name}"


def plain(value):
    return type(value) in (int, bool, str, float, type(None)) or type(value) in (list, tuple) and all(map(plain, value))


class Harvest:

    def __init__(self):
        self.seen, self.lines = {}, []
        self.backend = compiler.make_backend(TARGET)

    def compile(self, source, options):
        """Keeps what the front end makes of a source. Returns the error if it is refused."""
        options = self.backend.parse_options({k: v for k, v in options.items() if k in OPTIONS and k != "arch"
                                              and v is not None})
        chosen = {k: getattr(options, k) for k in OPTIONS if k != "arch" and hasattr(options, k)}
        key = source.fn.cache_key, str(source.signature), str(source.constants), str(source.attrs), str(chosen)
        if key in self.seen:
            return self.seen[key]
        left = signal.alarm(0)  # a test's time is for what it does besides: a slow machine makes no refusals
        line = {"test": os.environ.get("PYTEST_CURRENT_TEST", "").rpartition("/")[2].split(" (")[0],
                "kernel": source.fn.__name__, "options": chosen}
        try:
            file = File()
            file.define(source.fn.__name__, source.fn)
            line["signature"] = ", ".join(
                entry(file, (i, ), source.signature.get(p, "constexpr"), source.constants, source.attrs)
                for i, p in enumerate(source.fn.arg_names))
            line["file"] = file.text()
        except (LeftOut, OSError, TypeError, KeyError, RecursionError) as e:
            line["left_out"] = f"{type(e).__name__}: {e}"
        self.seen[key] = None
        try:
            line["ir"] = make_ir(source, TARGET, options, self.backend).str_nodebug()
        except Exception as e:
            line["error"], self.seen[key] = dry.first_cause(e), e
        signal.alarm(left)
        self.lines.append(line)
        return self.seen[key]

    def close(self, path):
        with gzip.open(path, "wt") as f:
            for line in self.lines:
                f.write(json.dumps(line) + "\n")
        refused = sum("error" in line for line in self.lines)
        print(
            f"{len(self.lines)} compilations, {refused} refused; {sum('left_out' in line for line in self.lines)} left out")


original_make_ir = ASTSource.make_ir


def make_ir(source, target, options, backend):
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    made = original_make_ir(source, target, options, backend.get_codegen_implementation(options),
                            backend.get_module_map(), context)
    made.context = context
    return made


class Nothing(dry.Nothing):
    """A compiled kernel. Tests that look at its text find none."""

    def __init__(self):
        self.asm = dict.fromkeys(("ttir", "ttgir", "llir", "ptx", "cubin", "source"), "")

    def launch_metadata(self, *_):
        return None

    def run(self, *_):
        pass

    function = packed_metadata = hash = name = None


class Each:
    """Has pytest run at most so many of the parameters of a test, and each not for long: some compare
    results, of which there are none, value by value."""

    def __init__(self, most):
        self.most = most

    def pytest_collection_modifyitems(self, items):
        tests = {}
        for item in items:
            tests.setdefault(item.nodeid.split("[")[0], []).append(item)
        signal.signal(signal.SIGALRM, too_long)
        items[:] = [chosen for them in tests.values() for chosen in them[::-(-len(them) // self.most)]]

    def pytest_runtest_setup(self):
        signal.alarm(SECONDS)

    def pytest_runtest_teardown(self):
        signal.alarm(0)


def too_long(*_):
    raise TimeoutError("nothing more is compiled, probably")


def install(harvest):
    raw, run = ASTSource.make_ir, JITFunction.run

    def kept(self, target, options, *rest):
        if type(self) is ASTSource:
            harvest.compile(self, dict(options.__dict__))
        return raw(self, target, options, *rest)

    def compile_(source, target=None, options=None, **_):
        if not isinstance(source, ASTSource):
            raise RuntimeError("nothing is compiled here")
        if type(source) is ASTSource and (error := harvest.compile(source, dict(options or {}))) is not None:
            raise error
        return Nothing()

    ASTSource.make_ir = kept
    triton.compile = triton.compiler.compile = compiler.compile = compile_
    JITFunction.run = lambda self, *args, grid, warmup, **kwargs: run(self, *args, grid=grid, warmup=True,
                                                                      **kwargs)


def main():
    import pytest
    out, *arguments = sys.argv[1:]
    each = Each(1 << 30)
    if out == "--each":
        each, out, *arguments = Each(int(arguments[0])), *arguments[1:]
    warnings.simplefilter("ignore")
    triton.runtime.driver.set_active(dry.Driver(TARGET))
    dry.pretend("cuda")
    harvest = Harvest()
    install(harvest)
    pytest.main(["-q", "-x", "--maxfail=1000000", "--tb=no", "-p", "no:cacheprovider", "--no-header", "-rN",
                 "--continue-on-collection-errors", *arguments], plugins=[each])
    harvest.close(out)


if __name__ == "__main__":
    main()
