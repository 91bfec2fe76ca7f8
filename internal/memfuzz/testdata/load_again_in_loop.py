# launch warps=4 grid=2 overlap=false
# tensor name=x type=i32 len=1024 offset=0 perm=0 seed=1
# What a loop loads is what the iteration before stored, also where the same was loaded before the loop.
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    i = tl.arange(0, 128)
    x += tl.program_id(0) * 512
    v = tl.load(x + i)
    for k in range(3):
        tl.store(x + i, tl.load(x + i) * 3 + k)
    w = tl.load(x + i)
    n = 0
    while n < 3:
        u = tl.load(x + i)
        for k in range(2):
            tl.store(x + i, tl.load(x + i) * 5 + u)
        n += 1
    tl.store(x + 128 + i, v)
    tl.store(x + 256 + i, w)
