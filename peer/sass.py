"""Compares machine code: what nereid's compiler and Triton's make of the memory-bound kernels of `nereid
bench`, at its options.

  sass.py [--nereid BINARY]... [--only TEXT]... [--keep DIR] [--target 90]

Needs Triton (whose ptxas and nvdisasm it uses), not a GPU. Several binaries may be given, of several
versions. A line has the number of instructions, those in loops (each counted once), registers, spilled bytes,
warps that an SM holds at once as far as registers allow, barriers, shuffles, the most loads of global memory
that are on their way at once (reading the code from top to bottom), and the loads and stores of global memory
by width in bits.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import tempfile

import oracle  # which sets the folder of Triton's cache
import triton

BIN = os.path.join(os.path.dirname(triton.__file__), "backends", "nvidia", "bin")
SMS = {80: 64, 90: 64}  # warps of an SM


def specs():
    def spec(name, file, kernel, signature, warps=4):
        return {"name": name, "file": file, "kernel": kernel, "signature": signature, "num_warps": warps}

    yield spec("vector_add", "vector_add.py", "add_kernel", "*fp32:16, *fp32:16, *fp32:16, i32:16, 1024")
    for dtype in ("fp16", "fp32"):
        for n in (256, 1024, 2048, 8192, 16384):
            for warps in (4, 8, 16):
                yield spec(f"softmax_{dtype}_{n}_w{warps}", "softmax.py", "softmax_kernel",
                           f"*{dtype}:16, *{dtype}:16, i32:16, i32:16, i32:16, {n}", warps)
    for n in (1024, 4096, 8192, 15872):
        block = triton.next_power_of_2(n)
        yield spec(f"layer_norm_{n}", "layer_norm.py", "layer_norm_kernel",
                   f"*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, *fp32:16, i32:16, i32:16, fp32, {block}", min(block // 256, 8))
    yield spec("rms_norm", "llm.py", "rms_norm_kernel",
               "*bf16:16, *bf16:16, *bf16:16, i32:16, i32:16, fp32, 4096", 8)
    yield spec("swiglu", "llm.py", "swiglu_kernel", "*bf16:16, *bf16:16, *bf16:16, i32:16, 1024")
    yield spec("cross_entropy", "llm.py", "cross_entropy_kernel",
               "*bf16:16, *i64:16, *fp32:16, i32:16, i32:16, 8192", 16)
    yield spec("dropout", "dropout.py", "dropout_kernel", "*fp32:16, *fp32:16, i32:16, fp32, i32, 1024")
    yield spec("row_sum", "reduce.py", "row_sum_kernel", "*fp32:16, *fp32:16, i32:16, i32:16, 1024, 4, 1024")


def by_triton(spec, folder, target):
    fn = oracle.load_kernel(os.path.join(oracle.KERNELS, spec["file"]), spec["kernel"])
    compiled = triton.compile(oracle.source_of(fn, spec["signature"]), target=oracle.target(f"cuda:{target}"),
                              options={"num_warps": spec["num_warps"]})
    path = os.path.join(folder, spec["name"])
    with open(path + ".ptx", "w") as f:
        f.write(compiled.asm["ptx"])
    with open(path + ".cubin", "wb") as f:
        f.write(compiled.asm["cubin"])
    return path + ".cubin"


def by_nereid(binary, spec, folder, target):
    env = dict(os.environ, NEREID_PTXAS=os.path.join(BIN, "ptxas"))
    list_file = os.path.join(folder, "specs.json")
    with open(list_file, "w") as f:
        json.dump([dict(spec, file=os.path.join(os.path.realpath(oracle.KERNELS), spec["file"]))], f)
    path = os.path.join(folder, spec["name"])
    compile = lambda stages: subprocess.run(
        [binary, "compile", "--specs", list_file, "--target", f"cuda:{target}", "--emit", stages, "-o",
         folder], capture_output=True, env=env)
    if compile("ttgir,llir,ptx,cubin").returncode != 0:  # older versions leave the last step to the driver
        done = compile("ttgir,llir,ptx")
        if done.returncode != 0:
            raise SystemExit(done.stdout.decode() + done.stderr.decode())
        arch = f"sm_{target}a" if target == 90 else f"sm_{target}"
        subprocess.run([os.path.join(BIN, "ptxas"), f"-arch={arch}", path + ".ptx", "-o", path + ".cubin"],
                       check=True)
    return path + ".cubin"


def instructions(cubin):
    """The kernel's instructions as (address, text), without the padding at its end."""
    text = subprocess.run([os.path.join(BIN, "cuobjdump"), "-sass", cubin], check=True, capture_output=True,
                          text=True).stdout
    code = [(int(a, 16), t.strip()) for a, t in re.findall(r"/\*([0-9a-f]{4,})\*/\s+(.*?);", text)]
    while code and code[-1][1].startswith(("NOP", "BRA")):
        code.pop()
    return code


def in_loops(code):
    inside = set()
    for at, text in code:
        m = re.search(r"\bBRA(?:\.\w+)*\s+(?:!?U?P\w+,\s*)?`?\(?(?:\.L_x_\d+|0x([0-9a-f]+))", text)
        if m and m.group(1) and int(m.group(1), 16) < at:
            inside.update(a for a, _ in code if int(m.group(1), 16) <= a <= at)
    return len(inside)


def opcode(text):
    return re.sub(r"^@!?U?P\w+\s+", "", text).split()[0]


def width(text):
    op = opcode(text)
    if not op.startswith(("LDG", "STG")):
        return None
    bits = next((p for p in op.split(".") if p in ("64", "128", "U8", "S8", "U16", "S16")), "32")
    return op[:3] + " " + bits.lstrip("US")


def in_flight(code):
    """The most loads of which nothing is used yet."""
    most, waiting = 0, []
    for _, text in code:
        used = {int(r) for r in re.findall(r"\bR(\d+)", text)}
        if opcode(text).startswith("LDG"):
            first, *address = (int(r) for r in re.findall(r"\bR(\d+)", text))
            count = {"LDG 128": 4, "LDG 64": 2}.get(width(text), 1)
            waiting = [w for w in waiting if not w & {first, *address}] + [set(range(first, first + count))]
            most = max(most, len(waiting))
        else:
            waiting = [w for w in waiting if not w & used]
    return most


def resources(cubin):
    text = subprocess.run([os.path.join(BIN, "cuobjdump"), "-res-usage", cubin], check=True,
                          capture_output=True, text=True)
    m = re.search(r"REG:(\d+) STACK:(\d+) SHARED:(\d+) LOCAL:(\d+)", text.stdout + text.stderr)
    return tuple(int(g) for g in m.groups())


def describe(cubin, warps, target):
    code = instructions(cubin)
    registers, stack, _, local = resources(cubin)
    programs = min(65536 // (32 * warps * (-(-registers // 8) * 8)), SMS[target] // warps, 32)
    count = lambda name: sum(opcode(t).split(".")[0] == name for _, t in code)
    widths = collections.Counter(w for w in (width(t) for _, t in code) if w)
    return (
        f"{len(code):6} {in_loops(code):6} {registers:5} {stack + local:6} {programs * warps:6} {count('BAR'):4} {count('SHFL'):5} {in_flight(code):6}  "
        + ", ".join(f"{n} {w}" for w, n in sorted(widths.items())))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nereid", action="append", default=[])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--keep", help="folder for PTX and cubins")
    parser.add_argument("--target", type=int, default=90, choices=SMS)
    args = parser.parse_args()
    keep = args.keep or tempfile.mkdtemp(prefix="sass-")
    binaries = args.nereid or [os.path.join(oracle.HERE, "..", "bin", "nereid")]
    print(f"{'':34} instrs  loops  regs spills  warps bars shuff flight")
    for spec in specs():
        if args.only and not any(o in spec["name"] for o in args.only):
            continue
        for i, binary in enumerate(binaries + [None]):
            name = os.path.basename(binary) if binary else "triton"
            folder = os.path.join(keep, f"{i}-{name}")
            os.makedirs(folder, exist_ok=True)
            cubin = by_nereid(binary, spec, folder, args.target) if binary else by_triton(spec, folder, args.target)
            print(
                f"{spec['name'] if i == 0 else '':22} {name:11} {describe(cubin, spec['num_warps'], args.target)}", flush=True)


if __name__ == "__main__":
    main()
