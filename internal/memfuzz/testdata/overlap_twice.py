# launch warps=1 grid=1 overlap=true
# tensor name=x type=i32 len=49 offset=0 perm=0 seed=993
# view name=y type=i32 of=x offset=1
# Two stores of one value through overlapping arguments, in order.
import triton
import triton.language as tl


@triton.jit
def kernel(x, y):
    i = tl.arange(0, 32)
    v = tl.load(y + i)
    tl.store(x + i, v)
    tl.store(y + i, v)
