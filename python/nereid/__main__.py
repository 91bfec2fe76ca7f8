"""Runs a small kernel on each device of this machine: python -m nereid [DEVICE]..."""

from __future__ import annotations

import array
import sys
import time

import nereid

KERNEL = """
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    y = tl.load(y_ptr + at, mask=at < n)
    tl.store(out_ptr + at, x + y, mask=at < n)
"""


def tried(device: str) -> str:
    """Adds two arrays on a device, and says what came of it."""
    n, block = 1000, 256
    x, y, out = (array.array("f", [v] * n) for v in (1, 2, 0))
    start = time.perf_counter()
    try:
        add = nereid.parse(KERNEL, "add.py")["add"].on(device)
        add[(nereid.cdiv(n, block),)](x, y, out, n, BLOCK=block)
    except nereid.NereidError as e:
        return f"failed: {e}"
    verdict = "right" if set(out) == {3} else "WRONG"
    return f"1 + 2 = {out[0]:g}, {verdict}, {(time.perf_counter() - start) * 1e3:.0f} ms"


def main(names: list[str]) -> int:
    print("nereid", nereid.version())
    known = nereid.devices()
    results = {name: tried(name) for name in names or known}
    for name, result in results.items():
        print(f"{name:12} {result}", f"({known[name]})" if name in known else "")
    return int(any("right" not in r for r in results.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
