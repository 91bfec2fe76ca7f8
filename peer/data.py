"""The random numbers of `nereid bench` (internal/bench/data.go), for the other side: the same ones.

Element i of the tensor with a seed is one of 65,536 quantiles of the normal distribution, rounded to
multiples of 1/4096 and then to the tensor's type. python3 data.py prints the sums that
internal/bench/data_test.go expects.
"""
import functools
import math

MASK = (1 << 64) - 1
FACTORS = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93


def quantile(p):
    """The normal quantile of p."""
    from statistics import NormalDist
    return NormalDist().inv_cdf(p)


@functools.cache
def normals():
    """The quantiles in units of 1/4096."""
    return [round(4096 * quantile((2 * i + 1) / (1 << 17))) for i in range(1 << 16)]


def place(seed, i):
    """Which of the normals element i is."""
    x = ((seed << 40) + i + 1) * FACTORS[0] & MASK
    x ^= x >> 32
    return (x * FACTORS[1] & MASK) >> 48


def tensor(seed, shape, dtype, device="cuda"):
    """The tensor with a seed, as nereid bench has it."""
    import torch
    signed = [f - (1 << 64) for f in FACTORS]  # products of int64 wrap around
    table = torch.tensor(normals(), dtype=torch.float32, device=device).div_(4096).to(dtype)
    out = torch.empty(math.prod(shape), dtype=dtype, device=device)
    part = 1 << 25  # so that the integers need little memory
    for start in range(0, out.numel(), part):
        x = torch.arange(start + 1, min(start + part, out.numel()) + 1, device=device, dtype=torch.int64)
        x = (x + (seed << 40)) * signed[0]
        x ^= (x >> 32) & 0xFFFFFFFF
        x = ((x * signed[1]) >> 48) & 0xFFFF
        out[start:start + part] = table.view(torch.uint8)[x].view(dtype) if dtype.itemsize == 1 else table[x]
    return out.view(*shape)


if __name__ == "__main__":
    print("normals", sum(abs(v) for v in normals()), max(normals()), "places",
          [sum(place(s, i) for i in range(1000)) for s in range(3)])
