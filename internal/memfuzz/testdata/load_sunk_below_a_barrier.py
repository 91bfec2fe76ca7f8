# AMD: the load sank below the barrier, into the branch of the loop, where another wave stores first.
# launch warps=4 ctas=1 check=false grid=1 overlap=false
# tensor name=x1 type=i32 len=256 offset=0 perm=0 seed=267
# scalar name=n0 value=2
import triton
import triton.language as tl


@triton.jit
def kernel(x1, n0):
    i = tl.arange(0, 256)
    v = tl.load(x1 + i)
    w = n0
    while w > 0:
        tl.store(x1 + (255 - i), v)
        w -= 1
