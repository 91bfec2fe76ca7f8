# launch warps=4 grid=2 overlap=false
# tensor name=x type=i32 len=320 offset=0 perm=0 seed=1
# Every element moves by one: all lanes load before one stores.
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    i = tl.arange(0, 128)
    x += tl.program_id(0) * 150
    for k in range(3):
        v = tl.load(x + i)
        tl.debug_barrier()
        tl.store(x + i + 1, v)
        tl.debug_barrier()
