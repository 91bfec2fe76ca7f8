"""Asks Triton what its operations give for every combination of types, and writes the answers for our tests.

  semantics.py OUT.json            answers for all groups below (a minute; needs Triton, not a GPU)
  semantics.py --since EARLIER.json THESE.json OUT.json.gz
                                   the answers of a later release, as differences from an earlier one's:
                                       answers of cases that are
                                   equal are zeros, others are combined with the earlier ones by exclusive or
  semantics.py --show GROUP CASE   the IR that Triton makes for one case, such as --show "+ bc" "int8 300"
  semantics.py --names OUT.json    the names of triton.language and their parameters
  semantics.py --kernels FILE.py OUT.txtar
                                   what Triton's front end makes of each kernel in the file that has a
                                       comment "# sig: TYPES"

A group is an operation and a form, one letter for each argument, and perhaps a target (else cuda:90); the
cases are all combinations of what the letters stand for:

  b  a block of 4 of each type      s  a scalar of each type        c  each compile-time constant
  t  each dtype, as a value         m  a block of 4 bools           n  a scalar bool
  P  a block of pointers to each    Q  a pointer to each            x y  blocks 16x32 and 32x16 of each type

For each case we keep one byte for the result's type and two of a hash of the IR text, or zeros for an error
(of the front end or the verifier).
"""
import base64
import gzip
import hashlib
import importlib.util
import inspect
import itertools
import json
import os
import re
import sys
import warnings

import triton
import triton.language as tl
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend
from triton.language import core
from triton.language.extra import cuda
from triton.language.extra import libdevice as any_libdevice
from triton.language.semantic import TritonSemantic

NUMBERS = ["int1", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "fp8e5",
           "fp8e4nv", "fp8e4b15", "fp8e4b8", "fp16", "bf16", "fp32", "fp64"]
TYPES = NUMBERS + ["*fp32", "*int8"]
CONSTS = ["True", "0", "1", "-1", "5", "300", "-70000", "2147483648", "1099511627776", "9223372036854775808",
          "18446744073709551616", "0.0", "-0.0", "1.5", "1e-07", "3e+38", "1e+300", "inf", "nan"]

ARITHMETIC = ["+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>"]
COMPARISONS = ["==", "!=", "<", "<=", ">", ">="]
MATH = ["exp", "exp2", "log", "log2", "cos", "sin", "sqrt", "sqrt_rn", "rsqrt", "abs", "erf", "floor", "ceil"]
ATOMICS = ["atomic_add", "atomic_max", "atomic_min", "atomic_and", "atomic_or", "atomic_xor", "atomic_xchg"]

GROUPS = [f"{op} {form}" for op in ARITHMETIC for form in ("bb", "ss", "bs", "sb", "bc", "cb", "sc", "cs")]
GROUPS += [f"{op} {form}" for op in COMPARISONS for form in ("bb", "ss", "bc", "cb", "sc")]
GROUPS += [f"{op} {form}" for op in ("neg", "invert", "not") for form in "bs"]
GROUPS += [f"{op} {form}" for op in ("to", "to:rtne", "to:rtz", "bitcast") for form in ("bt", "st")]
GROUPS += ["to ct", "full ct"]
GROUPS += [f"{op} {form}" for op in MATH for form in "bsc"]
GROUPS += [f"method:{op} b" for op in MATH]
GROUPS += [f"{op} {form}" for op in ("minimum", "maximum", "minimum:all", "maximum:all")
           for form in ("bb", "bs", "bc", "cs")]
GROUPS += ["where mbb", "where nbs", "where mbc", "where mcs", "where bmm", "where mcc", "clamp bbb",
           "clamp bcc", "clamp:all bcc"]
GROUPS += [f"{op} {form}" for op in ("fdiv", "div_rn", "umulhi") for form in ("bb", "bc", "cs")]
GROUPS += ["fma bbb", "fma bbc", "load P", "load Q", "load Pmb", "load Pmc", "load Qnc", "store Pb",
           "store Pc", "store Pbm", "store Qs"]
GROUPS += [f"{op} {form}" for op in ATOMICS for form in ("Pb", "Qc", "Pbm")] + ["atomic_cas Pbb"]
GROUPS += ["dot xy", "dot:fp16 xy", "dot:int32 xy", "trans x", "join bb", "cat bb", "histogram b",
           "gather bb"]
GROUPS += [f"libdevice.{op} {form}" for op, form in (("pow", "bb"), ("pow", "bc"), ("abs", "b"),
                                                     ("isnan", "s"), ("fma", "bbb"), ("ffs", "b"))]

# What depends on the target: the fp8 types, and dot.
GROUPS += [f"{g} {target}" for target in ("cuda:80", "hip:gfx942", "hip:gfx950") for g in
           ("to bt", "+ bb", "full ct", "load P", "dot xy", "dot:fp16 xy", "libdevice.pow bb",
            "libdevice.tanh s", "libdevice.fast_tanhf b")]

METHODS = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "&": "and",
           "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift", "==": "eq", "!=": "ne", "<": "lt",
           "<=": "le", ">": "gt", ">=": "ge", "neg": "neg", "invert": "invert", "not": "not"}
# Three arguments of any type are many; these are enough to see how promotion goes on.
FEW = ["int1", "int8", "uint32", "int64", "fp8e5", "fp16", "bf16", "fp32", "fp64", "*fp32"]
FEW_CONSTS = ["True", "-1", "300", "2147483648", "1.5", "1e+300"]


SCALARS = {str(t): t for t in vars(core).values()
           if type(t) is core.dtype}  # the very objects: Triton compares some by identity


def dtype(name):
    return tl.pointer_type(dtype(name[1:])) if name[0] == "*" else SCALARS[name]


def domain(letter, arity):
    if letter in "mn":
        return ["int1"]
    if letter == "c":
        return FEW_CONSTS if arity == 3 else CONSTS
    types = FEW if arity == 3 else TYPES
    return [t for t in types if letter not in "PQ" or t in NUMBERS]


def parts(group):
    """The operation, the form and the target of a group."""
    op, form, *target = group.split()
    return op, form, target[0] if target else "cuda:90"


def cases(group):
    _, form, _ = parts(group)
    return itertools.product(*[domain(l, sum(l in "bstPQcxy" for l in form)) for l in form])


class Session:
    """One context, in which each case gets a module of its own."""

    def __init__(self, target):
        name, arch = target.split(":")
        self.target = GPUTarget(name, int(arch) if name == "cuda" else arch, 32 if name == "cuda" else 64)
        backend = make_backend(self.target)
        self.context = ir.context()
        ir.load_dialects(self.context)
        backend.load_dialects(self.context)
        self.options = backend.parse_options({})
        self.codegen_fns = backend.get_codegen_implementation(self.options)
        self.module_map = backend.get_module_map()
        TritonSemantic._has_native_tma = lambda _: name == "cuda"  # it would ask a driver, and there is none

    def type(self, letter, name):
        ty = dtype(name)
        if letter in "PQ":
            ty = tl.pointer_type(ty)
        shape = {"b": [4], "m": [4], "P": [4], "x": [16, 32], "y": [32, 16]}.get(letter)
        return tl.block_type(ty, shape) if shape else ty

    def run(self, group, case):
        """The result's type and the IR of a case; raises where Triton does."""
        op, form, _ = parts(group)
        b = ir.builder(self.context)
        b.options, b.codegen_fns = self.options, self.codegen_fns
        self.semantic = TritonSemantic(b)
        types = [self.type(l, v) for l, v in zip(form, case) if l not in "ct"]
        fn_type = b.get_function_ty([t.to_ir(b) for t in types], [])
        module = b.create_module()
        fn = b.get_or_insert_function(module, "f", fn_type, "public", False)
        module.push_back(fn)
        b.set_insertion_point_to_start(fn.add_entry_block())
        args, n = [], 0
        for letter, value in zip(form, case):
            if letter == "c":
                args.append(tl.constexpr(eval(value, {"inf": float("inf"), "nan": float("nan")})))
            elif letter == "t":
                args.append(dtype(value))
            else:
                args.append(tl.tensor(fn.args(n), types[n]))
                n += 1
        result = self.apply(op, args)
        b.ret([])
        if not module.verify():
            raise ValueError("does not verify")
        return str(result.type) if result is not None else "void", anonymous(module.str_nodebug())

    def apply(self, op, args):
        s = self.semantic
        name, _, option = op.partition(":")
        if name in METHODS:
            return self.operator(METHODS[name], args)
        if name == "method":
            return getattr(args[0], option)(*args[1:], _semantic=s)
        if name.startswith("libdevice."):
            module = self.module_map["triton.language.extra.libdevice"]
            return getattr(module, name.split(".")[1])(*[core._unwrap_if_constexpr(a) for a in args],
                                                       _semantic=s)
        if name == "to":
            return tl.cast(*args, fp_downcast_rounding=option or None, _semantic=s)
        if name == "bitcast":
            return tl.cast(*args, bitcast=True, _semantic=s)
        if name == "full":
            return tl.full([4], *args, _semantic=s)
        if name == "load":
            return tl.load(*args, _semantic=s)
        if name == "dot":
            return tl.dot(*args, out_dtype=dtype(option or "fp32"), _semantic=s)
        if name == "cat":
            return tl.cat(*args, can_reorder=True, _semantic=s)
        if name == "histogram":
            return tl.histogram(*args, 16, _semantic=s)
        if name == "gather":
            return tl.gather(*args, 0, _semantic=s)
        keywords = {"propagate_nan": tl.PropagateNan.ALL} if option == "all" else {}
        return getattr(tl, name)(*args, **keywords, _semantic=s)

    def operator(self, name, args):
        s = self.semantic
        if isinstance(args[0], tl.tensor):
            return getattr(args[0], f"__{name}__")(*args[1:], _semantic=s)
        return getattr(args[1], f"__r{name}__")(args[0], _semantic=s)


def anonymous(text):
    """The text with values numbered as they appear: names are the printer's affair."""
    names = {}
    return re.sub(r"%[\w-]+", lambda m: names.setdefault(m[0], f"%{len(names)}"), text)


def digest(text):
    return hashlib.sha256((text.strip() + "\n").encode()).digest()[:2]


def answer(session, group, case):
    try:
        ty, text = session.run(group, case)
    except Exception:
        return b"error\0\0\0"
    return ty.encode() + b"\0" + digest(text)


def outcomes(session, todo):
    """The answers of all cases. A child does the work, since Triton may abort on nonsense: then that case is
    an error."""
    out = []
    while len(out) < len(todo):
        r, w = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            with os.fdopen(w, "wb", buffering=0) as f:
                for case in todo[len(out):]:
                    a = answer(session, *case)
                    f.write(bytes([len(a)]) + a)
            os._exit(0)
        os.close(w)
        with os.fdopen(r, "rb") as f:
            while n := f.read(1):
                out.append(f.read(n[0]))
        os.waitpid(pid, 0)
        if len(out) < len(todo):
            out.append(b"error\0\0\0")
    return out


def answers(session, group, names):
    out = b""
    for a in outcomes(session, [(group, c) for c in cases(group)]):
        out += bytes([names.setdefault(a[:-3].decode(), len(names))]) + a[-2:]
    return {"group": group, "cases": base64.b64encode(out).decode()}


def kernels(session, path):
    """Kernel by kernel, its name and the IR of its function alone, as the front end makes it. Calls of others
    lose their names."""
    spec = importlib.util.spec_from_file_location("kernels", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for sig, name in re.findall(r"# sig: (.*)\n@triton.jit\ndef (\w+)", open(path).read()):
        fn = getattr(module, name)
        source = ASTSource(fn=fn, signature=dict(zip(fn.arg_names, sig.split(", "))), constexprs={})
        made = source.make_ir(session.target, session.options, session.codegen_fns, session.module_map,
                              session.context)
        text = re.search(r"^  tt.func public.*?^  }$", made.str_nodebug(), re.S | re.M)[0]
        text = re.sub(r"tt.call @.*?\(%", "tt.call @fn(%", text)
        yield name, anonymous(text.replace("\n  ", "\n").strip())


def parameters(fn):
    """The parameters of a function as our table writes them; None for what is no function."""
    if isinstance(fn, triton.runtime.jit.JITCallable):
        fn = fn.fn
    if isinstance(fn, type):
        fn = fn.__init__
    if not inspect.isfunction(fn):
        return None
    out = []
    for p in inspect.signature(fn).parameters.values():
        if p.name in ("self", "_semantic", "_generator", "kwargs"):
            continue
        text = "*" * (p.kind == p.VAR_POSITIONAL) + p.name
        if p.default is not p.empty:
            value = core._unwrap_if_constexpr(p.default)
            named = {tl.PropagateNan.NONE: "NONE",
                     core._NOTHING: "None"} if not isinstance(value, (int, str, tuple)) else {}
            text += "=" + (json.dumps(value) if isinstance(value, str) else named.get(value)
                           or getattr(value, "codegen_name", value.__repr__)())
        out.append(text)
    return ", ".join(out)


def all_names():
    """Module by module, each public name and its parameters."""
    public = set(tl.__all__) | {"constexpr_type", "tensor_descriptor_type", "tuple_type"}
    members = {n: f for n, f in vars(tl.tensor).items() if callable(f) and n[0] != "_"
               and not getattr(f, "__qualname__", "").startswith("tensor.")}
    own = {n: f for n, f in vars(tl.tensor).items() if not n.startswith("_") and core.is_builtin(f)
           and n not in members}
    homes = {
        "": {n: getattr(tl, n) for n in public}, "members": dict.fromkeys(members), "tensor": own,
        "math": {n: f for n, f in vars(tl.math).items() if core.is_builtin(f)},
        "tensor_descriptor": {n: f for n, f in vars(core.tensor_descriptor_base).items()
                              if core.is_builtin(f)},
        "extra.libdevice": {n: f for n, f in vars(any_libdevice).items() if inspect.isfunction(f)},
        "extra.cuda": {n: getattr(cuda, n) for n in cuda.__all__ if n != "libdevice"},
        "target_info": {n: f for n, f in vars(tl.target_info).items() if n[:3] in ("is_", "cud", "cur")},
    }
    return {home: {n: parameters(f) for n, f in sorted(fns.items())} for home, fns in homes.items()}


def since(earlier, these):
    """The answers of a later release, whose results are listed behind those of the earlier one."""
    results = earlier["results"] + [r for r in these["results"] if r not in earlier["results"]]
    groups = []
    for old, new in zip(earlier["groups"], these["groups"]):
        assert old["group"] == new["group"], "the groups differ: ask both releases again"
        a, b = bytearray(base64.b64decode(old["cases"])), bytearray(base64.b64decode(new["cases"]))
        for i in range(0, len(b), 3):
            b[i] = results.index(these["results"][b[i]])
        groups.append({"group": new["group"],
                       "cases": base64.b64encode(bytes(x ^ y for x, y in zip(a, b))).decode()})
    return {"triton": these["triton"], "results": results, "groups": groups}


def main():
    warnings.simplefilter("ignore")
    if sys.argv[1] == "--since":
        made = since(*(json.load(open(f)) for f in sys.argv[2:4]))
        with open(sys.argv[4], "wb") as f:
            f.write(gzip.compress(json.dumps(made, separators=(",", ":")).encode(), 9, mtime=0))
        return
    if sys.argv[1] == "--names":
        with open(sys.argv[2], "w") as f:
            f.write(json.dumps(all_names(), indent=0) + "\n")
        return
    if sys.argv[1] == "--kernels":
        with open(sys.argv[3], "w") as f:
            for name, text in kernels(Session("cuda:90"), sys.argv[2]):
                f.write(f"-- {name} --\n{text}\n")
        return
    if sys.argv[1] == "--show":
        ty, text = Session(parts(sys.argv[2])[2]).run(sys.argv[2], sys.argv[3].split())
        print(ty)
        print(text)
        return
    names = {"error": 0}
    sessions = {t: Session(t) for t in {parts(g)[2] for g in GROUPS}}
    groups = [answers(sessions[parts(g)[2]], g, names) for g in GROUPS]
    out = {"triton": triton.__version__, "types": TYPES, "numbers": NUMBERS, "few": FEW, "consts": CONSTS,
           "few_consts": FEW_CONSTS, "results": list(names), "groups": groups}
    with open(sys.argv[1], "w") as f:
        f.write(json.dumps(out, separators=(",", ":")).replace('{"group"', '\n{"group"') + "\n")
    print(sum(len(g["cases"]) // 4 for g in groups), "cases")


if __name__ == "__main__":
    main()
