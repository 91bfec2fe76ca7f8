"""Asks nereid to compile lists of kernels by the rules of a release of Triton."""
import json
import os
import subprocess


def compile_specs(nereid, specs, release, root, out, emit="source"):
    """Writes the stages of the entries to a folder. Returns by the entries' names "" or the reason of a
    refusal."""
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, "specs.json")
    with open(path, "w") as f:
        json.dump(specs, f)
    vendor = ["--env", "GEMS_VENDOR=" + os.environ["GEMS_VENDOR"]] if "GEMS_VENDOR" in os.environ else []
    done = subprocess.run([nereid, "compile", "--triton", release, *vendor, "--specs", path, "--root", root,
                           "--target", "cuda:90", "--emit", emit, "-o", out], capture_output=True, text=True,
                          check=False)
    said = {}
    for line in (done.stdout + done.stderr).splitlines():
        word, _, rest = line.partition(" ")
        if word in ("ok", "fail"):
            name, _, why = rest.partition(":")
            said[name.strip()] = why.strip() if word == "fail" else ""
    return said
