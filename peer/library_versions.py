"""Asks a release of Triton, and Nereid by its rules, for the kernels of libraries that dry.py has listed:

  library_versions.py --root LIBRARIES --release 3.9 --nereid bin/nereid --out DIR SPECS.json...

The first triton on PYTHONPATH must be of that release. Each kernel is taken once, with the signature of its
first entry. Triton's front end makes IR of it for cuda:90, and so does Nereid (`nereid compile --triton
RELEASE --emit source`); what Triton refuses is compiled by the rules of RELEASE+block_ptr, too. The table
counts kernels; those that only one of both takes are named with the reason. PyTorch is needed, a GPU is not.
FlagGems asks for its vendor: GEMS_VENDOR=nvidia.
"""
import argparse
import collections
import json
import os
import sys
import warnings

import triton

import dry
import frontend
from _nereid import compile_specs


def picked(paths):
    """The first entry of each kernel, by the library."""
    seen = {}
    for path in paths:
        with open(path) as f:
            for spec in json.load(f):
                file = os.path.realpath(os.path.join(os.path.dirname(path), spec["file"]))
                seen.setdefault((file, spec["kernel"]), dict(spec, file=file))
    return [dict(spec, name=f"{i:04d}-{spec['kernel']}") for i, spec in enumerate(seen.values())]


def ask(spec, root, backend):
    """Triton's answer: "" or the reason of its refusal."""
    module = os.path.relpath(spec["file"], root)[:-3].replace(os.sep, ".")
    if module.startswith("."):  # a file that a library has generated
        folder, module = os.path.dirname(spec["file"]), os.path.basename(spec["file"])[:-3]
        sys.path[:0] = [folder] if folder not in sys.path else []
    try:
        frontend.front_end(dict(spec, module=module), backend)
    except Exception as e:
        while e.__cause__ is not None:
            e = e.__cause__
        return f"{type(e).__name__}: {e}".strip().splitlines()[-1][:200] or type(e).__name__
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("root", "release", "nereid", "out"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("specs", nargs="+")
    a = parser.parse_args()
    a.root = os.path.realpath(a.root)
    os.makedirs(a.out, exist_ok=True)
    if not triton.__version__.startswith(a.release + "."):
        raise SystemExit(f"this is Triton {triton.__version__}")
    warnings.simplefilter("ignore")
    triton.runtime.driver.set_active(dry.Driver(dry.target_of("cuda:90")))
    dry.pretend("cuda")
    sys.path[:0] = [a.root]
    specs, backend = picked(a.specs), triton.compiler.compiler.make_backend(frontend.TARGET)
    theirs = {spec["name"]: ask(spec, a.root, backend) for spec in specs}
    ours = compile_specs(a.nereid, specs, a.release, a.root, os.path.join(a.out, "source"))
    refused = [s for s in specs if theirs[s["name"]]]
    kept = compile_specs(a.nereid, refused, a.release + "+block_ptr", a.root, os.path.join(a.out, "kept"))
    report(a, specs, theirs, ours, kept)


def report(a, specs, theirs, ours, kept):
    counts, lines = collections.defaultdict(collections.Counter), []
    for spec in specs:
        name, library = spec["name"], {"@": "flag_gems, made"}.get(spec["library"], spec["library"])
        they, we = theirs[name], ours.get(name, "no answer")
        column = ("both" if not we else "Triton alone") if not they else ("Nereid alone"
                                                                          if not we else "neither")
        for key in (library, "all"):
            counts[key]["kernels"] += 1
            counts[key][column] += 1
            counts[key]["with +block_ptr"] += bool(they) and kept.get(name) == ""
        lines.append(f"{column}\t{library}\t{name}\t{they}\t{we}\t{kept.get(name, '-')}")
    with open(os.path.join(a.out, "report.tsv"), "w") as f:
        f.write("\n".join(lines) + "\n")
    columns = ("kernels", "both", "Triton alone", "Nereid alone", "neither", "with +block_ptr")
    print(f"{'':18}" + "".join(f"{c:>16}" for c in columns))
    for library, row in sorted(counts.items(), key=lambda kv: kv[0] == "all"):
        print(f"{library:18}" + "".join(f"{row[c]:>16}" for c in columns))


if __name__ == "__main__":
    main()
