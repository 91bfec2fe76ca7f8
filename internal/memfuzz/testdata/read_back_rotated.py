# launch warps=2 grid=1 overlap=false
# tensor name=x type=fp32 len=64 offset=0 perm=0 seed=1
# tensor name=tmp type=fp32 len=64 offset=0 perm=0 seed=2
# tensor name=out type=fp32 len=64 offset=0 perm=0 seed=3
# The threads that load are not those that stored.
import triton
import triton.language as tl


@triton.jit
def kernel(x, tmp, out):
    i = tl.arange(0, 64)
    tl.store(tmp + i, tl.load(x + i), mask=(i % 5) != 0)
    v = tl.load(tmp + (i + 33) % 64, mask=i < 34, other=0)
    tl.store(out + i, v)
