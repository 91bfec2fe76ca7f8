# launch warps=1 grid=1 overlap=false
# tensor name=x type=fp32 len=24 offset=0 perm=0 seed=1
# scalar name=n value=6
# The loop must store what was loaded before it, in every iteration.
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    i = tl.arange(0, 16)
    v = tl.load(x + i + 4)
    tl.debug_barrier()
    for q in range(2):
        tl.store(x + i, v, mask=i < n)
        tl.debug_barrier()
