# launch warps=1 grid=2 overlap=false
# tensor name=x type=i32 len=128 offset=0 perm=0 seed=1
# Every element moves by one: all lanes load before one stores.
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    i = tl.arange(0, 32)
    x += tl.program_id(0) * 64
    for k in range(3):
        tl.store(x + i + 1, tl.load(x + i))
