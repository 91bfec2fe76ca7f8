"""Straight-line kernels for the builtins: what Triton makes of each is in builtins.txtar (peer/semantics.py --kernels).

A comment before each kernel gives its parameters' types.
"""
import triton
import triton.language as tl
from triton.language import core
from triton.language.extra import libdevice
from triton.language.extra import cuda


@triton.jit
def add_fn(a, b):
    return a + b


@triton.jit
def pair_fn(a, i, b, j):
    return a + b, i + j


@triton.jit
def scale_fn(a, b):
    return a * b


# sig: *fp32, *fp32, i32
@triton.jit
def programs(x, y, n):
    pid = tl.program_id(0)
    rows = tl.num_programs(axis=1)
    offs = pid * 128 + tl.arange(0, 128)
    mask = offs < n
    v = tl.load(x + offs, mask=mask, other=0.0)
    tl.store(y + offs * rows, v, mask)


# sig: *fp16, i64
@triton.jit
def fills(x, n):
    a = tl.full((4, 8), 1, tl.float16)
    b = tl.full([8], n, tl.int32)
    c = tl.full([], 3.5, tl.float32)
    d = tl.full((2, ), -1, tl.int8)
    tl.store(x + b, tl.full((8, ), 0, tl.float16))
    tl.store(x + a.to(tl.int32), a)


# sig: *fp32, i32
@triton.jit
def shapes(x, n):
    i = tl.arange(0, 8)
    p = x + i[:, None] * n + i[None, :]
    v = tl.load(p)
    a = tl.reshape(v, 4, 16)
    b = tl.reshape(v, (64, ), can_reorder=True)
    c = v.reshape([2, 32])
    d = tl.trans(a)
    e = tl.trans(tl.reshape(v, (2, 4, 8)), 2, 0, 1)
    f = tl.permute(a, (1, 0))
    g = v.T
    h = tl.expand_dims(i, 0)
    j = tl.expand_dims(i, (0, 2))
    k = tl.expand_dims(i, -1)
    m = tl.broadcast_to(h, 4, 8)
    o, q = tl.broadcast(h, k)
    r = tl.view(v, 32, 2)
    s = n[None]
    t = tl.broadcast_to(n, (2, 2))
    u = i[None, :, None]
    w = tl.arange(0, 1).item()
    y = tl.reshape(tl.full((1, 1), 2.0, tl.float32), ())
    z = tl.expand_dims(n, 0)


# sig: *fp32, *i32
@triton.jit
def joins(x, y):
    i = tl.arange(0, 8)
    a = tl.load(x + i)
    b = tl.load(x + 8 + i)
    c = tl.join(a, b)
    d, e = tl.split(c)
    f = tl.cat(a, b, can_reorder=True)
    s = tl.load(x)
    t = tl.load(x + 1)
    g = tl.join(s, t)
    h, k = tl.split(g)
    m = tl.join(a, s)
    n = tl.join(s.to(tl.int32), i)
    hist = tl.histogram(i, 16)
    masked = tl.histogram(i, 16, mask=i < 5)
    got = tl.gather(a, i, 0)


# sig: *fp32, *i1, *fp16
@triton.jit
def loads(x, y, z):
    i = tl.arange(0, 16)
    a = tl.load(x + i, cache_modifier=".cg", eviction_policy="evict_first")
    b = tl.load(x + i, volatile=True)
    c = tl.load(y + i)
    d = tl.load(y + i, mask=i < 3, other=False)
    e = tl.load(z + i, mask=c, other=1)
    f = tl.load(x, mask=True, other=0)
    g = tl.load(z + i, i < 4, 0.5, eviction_policy="evict_last", cache_modifier=".ca")
    tl.store(y + i, c)
    tl.store(y + i, a > 0, mask=d, cache_modifier=".cs", eviction_policy="evict_last")
    tl.store(z + i, a)
    tl.store(x + i, 1)
    tl.store(x, 2.0, mask=f > 1, cache_modifier=".wb")
    tl.store(x + i[:, None] * 16 + i[None, :], a, mask=i[:, None] < 4)
    h = tl.load(x + i[:, None] + i[None, :], mask=i < 8, other=a[:, None])
    (x + i).store(a)


# sig: *fp32, *fp16, i32, i32, i64
@triton.jit
def block_pointers(x, y, m, n, s):
    p = tl.make_block_ptr(x, shape=(m, n), strides=(n, 1), offsets=(0, 0), block_shape=(16, 32), order=(1, 0))
    a = tl.load(p)
    b = tl.load(p, boundary_check=(0, 1), padding_option="zero")
    c = tl.load(p, boundary_check=(1, ), padding_option="nan", cache_modifier=".cg")
    p = tl.advance(p, (16, m))
    p = p.advance([0, 32])
    tl.store(p, a)
    tl.store(p, b, boundary_check=(1, 0), eviction_policy="evict_first")
    tl.store(p, m.to(tl.float32))
    q = tl.make_block_ptr(y, (m, ), (s, ), (n, ), (64, ), (0, ))
    tl.store(q, tl.load(q, boundary_check=(0, )))


# sig: *i1, i32
@triton.jit
def bool_block_pointer(x, n):
    p = tl.make_block_ptr(x, (n, ), (1, ), (0, ), (32, ), (0, ))
    a = tl.load(p)
    tl.store(p, a)


# sig: *fp16, *i32, *u32, i32, i32
@triton.jit
def descriptors(x, y, z, m, n):
    d = tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[16, 32])
    a = d.load([0, n])
    b = tl.load_tensor_descriptor(d, (m, 0))
    d.store([n, n], a + b)
    d.store((n, n), a.to(tl.float32))
    tl.store_tensor_descriptor(d, [0, 0], b)
    d.atomic_add([0, 0], a)
    d.atomic_max([0, 0], a)
    e = tl.make_tensor_descriptor(y, [m, n, 64], [n * 64, 64, 1], [1, 1, 8], padding_option="zero")
    c = e.load([0, m, n])
    e.atomic_and([0, 0, 0], c)
    e.atomic_min([0, 0, 0], c)
    f = tl.make_tensor_descriptor(z, [n], [1], [32])
    g = f.load([m])
    f.atomic_xor([m], g)
    f.atomic_or([m], g + m.to(tl.uint32))
    h = tl.make_tensor_descriptor(x, [m, n], [n, 1], [16, 16], padding_option="nan")
    r = tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[1, 32])
    rows = tl.arange(0, 16)
    t = r.gather(rows, n)
    r.scatter(t, rows, 0)
    tl.store(x + d.shape[0], d.strides[0])


# sig: *fp32, *i32, *u64, *fp16, i32
@triton.jit
def atomics(x, y, z, h, n):
    i = tl.arange(0, 16)
    m = i < n
    a = tl.atomic_add(x + i, 1.0)
    b = tl.atomic_add(y, 1, sem="relaxed", scope="cta")
    c = tl.atomic_max(x + i, a, mask=m)
    d = tl.atomic_min(x + i, a, mask=m, sem="acquire")
    e = tl.atomic_max(y + i, i)
    f = tl.atomic_min(z + i, 3, m, "release", "sys")
    g = tl.atomic_xchg(y, n)
    j = tl.atomic_cas(y, 0, 1)
    k = tl.atomic_cas(y + i, i, i, sem="acq_rel", scope="gpu")
    o = tl.atomic_and(y + i, i)
    p = tl.atomic_or(y + i, i)
    q = tl.atomic_xor(y + i, i, m)
    r = tl.atomic_add(h + i, 1)
    s = (y + i).atomic_add(i, mask=m)
    t = tl.atomic_max(x, 2.0)


# sig: *fp16, *fp32, *i8, *u8
@triton.jit
def dots(x, y, z, w):
    i = tl.arange(0, 16)
    j = tl.arange(0, 32)
    a = tl.load(x + i[:, None] * 32 + j[None, :])
    b = tl.load(x + j[:, None] * 16 + i[None, :])
    c = tl.dot(a, b)
    c = tl.dot(a, b, c)
    d = tl.dot(a, b, acc=c, out_dtype=tl.float32, max_num_imprecise_acc=16)
    e = tl.dot(a, b, out_dtype=tl.float16)
    f = tl.load(y + i[:, None] * 16 + i[None, :])
    g = tl.dot(f, f, input_precision="ieee")
    h = tl.dot(f, f, allow_tf32=False)
    k = tl.dot(f, f, allow_tf32=True)
    l = tl.dot(f, f, input_precision="tf32x3")
    m = tl.load(z + i[:, None] * 32 + j[None, :])
    n = tl.load(z + j[:, None] * 16 + i[None, :])
    o = tl.dot(m, n)
    o = tl.dot(m, n, o, out_dtype=tl.int32)
    p = tl.dot(tl.reshape(a, (1, 16, 32)), tl.reshape(b, (1, 32, 16)))
    q = tl.dot(tl.reshape(a, (1, 1, 16, 32)), tl.reshape(b, (1, 1, 32, 16)))
    r = tl.dot(a.to(tl.float8e5), b.to(tl.float8e5))
    s = tl.dot(a.to(tl.float8e5), b.to(tl.float8e4nv), max_num_imprecise_acc=32)
    t = tl.dot(a.to(tl.bfloat16), b.to(tl.bfloat16), out_dtype=tl.float32)


# sig: *u8, *u8, *bf16
@triton.jit
def scaled_dots(x, s, y):
    i = tl.arange(0, 128)
    j = tl.arange(0, 64)
    k = tl.arange(0, 2)
    a = tl.load(x + i[:, None] * 64 + j[None, :])
    b = tl.load(x + j[:, None] * 128 + i[None, :])
    sa = tl.load(s + i[:, None] * 2 + k[None, :])
    c = tl.dot_scaled(a, sa, "e4m3", b, sa, "e5m2")
    c = tl.dot_scaled(a, sa, "e5m2", b, None, "e4m3", c, fast_math=True)
    d = tl.load(y + j[:, None] * 128 + i[None, :])
    e = tl.dot_scaled(a, sa, "e4m3", d, None, "bf16", acc=c)
    l = tl.arange(0, 4)
    sb = tl.load(s + i[:, None] * 4 + l[None, :])
    f = tl.dot_scaled(a, sb, "e2m1", b, sb, "e2m1")
    sc = tl.load(s + tl.arange(0, 256)[:, None] * 2 + k[None, :])
    g = tl.dot_scaled(a, sa, "e4m3", b, sc, "e2m1", rhs_k_pack=False)


# sig: *fp32, *i32
@triton.jit
def reductions(x, y):
    i = tl.arange(0, 16)
    a = tl.load(x + i[:, None] * 16 + i[None, :])
    b = tl.load(y + i)
    c = tl.reduce(a, 1, add_fn)
    d = tl.reduce(a, axis=-2, combine_fn=add_fn, keep_dims=True)
    e = tl.reduce(a, None, add_fn)
    f = tl.reduce(a, None, add_fn, keep_dims=True)
    g, h = tl.reduce((a, a.to(tl.int64)), 0, pair_fn)
    k = a.reduce(0, add_fn)
    m = tl.reduce(b, 0, add_fn, True)
    n = tl.associative_scan(b, 0, add_fn)
    o = tl.associative_scan(a, -1, add_fn, reverse=True)
    p, q = tl.associative_scan((b, b.to(tl.uint8)), 0, pair_fn)
    r, s = core._reduce_with_indices(a, 1, pair_fn)
    t, u = core._reduce_with_indices(b, 0, pair_fn, keep_dims=True)


# sig: *fp32, fp32
@triton.jit
def maps(x, s):
    i = tl.arange(0, 16)
    a = tl.load(x + i)
    b = tl.map_elementwise(scale_fn, a, a)
    c = tl.map_elementwise(scale_fn, a[:, None], a[None, :])


# sig: *fp32, *i32, fp32, i32
@triton.jit
def maths(x, y, s, n):
    i = tl.arange(0, 16)
    a = tl.load(x + i)
    b = tl.load(y + i)
    c = tl.exp(a) + tl.exp2(a) * tl.log(a) - tl.log2(a)
    d = tl.math.cos(a) / tl.math.sin(a)
    e = tl.sqrt(a) % tl.sqrt_rn(a)
    f = tl.rsqrt(s)
    g = tl.abs(a) + tl.abs(b) + tl.abs(b.to(tl.uint32))
    h = tl.fdiv(a, s, ieee_rounding=True)
    j = tl.div_rn(a, 2.0)
    k = tl.erf(a) + tl.floor(a) + tl.ceil(a)
    m = tl.fma(a, s, 1.0)
    o = tl.umulhi(b, n)
    p = a.exp() + a.abs()
    q = tl.where(a > 0, a, 0)
    r = tl.where(n > 0, s, 1.0)
    t = tl.maximum(a, 0.0)
    u = tl.minimum(b, n)
    v = tl.maximum(a, s, propagate_nan=tl.PropagateNan.ALL)
    w = tl.clamp(a, -1.0, 1.0)
    z = tl.clamp(a, 0, s, tl.PropagateNan.ALL)
    aa = min(n, 5)
    ab = max(n, aa, 1.5)
    ac = tl.add(a, s) + tl.mul(b, 2, sanitize_overflow=False) - tl.sub(b, n)
    ad = -a + -b + ~b
    ae = not (n > 3)
    af = (b >> 2) + (b.to(tl.uint8) >> 1) + (1 << b) + (1 >> b)


# sig: *fp32, *i64, i32, u8
@triton.jit
def casts(x, y, n, u):
    i = tl.arange(0, 16)
    a = tl.load(x + i)
    b = a.to(tl.float16)
    c = a.to(tl.bfloat16).to(tl.float16)
    d = a.to(tl.float16, fp_downcast_rounding="rtz")
    e = a.to(tl.int32, bitcast=True)
    f = tl.cast(a, tl.float8e4nv)
    g = tl.cast(f, dtype=tl.float32)
    h = n.cast(tl.float32)
    j = tl.load(y).to(tl.pointer_type(tl.float32))
    k = tl.load(j + i)
    m = x.to(tl.int64)
    o = u.to(tl.int1)
    p = x.to(tl.pointer_type(tl.int8), bitcast=True)
    q = (a > 0).to(tl.int64)
    r = a.to(a.dtype)
    s = n.to(x.dtype.element_ty)
    t = tl.load(p).to(tl.dtype("uint16"))


# sig: *fp32, i32
@triton.jit
def hints(x, n):
    i = tl.multiple_of(n * 16, 16) + tl.arange(0, 32)
    j = tl.max_contiguous(tl.multiple_of(i, 32), 32)
    k = tl.max_constancy(j[:, None] * 1, [4, 1])
    m = tl.multiple_of(n, 8)
    tl.assume(n > 0)
    tl.debug_barrier()
    tl.device_print("pid", n)
    tl.device_print("values: ", i, n, hex=True)
    tl.device_print("done")
    tl.device_print("", n, 1.5)
    print("n", n)
    tl.device_assert(n > 3, "too small")
    tl.device_assert(i > 3, "too small", mask=i < 8)
    assert n > 5, "small"


# sig: *fp32, *i32, i32
@triton.jit
def assembly(x, y, n):
    i = tl.arange(0, 16)
    a = tl.load(x + i)
    b = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [a], dtype=tl.int32, is_pure=True, pack=1)
    c, d = tl.inline_asm_elementwise(asm="add $0, $1, $2; // $3", constraints="=r,=r,r,r", args=[n, b], dtype=(tl.int32, tl.float32),
                                     is_pure=False, pack=2)
    e = tl.inline_asm_elementwise("x", "=r,r", [n], tl.int32, True, 1)
    f = tl.inline_asm_elementwise("x", "=r,r,r,r", [a[:, None], i[None, :], 1], tl.float16, True, 1)
    g = libdevice.pow(a, a)
    h = libdevice.pow(a, 2.0)
    j = libdevice.tanh(a)
    k = libdevice.isnan(a)
    m = libdevice.ffs(n)
    o = libdevice.fma(a, 1.0, a[:, None])
    cuda.gdc_wait()
    cuda.gdc_launch_dependents()
    p = cuda.smid()
    q = cuda.globaltimer()
    r = p * cuda.num_warps() + cuda.num_threads()


# sig: *fp32, i32
@triton.jit
def attributes(x, n):
    i = tl.arange(0, 16)[:, None] + tl.arange(0, 32)[None, :]
    a = tl.load(x + i)
    b = n + a.shape[0] * a.shape[1] + a.numel + n.numel
    c = a + x.dtype.element_ty.primitive_bitwidth
    d = a.to(x.type.element_ty)
    e = tl.full(a.shape, 1, a.dtype)
    f = tl.full(i.shape, n, i.type.scalar)
    g = n + a.dtype.is_floating() + a.dtype.is_int()
