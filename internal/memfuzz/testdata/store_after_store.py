# launch warps=2 grid=1 overlap=false
# tensor name=x type=i32 len=80 offset=0 perm=0 seed=409
# scalar name=n value=3
# The later of two stores wins, whichever warps make them.
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    i = tl.arange(0, 64)
    v = tl.load(x + i)
    tl.store(x + i + n, tl.full([64], 3, tl.int32))
    tl.store(x + i, v)
