"""Certifies recorded launches of public libraries: `nereid verify` compares the code of each kernel with its
source in a finite ring, without a tolerance (docs/VERIFY.md). No GPU is needed, and no Triton but for
recording:

  dry.py --no-triton --target cuda:90 --out CASES --root LIBRARIES small_libraries.py [--only LIBRARY]...
  certify.py --root LIBRARIES --json RESULTS.json CASES/*.safetensors

FlagGems asks for its vendor: GEMS_VENDOR=nvidia. One process runs each launch on all devices, so that one
that hangs or takes all memory costs nothing but itself. The table at the end counts launches, and kernels:
one is certified on a device if some launch of it is equal there and none differs. Every launch that differs
or fails is named, and the exit status is 1 then; what is refused is counted by its reason.
"""
import argparse
import collections
import json
import os
import re
import struct
import subprocess
import sys

VERDICTS = ("equal", "refused", "DIFFERS", "FAILED", "TIMEOUT")


def launch_of(path):
    """What a recorded launch says of itself."""
    with open(path, "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
    return json.loads(header["__metadata__"]["launch"])


def verify(args, path, devices):
    """The verdicts of nereid verify on a launch, with their explanations, by device."""
    vendor = ["--env", "GEMS_VENDOR=" + os.environ["GEMS_VENDOR"]] if "GEMS_VENDOR" in os.environ else []
    command = [args.nereid, "verify", *vendor, "--root", args.root, "--device", ",".join(devices), path]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=args.timeout)
    except subprocess.TimeoutExpired:
        return {device: ("TIMEOUT", f"{args.timeout} s") for device in devices}
    found = {}
    for line in done.stdout.splitlines():
        words = line.split(" ", 2)
        if len(words) == 3 and words[0] in VERDICTS and words[1] in devices:
            found[words[1]] = words[0], words[2].split(path + ": ", 1)[-1]
    why = (done.stderr or done.stdout or f"exit status {done.returncode}").strip().splitlines()[-1]
    return {device: found.get(device, ("FAILED", why)) for device in devices}


def reason(text):
    """The text of a refusal without what is one launch's alone."""
    text = re.sub(r"^(source: )?(\S+:\d+:\d+: )?(error: )?", "", text)
    return re.sub(r"\d+", "N", re.sub(r"kernel \S+", "kernel", text))[:110]


def kernel_of(launch):
    """A kernel by its file and name; one that its library wrote (its file lies beside the cases) by its name
    alone."""
    return ("" if launch["file"].startswith("@/") else launch["file"]) + ":" + launch["kernel"]


def table(results, device):
    """Prints the counts of a device."""
    mine = [r for r in results if r["device"] == device]
    by_kernel = collections.defaultdict(set)
    for r in mine:
        by_kernel[r["kernel"]].add(r["verdict"])
    certified = sum("equal" in v and not v & {"DIFFERS", "FAILED"} for v in by_kernel.values())
    counts = collections.Counter(r["verdict"] for r in mine)
    print(f"{device}: {len(mine)} launches of {len(by_kernel)} kernels: " +
          ", ".join(f"{counts[v]} {v.lower()}" for v in VERDICTS) + f"; {certified} kernels certified")
    for why, n in collections.Counter(reason(r["text"]) for r in mine
                                      if r["verdict"] == "refused").most_common():
        print(f"  refused {n:4d}  {why}")
    for r in mine:
        if r["verdict"] not in ("equal", "refused"):
            print(f"  {r['verdict']} {r['path']}: {r['text'][:300]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nereid", default="nereid", help="the program")
    parser.add_argument("--root", required=True, help="the folder below which the kernels' files lie")
    parser.add_argument("--device", default="sim:90,sim:gfx942")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for a launch")
    parser.add_argument("--json",
                        help="file for all verdicts; launches that it has already are not run again")
    parser.add_argument("cases", nargs="+")
    args = parser.parse_args()
    results = []
    if args.json:
        try:
            with open(args.json) as f:
                results = [json.loads(line) for line in f]
        except FileNotFoundError:
            pass
    known = {(r["path"], r["device"]) for r in results}
    devices = args.device.split(",")
    for path in args.cases:
        kernel = kernel_of(launch_of(path))
        left = [d for d in devices if (path, d) not in known]
        for device, (verdict, text) in verify(args, path, left).items() if left else ():
            results.append({"path": path, "kernel": kernel, "device": device, "verdict": verdict,
                            "text": text})
            if args.json:
                with open(args.json, "a") as f:
                    f.write(json.dumps(results[-1]) + "\n")
    for device in devices:
        table(results, device)
    sys.exit(any(r["verdict"] not in ("equal", "refused") for r in results))


if __name__ == "__main__":
    main()
