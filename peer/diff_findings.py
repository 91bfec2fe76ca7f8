"""Compares what `nereid diff-versions --json` says of kernels with the IR of both releases of Triton:

  diff_findings.py FINDINGS.jsonl --root LIBRARIES --nereid bin/nereid 3.6=FOLDER 3.9=FOLDER

FOLDER has the unpacked wheel of the release; this Python has PyTorch. For each kernel whose operations
change, the operations that Triton's front end makes more, and fewer, of in the second release are counted,
and so are ours. It prints those for which the counts differ, and the sum.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

from _nereid import compile_specs

HERE = os.path.dirname(os.path.abspath(__file__))
OPERATION = re.compile(r'^\s*(?:%[^=]*= )?"?((?:arith|tt|math|scf)\.[a-z_0-9]+)', re.M)
LEFT_OUT = ("arith.constant", "tt.func", "tt.return", "tt.call")


def ask(specs, root, out):
    """Writes Triton's IR of each entry. Runs in a process of its own, with the release's wheel on
    PYTHONPATH."""
    import triton

    import dry
    import frontend
    triton.runtime.driver.set_active(dry.Driver(frontend.TARGET))
    dry.pretend("cuda")
    sys.path[:0] = [root]
    backend = triton.compiler.compiler.make_backend(frontend.TARGET)
    with open(specs) as f:
        entries = json.load(f)
    for spec in entries:
        module = os.path.relpath(spec["file"], root)[:-3].replace(os.sep, ".")
        try:
            text = frontend.front_end(dict(spec, module=module), backend)
        except Exception as e:
            text = f"error: {frontend.reason(e)}"
        with open(os.path.join(out, spec["name"] + ".source"), "w") as f:
            f.write(text)


def counts(folder, name):
    try:
        with open(os.path.join(folder, name + ".source")) as f:
            text = f.read()
    except OSError:
        return None
    return None if text.startswith("error: ") else collections.Counter(o for o in OPERATION.findall(text)
                                                                       if o not in LEFT_OUT)


def change(folders, name):
    """What comes and what goes from the first release to the second, or None where one has no IR."""
    before, after = (counts(folder, name) for folder in folders)
    return None if before is None or after is None else (dict(after - before), dict(before - after))


def main():
    if sys.argv[1] == "--ask":
        return ask(*sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("findings")
    parser.add_argument("--root", required=True)
    parser.add_argument("--nereid", required=True)
    parser.add_argument("releases", nargs=2)
    a = parser.parse_args()
    with open(a.findings) as f:
        found = [m for m in map(json.loads, f) if m["state"] in ("changed", "other results")]
    specs = [dict(m, name=f"{i:03d}-{m['kernel']}", file=os.path.realpath(m["file"])) for i,
             m in enumerate(found)]
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "specs.json")
        with open(path, "w") as f:
            json.dump(specs, f)
        theirs, ours = [], []
        for release, _, wheel in (r.partition("=") for r in a.releases):
            theirs.append(os.path.join(tmp, "triton-" + release))
            ours.append(os.path.join(tmp, "nereid-" + release))
            os.makedirs(theirs[-1])
            env = dict(os.environ, PYTHONPATH=os.pathsep.join((wheel, HERE)), TRITON_CACHE_DIR=tmp)
            subprocess.run([sys.executable, os.path.abspath(__file__), "--ask", path,
                            os.path.realpath(a.root), theirs[-1]], env=env, check=True)
            compile_specs(a.nereid, specs, release, a.root, ours[-1])
        equal = asked = 0
        for spec in specs:
            t, o = change(theirs, spec["name"]), change(ours, spec["name"])
            if t is None or o is None:
                print("not compared", spec["name"])
                continue
            asked += 1
            equal += t == o
            if t != o:
                print("DIFFERENT", spec["name"], t, o)
        print(f"{asked} kernels compared, {equal} equal")
        return 0 if asked == equal else 1


if __name__ == "__main__":
    sys.exit(main())
