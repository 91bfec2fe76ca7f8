"""Counts the configs of public libraries that Triton compiles within a GPU's shared memory, and those that
Nereid does not:

  census.py --out DIR --root LIBRARIES [--nereid bin/nereid] [--every N] [--python PYTHON] [LIBRARY]...

A library (liger, fla, flag_gems, tutorials; all unless named) is run by dry.py with small_libraries.py, and
every config of its autotuned kernels is listed, with the signature of the call, if Triton's front end takes
the kernel with these types. Nereid compiles all of them for cuda:90. Triton is asked about each one that
Nereid refuses or for which it needs more shared memory than a block of an H200 may have, and about every Nth
other. PYTHON has PyTorch and Triton; no GPU is needed. FlagGems asks for its vendor: GEMS_VENDOR=nvidia.

The table counts, for each library: configs; those that Nereid compiles within the limit; those about which
Triton was asked, of these: compiled by both within the limit; by neither; by Triton alone, which is a failure
and named with Nereid's error; by Nereid alone; and, of those that both compiled, how many took more and less
memory than Triton's, and for how many a processor has room for fewer blocks. With --again, what DIR has is
not made anew. The exit status is 1 if Triton alone compiled one.
"""
import argparse
import collections
import json
import os
import subprocess
import sys

LIMIT = 232448  # bytes of shared memory of a block on an H200
ROOM, RESERVED, THREADS = 233472, 1024, 2048  # bytes of a processor, those that a block takes beside its own, threads of a processor
HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS = 4
LIBRARIES = ("tutorials", "liger", "fla", "flag_gems")
COLUMNS = ("configs", "fits", "asked", "both", "neither", "Triton alone", "Nereid alone", "more bytes",
           "fewer bytes", "fewer blocks")


def dry(a, library, out, *options):
    """Lists the compilations of a library in out/specs.json."""
    command = [a.python, os.path.join(HERE, "dry.py"), "--out", out, "--root", a.root, "--target", "cuda:90",
               "--configs", "100000", "--thin", *options, os.path.join(HERE, "small_libraries.py"), "--only",
               library, "--dtype", a.dtype]
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "log.txt"), "w") as log:
        subprocess.run(command, stdout=log, stderr=log, check=False)
    return read(os.path.join(out, "specs.json"))


def read(path):
    with open(path) as f:
        return json.load(f)


def compile_all(a, out):
    """What Nereid says of each entry of out/specs.json: its shared memory, or an error."""
    vendor = ["--env", "GEMS_VENDOR=" + os.environ["GEMS_VENDOR"]] if "GEMS_VENDOR" in os.environ else []
    command = [a.nereid, "compile", *vendor, "--specs", os.path.join(out, "specs.json"), "--root", a.root,
               "--target", "cuda:90", "--emit", "json", "-o", os.path.join(out, "nereid")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said, name = {}, ""
    for line in done.stdout.splitlines() + done.stderr.splitlines():
        word, _, rest = line.partition(" ")
        if word in ("ok", "fail"):
            name = rest.split(":")[0].strip()
            said[name] = {"error": rest.partition(":")[2].strip()} if word == "fail" else shared(out, name)
    return said


def shared(out, name):
    return {"shared": read(os.path.join(out, "nereid", name + ".json"))["shared"]}


def blocks(answer, warps):
    """How many blocks a processor has room for, by their shared memory and threads."""
    return min(ROOM // (answer["shared"] + RESERVED), THREADS // (32 * warps))


def fits(answer):
    return answer.get("shared", LIMIT + 1) <= LIMIT


def ask(a, library, out, specs, said):
    """Has Triton answer for what Nereid refuses, and for a share of the rest. small_libraries.py finds some
    arguments by trying what Triton takes, so that its answers bring other entries about: these are asked for
    until there are none. Returns the entries of the last run, with Triton's answers, and what Nereid says of
    them."""
    asked = {key(s): s for i, s in enumerate(specs) if i % a.every == 0}
    path, folder = os.path.join(out, "asked.json"), os.path.join(out, "asked")
    for turn in range(ROUNDS):
        more = {key(s): s for s in specs if not fits(said.get(s["name"], {})) and key(s) not in asked}
        if turn and not more:
            break
        asked.update(more)
        with open(path, "w") as f:
            json.dump(list(asked.values()), f)
        specs = dry(a, library, folder, "--types", "--ask", path)
        said = compile_all(a, folder)
    return specs, said


def key(spec):
    options = tuple(spec[k] for k in ("kernel", "signature", "num_warps", "num_stages", "num_ctas"))
    return os.path.basename(spec["file"]), *options


def judge(ours, triton, warps):
    """The columns of the table in which a config counts."""
    if fits(ours) and fits(triton):
        more = ours["shared"] - triton["shared"]
        columns = ["both"] + (["more bytes"] if more > 0 else ["fewer bytes"] if more < 0 else [])
        return columns + (["fewer blocks"] if blocks(ours, warps) < blocks(triton, warps) else [])
    return ["Triton alone" if fits(triton) else "Nereid alone" if fits(ours) else "neither"]


def census(a, library):
    out = os.path.join(a.out, library)
    again = a.again and os.path.exists(os.path.join(out, "specs.json"))
    specs = read(os.path.join(out, "specs.json")) if again else dry(a, library, out, "--no-triton", "--types")
    specs, said = ask(a, library, out, specs, compile_all(a, out))
    counts = collections.Counter(configs=len(specs))
    for spec in specs:
        ours, theirs = said.get(spec["name"], {"error": "no answer"}), spec.get("triton")
        counts["fits"] += fits(ours)
        for column in ("asked", *judge(ours, theirs, spec["num_warps"])) if theirs else ():
            counts[column] += 1
            if column in ("Triton alone", "more bytes", "neither"):
                print(f"{library} {about(spec)}: {column}: Triton {said_of(theirs)}, Nereid {said_of(ours)}")
    return counts


def said_of(answer):
    return f"{answer['shared']} bytes" if "shared" in answer else answer["error"]


def about(spec):
    return f"{spec['name']} ({spec['signature']}) warps {spec['num_warps']} stages {spec['num_stages']} ctas {spec['num_ctas']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--nereid", default="bin/nereid")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--every", type=int, default=20)
    parser.add_argument("--dtype", default="fp16")
    parser.add_argument("--again", action="store_true", help="list the libraries' configs from DIR")
    parser.add_argument("libraries", nargs="*", default=LIBRARIES)
    a = parser.parse_args()
    total = collections.Counter()
    print(f"{'':12}" + "".join(f"{c:>14}" for c in COLUMNS))
    for library in a.libraries or LIBRARIES:
        counts = census(a, library)
        total += counts
        print(f"{library:12}" + "".join(f"{counts[c]:>14}" for c in COLUMNS), flush=True)
    print(f"{'all':12}" + "".join(f"{total[c]:>14}" for c in COLUMNS))
    return 1 if total["Triton alone"] else 0


if __name__ == "__main__":
    sys.exit(main())
