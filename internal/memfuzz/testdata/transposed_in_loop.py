# launch warps=1 grid=1 overlap=false
# tensor name=x type=fp32 len=32 offset=0 perm=0 seed=233
# scalar name=n value=3
# The loop stores what was loaded before it, transposed, over the same memory.
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    r = tl.arange(0, 4)
    c = tl.arange(0, 4)
    v = tl.load(x + r[:, None] * 4 + c[None, :])
    for k in range(0, 2):
        tl.store(x + c[None, :] * 4 + r[:, None], v, mask=r[:, None] < n)
