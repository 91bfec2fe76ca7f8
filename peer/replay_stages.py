"""Has Triton compile the kernels of recorded launches, for `nereid replay --from-stage`: needs Triton, not a
GPU.

  replay_stages.py OUT --root DIR [--target cuda:90] CASE.safetensors...

writes OUT/CASE.{ttir,ttgir} for each case, by the first triton on PYTHONPATH, with the types and constants
that a launch with the recorded arguments has. `nereid replay --device sim:90 --from-stage ttgir=OUT
CASE.safetensors...` compiles on from there and compares results.
"""
import argparse
import json
import os
import struct

import oracle


def launch_of(path):
    with open(path, "rb") as f:
        (size, ) = struct.unpack("<Q", f.read(8))
        return json.loads(json.loads(f.read(size))["__metadata__"]["launch"])


def entry(arg):
    """An argument as a signature has it."""
    if arg["kind"] == "tensor":
        size = {"fp64": 8, "i64": 8, "u64": 8, "fp32": 4, "i32": 4, "u32": 4, "fp16": 2, "bf16": 2,
                "i16": 2}.get(arg["dtype"], 1)
        return f"*{arg['dtype']}" + (":16" if arg["offset"] * size % 16 == 0 else "")
    value = arg.get("value")
    if arg["constexpr"] or arg["kind"] not in ("int", "float", "bool"):
        return repr(value)
    if arg["kind"] == "int":
        kind = "i32" if -2**31 <= value < 2**31 else "i64"
        return kind + (":1" if value == 1 else ":16" if value % 16 == 0 else "")
    return "i1" if arg["kind"] == "bool" else "fp32"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--root", required=True)
    parser.add_argument("--target", default="cuda:90")
    parser.add_argument("cases", nargs="+")
    a = parser.parse_args()
    os.makedirs(a.out, exist_ok=True)
    for path in a.cases:
        launch, name = launch_of(path), os.path.basename(path)[:-len(".safetensors")]
        fn = oracle.load_kernel(os.path.join(a.root, launch["file"]), launch["kernel"])
        source = oracle.source_of(fn, ", ".join(map(entry, launch["args"])))
        made = oracle.triton.compile(source, target=oracle.target(a.target), options=launch["options"])
        for stage in ("ttir", "ttgir"):
            with open(os.path.join(a.out, f"{name}.{stage}"), "w") as f:
                f.write(made.asm[stage])
        print("ok", name, flush=True)


if __name__ == "__main__":
    main()
