"""Asks the releases of Triton what their front ends make of the kernels of
internal/conform/testdata/versions.py, and keeps the answers.

  versions.py RELEASE=FOLDER ... OUT.json.gz
      RELEASE is 3.6 to 3.9, FOLDER that in which its wheel lies unpacked (`pip download --no-deps
          triton==3.9.0`, unzip). Each release
      runs in a process of its own, with that folder first on PYTHONPATH. OUT has {release: {kernel: IR
          before any pass, or the error}}.
"""
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "..", "internal", "conform", "testdata", "versions.py")


def specs():
    with open(KERNELS) as f:
        text = f.read()
    for sig, limits, name in re.findall(
        r"# sig: (.*)\n((?: *# (?:since|until): .*\n)*) *@triton.jit\n *def (\w+)", text):
        yield {"name": name, "file": KERNELS, "kernel": name, "signature": sig, "module": "versions_kernels"}


def ask(folder):
    """The answers of a release, by kernel."""
    with tempfile.TemporaryDirectory() as dir:
        with open(KERNELS) as f, open(os.path.join(dir, "versions_kernels.py"), "w") as to:
            to.write(f.read())
        with open(os.path.join(dir, "specs.json"), "w") as f:
            json.dump(list(specs()), f)
        env = dict(os.environ, PYTHONPATH=folder, TRITON_CACHE_DIR=dir, PYTHONDONTWRITEBYTECODE="1")
        subprocess.run([sys.executable, os.path.join(HERE, "frontend.py"), os.path.join(dir, "specs.json"),
                        dir], env=env, check=True)
        out = {}
        for spec in specs():
            for kind in ("source", "error"):
                path = os.path.join(dir, f"{spec['name']}.{kind}")
                if os.path.exists(path):
                    with open(path) as f:
                        text = f.read()
                    out[spec["name"]] = text if kind == "source" else "error: " + (text.strip().splitlines() or [""])[-1]
        return out


def main():
    *releases, out = sys.argv[1:]
    answers = {name: ask(folder) for name, _, folder in (r.partition("=") for r in releases)}
    with open(out, "wb") as f:
        f.write(gzip.compress(json.dumps(answers, indent=0).encode(), 9, mtime=0))
    for name, kernels in answers.items():
        print(name, sum(not t.startswith("error: ") for t in kernels.values()), "of", len(kernels),
              "compiled")


if __name__ == "__main__":
    main()
