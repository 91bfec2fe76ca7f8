"""Compares Nereid's machine code for the same kernels by the rules of two releases of Triton:

  release_code.py --root LIBRARIES --nereid bin/nereid --out DIR [--from 3.6] [--to 3.9+block_ptr]
      SPECS.json...

SPECS.json is a list as dry.py writes it. Kernels that both releases take are compiled for cuda:90; where PTX
differs, ptxas and cuobjdump, which come with Triton, tell instructions, those in loops, registers and spilled
bytes. Prints a line for each kernel whose code differs, and the geometric means of the second release's
figures over the first's. No GPU is needed. FlagGems asks for its vendor: GEMS_VENDOR=nvidia.
"""
import argparse
import json
import math
import os
import re
import subprocess

import sass
from _nereid import compile_specs


def entries(paths):
    """All kernels of the lists, under names of their own and with their files by full paths."""
    out = []
    for path in paths:
        with open(path) as f:
            listed = json.load(f)
        for spec in listed:
            file = os.path.realpath(os.path.join(os.path.dirname(path), spec["file"]))
            out.append(dict(spec, name=f"{len(out):04d}-{spec['kernel']}", file=file))
    return out


def code(path):
    """PTX without the lines that tell of the source, or None."""
    try:
        with open(path) as f:
            text = f.read()
    except OSError:
        return None
    text = text.partition("\t.section\t.debug")[0]
    return [line for line in text.splitlines() if not re.match(r"\s*(\.loc|\.file|//|\$L__|$)", line)]


def assembled(ptx):
    """Instructions, those in loops, registers, spilled bytes."""
    cubin = ptx[:-len("ptx")] + "cubin"
    subprocess.run([os.path.join(sass.BIN, "ptxas"), "-arch=sm_90a", ptx, "-o", cubin], check=True)
    listed = sass.instructions(cubin)
    registers, stack, _, local = sass.resources(cubin)
    return len(listed), sass.in_loops(listed), registers, stack + local


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / max(1, len(ratios)))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("root", "nereid", "out"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--from", dest="before", default="3.6")
    parser.add_argument("--to", dest="after", default="3.9+block_ptr")
    parser.add_argument("specs", nargs="+")
    a = parser.parse_args()
    specs = entries(a.specs)
    folders = [os.path.join(a.out, release) for release in (a.before, a.after)]
    said = [compile_specs(a.nereid, specs, release, a.root, folder, "ptx") for release,
            folder in zip((a.before, a.after), folders)]
    both, rows, one = 0, [], []
    for spec in specs:
        paths = [os.path.join(folder, spec["name"] + ".ptx") for folder in folders]
        texts = [code(path) for path in paths]
        if None in texts:
            if texts != [None, None]:
                i = texts.index(None)
                one.append(
                    f"refused by {(a.before, a.after)[i]} alone: {spec['file']}:{spec['kernel']}: {said[i].get(spec['name'])}")
            continue
        both += 1
        if texts[0] != texts[1]:
            rows.append((spec, *map(assembled, paths)))
    for spec, before, after in sorted(rows, key=lambda row: row[2][0] / row[1][0]):
        print(
            f"{after[0] / before[0]:.3f} instructions {before[0]} {after[0]}, in loops {before[1]} {after[1]}, registers {before[2]} {after[2]}, "
            f"spilled {before[3]} {after[3]}: {spec['name']} {os.path.relpath(spec['file'], a.root)} ({spec['signature']})")
    print(*one, sep="\n")
    print(f"{len(specs)} compilations, {both} by both, {len(rows)} with other code")
    for what, i in (("instructions", 0), ("in loops", 1), ("registers", 2)):
        ratios = [max(1, after[i]) / max(1, before[i]) for _, before, after in rows]
        if ratios:
            print(
                f"{what}: mean of those {mean(ratios):.4f}, of all {mean(ratios) ** (len(ratios) / both):.4f}, most {max(ratios):.3f}; "
                f"more in {sum(r > 1 for r in ratios)}, fewer in {sum(r < 1 for r in ratios)}")


if __name__ == "__main__":
    main()
