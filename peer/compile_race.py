"""Compares Nereid's compilations with Triton's, of the kernels that dry.py recorded. Needs neither Triton nor
a GPU.

  compile_race.py [--nereid BINARY] [--target hip:gfx942|cuda:90] [--root LIBRARIES] [--each] CASES...

Each of CASES is a folder of dry.py's. Prints, for each and in all, how many kernels Triton compiled, how many
of those Nereid did, and the processor time of both: Triton's of its compilations alone, Nereid's of the whole
process. Then the kernels that Triton alone compiled, with Nereid's reason. Exit 1 if there are more of them
than one in a hundred. With --each, a process compiles each kernel, and its time counts less that of `nereid
--version`; then there is also a list of the kernels for which Nereid takes longest relative to Triton. For
cuda:90, both sides end at PTX.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile

CODE = {"hip": "hsaco", "cuda": "ptx"}  # the stage at which both sides end
HERE = os.path.dirname(os.path.abspath(__file__))


def used(command):
    """The processor time of a command in seconds, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done


def compiled(args, folder):
    """What Nereid makes of the kernels of a folder that Triton compiled: entries, reasons of failures by
    name, seconds."""
    with open(os.path.join(folder, "specs.json")) as f:
        specs = [s for s in json.load(f) if "seconds" in s.get("triton", {})]
    with tempfile.NamedTemporaryFile("w", suffix=".json", dir=folder) as f:
        json.dump(specs, f)
        f.flush()
        command = [args.nereid, "compile", "--specs", f.name, "--target", args.target, "--emit",
                   CODE[args.target.split(":")[0]]]
        command += [a for r in args.root for a in ("--root", r)]
        if not args.each:
            seconds, done = used(command)
            return specs, reasons(specs, [done]), seconds
        start = min(used([args.nereid, "--version"])[0] for _ in range(5))
        runs = []
        for s in specs:
            seconds, done = used(command + ["--only", s["name"]])
            s["nereid"] = max(seconds - start, 0)
            runs.append(done)
        return specs, reasons(specs, runs), sum(s["nereid"] for s in specs)


def reasons(specs, runs):
    lines = [line for done in runs for line in done.stdout.splitlines()]
    ok = {line.split()[1] for line in lines if line.startswith("ok ")}
    said = {line.split()[1].rstrip(":"): line for line in lines if line.startswith("fail ")}
    return {s["name"]: said.get(s["name"], runs[-1].stderr[-300:]) for s in specs if s["name"] not in ok}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nereid", default=os.path.join(HERE, "..", "bin", "nereid"))
    parser.add_argument("--target", default="hip:gfx942")
    parser.add_argument("--root", action="append", default=[], help="folder in which imports are found")
    parser.add_argument("--each", action="store_true", help="a process for each kernel")
    parser.add_argument("cases", nargs="+")
    args = parser.parse_args()
    row = "| {} | {} | {} | {:.1f} | {:.1f} | {:.2f} |"
    print(
        "| cases | Triton compiled | of those Nereid | Triton, s | Nereid, s | ratio |\n|---|---|---|---|---|---|")
    total, missing, slow = [0, 0, 0.0, 0.0], [], []
    for folder in args.cases:
        specs, failed, seconds = compiled(args, folder)
        numbers = [len(specs), len(specs) - len(failed), sum(s["triton"]["seconds"] for s in specs), seconds]
        print(row.format(os.path.basename(os.path.normpath(folder)), *numbers, numbers[3] / numbers[2]),
              flush=True)
        total = [a + b for a, b in zip(total, numbers)]
        missing += failed.values()
        slow += [(s["nereid"] / s["triton"]["seconds"], s) for s in specs if "nereid" in s]
    print(row.format("all", *total, total[3] / total[2]))
    for ratio, s in sorted(slow, key=lambda x: -x[0])[:10]:
        print(
            f"{ratio:.2f} of Triton's time, {s['nereid']:.3f} s: {s['library']} {s['name']}, {s['num_warps']} warps")
    print("\n".join(["", *missing]))
    sys.exit(1 if len(missing) * 100 > total[0] else 0)


if __name__ == "__main__":
    main()
