# launch warps=1 grid=1 overlap=true
# tensor name=x type=fp32 len=96 offset=0 perm=0 seed=1
# view name=y type=fp32 of=x offset=16
# Arguments that overlap are sequential where the host's memory is.
import triton
import triton.language as tl


@triton.jit
def kernel(x, y):
    i = tl.arange(0, 64)
    v = tl.load(x + i)
    tl.debug_barrier()
    tl.store(y + i, v)
