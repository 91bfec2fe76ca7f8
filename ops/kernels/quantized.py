"""Weights in blocks of few bits, as GGUF files have them: their values, and products with them."""
import functions
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def epilogue(x):
    return x


@triton.jit
def byte(at, mask):
    return tl.load(at, mask=mask, other=0).to(tl.int32)


@triton.jit
def half(at, mask):
    """The fp16 of two bytes, which may be at an odd address."""
    bits = (byte(at, mask) | (byte(at + 1, mask) << 8)).to(tl.uint16)
    return bits.to(tl.float16, bitcast=True).to(tl.float32)


@triton.jit
def q4_0(w, i, mask):
    """18 bytes for 32 weights: a scale, then nibbles, those of the second half in the upper bits."""
    block = w + i // 32 * 18
    j = i % 32
    b = byte(block + 2 + j % 16, mask)
    return (tl.where(j < 16, b & 15, b >> 4) - 8).to(tl.float32) * half(block, mask)


@triton.jit
def q4_1(w, i, mask):
    """20 bytes for 32 weights: a scale, the least value, nibbles as in q4_0."""
    block = w + i // 32 * 20
    j = i % 32
    b = byte(block + 4 + j % 16, mask)
    return tl.where(j < 16, b & 15, b >> 4).to(tl.float32) * half(block, mask) + half(block + 2, mask)


@triton.jit
def q8_0(w, i, mask):
    """34 bytes for 32 weights: a scale, then signed bytes."""
    block = w + i // 32 * 34
    b = tl.load(block + 2 + i % 32, mask=mask, other=0).to(tl.int8, bitcast=True)
    return b.to(tl.float32) * half(block, mask)


@triton.jit
def q4_k(w, i, mask):
    """144 bytes for 256 weights: two scales; scale and least value, of 6 bits each, for each 32 weights;
    nibbles."""
    block = w + i // 256 * 144
    j = i % 256
    part = j // 32
    low = part < 4
    a = byte(block + 4 + tl.where(low, part, part + 4), mask)
    b = byte(block + 4 + tl.where(low, part + 4, part), mask)
    c = byte(block + 4 + tl.where(low, part, part - 4), mask)
    scale = tl.where(low, a & 63, (a & 15) | (c >> 6 << 4)).to(tl.float32)
    least = tl.where(low, b & 63, (a >> 4) | (b >> 6 << 4)).to(tl.float32)
    q = byte(block + 16 + j // 64 * 32 + j % 32, mask)
    q = tl.where(part % 2 == 0, q & 15, q >> 4).to(tl.float32)
    return half(block, mask) * scale * q - half(block + 2, mask) * least


@triton.jit
def q6_k(w, i, mask):
    """210 bytes for 256 weights: four bits of each, two more of each, a scale for each 16 weights, and one
    for all."""
    block = w + i // 256 * 210
    j = i % 256
    side = j // 128
    quarter = j % 128 // 32
    l = j % 32
    low = byte(block + side * 64 + quarter % 2 * 32 + l, mask)
    low = tl.where(quarter < 2, low & 15, low >> 4)
    high = byte(block + 128 + side * 32 + l, mask) >> (2 * quarter) & 3
    at = block + 192 + side * 8 + quarter * 2 + l // 16
    scale = tl.load(at, mask=mask, other=0).to(tl.int8, bitcast=True).to(tl.float32)
    return half(block + 208, mask) * scale * ((low | high << 4) - 32).to(tl.float32)


@triton.jit
def weight(w, i, mask, FORMAT: tl.constexpr):
    """Weights i of a matrix."""
    if FORMAT == "q4_0":
        return q4_0(w, i, mask)
    elif FORMAT == "q4_1":
        return q4_1(w, i, mask)
    elif FORMAT == "q8_0":
        return q8_0(w, i, mask)
    elif FORMAT == "q4_k":
        return q4_k(w, i, mask)
    else:
        return q6_k(w, i, mask)


@triton.jit
def fetch(at, mask, TYPE: tl.constexpr, WHOLE: tl.constexpr):
    """Elements of a type at addresses of bytes; all of them are there if WHOLE is set."""
    at = at.to(tl.pointer_type(TYPE), bitcast=True)
    if WHOLE:
        return tl.load(at)
    else:
        return tl.load(at, mask=mask, other=0)


@triton.jit
def digits(w, block, j, mask, FORMAT: tl.constexpr, WHOLE: tl.constexpr):
    """Weights j and j + 16 of blocks of 32, j < 16, before they are scaled."""
    if FORMAT == "q4_1":
        q = fetch(w + block * 20 + 4 + j, mask, tl.uint8, WHOLE).to(tl.int32)
        return (q & 15).to(tl.float32), (q >> 4).to(tl.float32)
    elif FORMAT == "q4_0":
        q = fetch(w + block * 18 + 2 + j, mask, tl.uint8, WHOLE).to(tl.int32)
        return ((q & 15) - 8).to(tl.float32), ((q >> 4) - 8).to(tl.float32)
    else:
        at = w + block * 34 + 2 + j
        return fetch(at, mask, tl.int8, WHOLE).to(tl.float32), fetch(at + 16, mask, tl.int8, WHOLE).to(tl.float32)


@triton.jit
def scales(w, block, mask, FORMAT: tl.constexpr, WHOLE: tl.constexpr):
    """Scale and least value of blocks; only q4_1 has a least value."""
    if FORMAT == "q4_1":
        at = w + block * 20
        scale = fetch(at, mask, tl.float16, WHOLE).to(tl.float32)
        return scale, fetch(at + 2, mask, tl.float16, WHOLE).to(tl.float32)
    else:
        SIZE: tl.constexpr = 18 if FORMAT == "q4_0" else 34
        return fetch(w + block * SIZE, mask, tl.float16, WHOLE).to(tl.float32), None


@triton.jit
def pair(w, block, j, mask, FORMAT: tl.constexpr, WHOLE: tl.constexpr):
    """Weights j and j + 16 of blocks of 32, j < 16. A scale is read once for a block."""
    a, b = digits(w, block, j, mask, FORMAT, WHOLE)
    scale, least = scales(w, block, mask, FORMAT, WHOLE)
    if least is None:
        return a * scale, b * scale
    else:
        return a * scale + least, b * scale + least


@triton.jit
def dequantize_blocks_kernel(w, out, n, FORMAT: tl.constexpr, BLOCKS: tl.constexpr, WHOLE: tl.constexpr):
    """dequantize_kernel for n blocks of 32 weights. If WHOLE is set, programs have none but these."""
    block = (tl.program_id(0).to(tl.int64) * BLOCKS + tl.arange(0, BLOCKS))[:, None]
    j = tl.arange(0, 16)[None, :]
    mask = block < n
    a, b = pair(w, block, j, mask, FORMAT, WHOLE)
    at = out + block * 32 + j
    if WHOLE:
        tl.store(at, a.to(out.dtype.element_ty))
        tl.store(at + 16, b.to(out.dtype.element_ty))
    else:
        tl.store(at, a.to(out.dtype.element_ty), mask=mask)
        tl.store(at + 16, b.to(out.dtype.element_ty), mask=mask)


@triton.jit
def take_blocks_kernel(w, index, out, rows, count, FORMAT: tl.constexpr, BLOCKS: tl.constexpr,
                       OVERLAP: tl.constexpr):
    """out[i] = w[index[i]], rows of count blocks of 32 weights. An index outside of w gives zeros."""
    functions.wait(OVERLAP)
    row = tl.program_id(0).to(tl.int64)
    number = tl.load(index + row).to(tl.int64)
    block = (tl.program_id(1) * BLOCKS + tl.arange(0, BLOCKS))[:, None]
    j = tl.arange(0, 16)[None, :]
    inside = block < count
    a, b = pair(w, number * count + block, j, inside & (number >= 0) & (number < rows), FORMAT, False)
    at = out + (row * count + block) * 32 + j
    tl.store(at, a.to(out.dtype.element_ty), mask=inside)
    tl.store(at + 16, b.to(out.dtype.element_ty), mask=inside)


@triton.jit
def dequantize_kernel(w, out, n, FORMAT: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, weight(w, i, mask, FORMAT).to(out.dtype.element_ty), mask=mask)


@triton.jit
def quantized_kernel(x, w, out, bias, plus, N, K, stride_xm, stride_xk, stride_om, stride_on, stride_bias,
                     stride_pm, stride_pn, FORMAT: tl.constexpr, BLOCK_N: tl.constexpr,
                     BLOCK_K: tl.constexpr):
    """out = epilogue(x @ w.T + bias) + plus for few rows of x: a program computes some columns of one row."""
    row = tl.program_id(1)
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    inside = cols < N
    first = cols.to(tl.int64) * K
    acc = tl.zeros([BLOCK_N, BLOCK_K], tl.float32)
    for start in range(0, K, BLOCK_K):
        depth = start + tl.arange(0, BLOCK_K)
        a = tl.load(x + row * stride_xm + depth * stride_xk, mask=depth < K, other=0.0).to(tl.float32)
        mask = inside[:, None] & (depth < K)[None, :]
        acc += a[None, :] * weight(w, first[:, None] + depth[None, :], mask, FORMAT)
    c = tl.sum(acc, 1)
    if bias is not None:
        c += tl.load(bias + cols * stride_bias, mask=inside).to(tl.float32)
    c = epilogue(c)
    if plus is not None:
        c += tl.load(plus + row * stride_pm + cols * stride_pn, mask=inside).to(c.dtype)
    tl.store(out + row * stride_om + cols * stride_on, c.to(out.dtype.element_ty), mask=inside)


@triton.jit
def inputs(x, block, j, there, stride, WHOLE: tl.constexpr):
    """Elements j and j + 16 of blocks of a row of x."""
    at = x + (block * 32 + j) * stride
    if WHOLE:
        return tl.load(at).to(tl.float32), tl.load(at + 16 * stride).to(tl.float32)
    else:
        a = tl.load(at, mask=there, other=0.0)
        b = tl.load(at + 16 * stride, mask=there, other=0.0)
        return a.to(tl.float32), b.to(tl.float32)


@triton.jit
def finish(c, up, squares, cols, row, inside, out, bias, plus, norm, K, eps, stride_om, stride_on,
           stride_bias, stride_pm, stride_pn, GATED: tl.constexpr):
    """Stores some columns of a row of a product. The row of x was not divided by its norm yet."""
    if norm is not None:
        scale = tl.rsqrt(squares / K + eps)
        c *= scale
        if GATED:
            up *= scale
    if bias is not None:
        c += tl.load(bias + cols * stride_bias, mask=inside).to(tl.float32)
    c = epilogue(c)
    if GATED:
        c *= up
    if plus is not None:
        c += tl.load(plus + row * stride_pm + cols * stride_pn, mask=inside).to(c.dtype)
    tl.store(out + row * stride_om + cols * stride_on, c.to(out.dtype.element_ty), mask=inside)


@triton.jit
def quantized_blocks_kernel(x, w, out, bias, plus, norm, N, K, eps, stride_xm, stride_xk, stride_om,
                            stride_on, stride_bias, stride_pm, stride_pn, FORMAT: tl.constexpr,
                            BLOCK_N: tl.constexpr, BLOCKS: tl.constexpr, WHOLE: tl.constexpr,
                            GATED: tl.constexpr):
    """quantized_kernel for formats with blocks of 32 weights. If WHOLE is set, N and K are whole tiles. With
    norm, the row of x is divided by the root of the mean of its squares, and multiplied by norm. If GATED is
    set, w has N more rows, and out is epilogue(x @ w[:N].T) * (x @ w[N:].T)."""
    row = tl.program_id(1)
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    inside = cols < N
    count = K // 32
    first = cols.to(tl.int64) * count
    j = tl.arange(0, 16)
    acc = tl.zeros([BLOCK_N, BLOCKS, 16], tl.float32)
    acc_up = tl.zeros([BLOCK_N, BLOCKS, 16], tl.float32)
    squares = tl.zeros([BLOCKS, 16], tl.float32)
    for start in range(0, count, BLOCKS):
        block = start + tl.arange(0, BLOCKS)
        there = (block < count)[:, None]
        xa, xb = inputs(x + row * stride_xm, block[:, None], j[None, :], there, stride_xk, WHOLE)
        if norm is not None:
            squares += xa * xa + xb * xb
            na, nb = inputs(norm, block[:, None], j[None, :], there, 1, WHOLE)
            xa *= na
            xb *= nb
        mask = inside[:, None, None] & there[None, :, :]
        at = (first[:, None] + block[None, :])[:, :, None]
        wa, wb = pair(w, at, j[None, None, :], mask, FORMAT, WHOLE)
        acc += xa[None, :, :] * wa + xb[None, :, :] * wb
        if GATED:
            ua, ub = pair(w, at + N.to(tl.int64) * count, j[None, None, :], mask, FORMAT, WHOLE)
            acc_up += xa[None, :, :] * ua + xb[None, :, :] * ub
    finish(tl.sum(tl.sum(acc, 2), 1), tl.sum(tl.sum(acc_up, 2), 1), tl.sum(tl.sum(squares, 1), 0), cols, row,
           inside, out, bias, plus, norm, K, eps, stride_om, stride_on, stride_bias, stride_pm, stride_pn,
           GATED)


@triton.jit
def column(acc, w, block, xa, xb, both, j, FORMAT: tl.constexpr):
    """acc plus the products of a block of x, in two halves and their sum, and one of w."""
    a, b = digits(w, block, j, True, FORMAT, True)
    scale, least = scales(w, block, True, FORMAT, True)
    acc += (xa * a + xb * b) * scale
    if least is not None:
        acc += both * least
    return acc


@triton.jit
def quantized_columns_kernel(x, w, out, bias, plus, norm, N, K, eps, stride_xm, stride_xk, stride_om,
                             stride_on, stride_bias, stride_pm, stride_pn, FORMAT: tl.constexpr,
                             COLS: tl.constexpr, GATED: tl.constexpr):
    """quantized_blocks_kernel for a core of a CPU: four columns of w at a time, or two and what they are
    gated with, each along its own row of blocks."""
    row = tl.program_id(1)
    x += row * stride_xm
    count = K // 32
    j = tl.arange(0, 16)
    STEP: tl.constexpr = 2 if GATED else 4
    for first in range(tl.program_id(0) * COLS, tl.minimum(tl.program_id(0) * COLS + COLS, N), STEP):
        # Columns past the last one are computed again, and not stored.
        at0 = first.to(tl.int64) * count
        at1 = tl.minimum(first + 1, N - 1).to(tl.int64) * count
        if GATED:
            at2 = at0 + N.to(tl.int64) * count
            at3 = at1 + N.to(tl.int64) * count
        else:
            at2 = tl.minimum(first + 2, N - 1).to(tl.int64) * count
            at3 = tl.minimum(first + 3, N - 1).to(tl.int64) * count
        acc0 = tl.zeros([16], tl.float32)
        acc1 = tl.zeros([16], tl.float32)
        acc2 = tl.zeros([16], tl.float32)
        acc3 = tl.zeros([16], tl.float32)
        squares = tl.zeros([16], tl.float32)
        for block in range(0, count):
            xa, xb = inputs(x, block, j, True, stride_xk, True)
            if norm is not None:
                squares += xa * xa + xb * xb
                na, nb = inputs(norm, block, j, True, 1, True)
                xa *= na
                xb *= nb
            both = xa + xb
            acc0 = column(acc0, w, at0 + block, xa, xb, both, j, FORMAT)
            acc1 = column(acc1, w, at1 + block, xa, xb, both, j, FORMAT)
            acc2 = column(acc2, w, at2 + block, xa, xb, both, j, FORMAT)
            acc3 = column(acc3, w, at3 + block, xa, xb, both, j, FORMAT)
        sum = 0.0
        if norm is not None:
            sum = tl.sum(squares, 0)
        c0 = tl.sum(acc0, 0)
        c1 = tl.sum(acc1, 0)
        c2 = tl.sum(acc2, 0)
        c3 = tl.sum(acc3, 0)
        finish(c0, c2, sum, first, row, first < N, out, bias, plus, norm, K, eps, stride_om, stride_on,
               stride_bias, stride_pm, stride_pn, GATED)
        finish(c1, c3, sum, first + 1, row, first + 1 < N, out, bias, plus, norm, K, eps, stride_om,
               stride_on, stride_bias, stride_pm, stride_pn, GATED)
        if not GATED:
            finish(c2, c2, sum, first + 2, row, first + 2 < N, out, bias, plus, norm, K, eps, stride_om,
                   stride_on, stride_bias, stride_pm, stride_pn, GATED)
            finish(c3, c3, sum, first + 3, row, first + 3 < N, out, bias, plus, norm, K, eps, stride_om,
                   stride_on, stride_bias, stride_pm, stride_pn, GATED)


@triton.jit
def total(xa, xb, wa, wb, scale, least):
    """The products of a row of x and some of w, over all blocks: scales are applied to the sums of blocks."""
    c = tl.sum(xa * wa + xb * wb, 2) * scale
    if least is not None:
        c += tl.sum(xa + xb, 2) * least
    return tl.sum(c, 0)


@triton.jit
def quantized_once_kernel(x, w, out, bias, plus, norm, M, N, K, eps, stride_xm, stride_xk, stride_om,
                          stride_on, stride_bias, stride_pm, stride_pn, FORMAT: tl.constexpr,
                          BLOCK_N: tl.constexpr, BLOCKS: tl.constexpr, WHOLE: tl.constexpr,
                          GATED: tl.constexpr, ROWS: tl.constexpr, FIXED: tl.constexpr,
                          OVERLAP: tl.constexpr):
    """quantized_blocks_kernel for rows of at most BLOCKS blocks, all of which are under way at once, and ROWS
    rows of x for each program. If FIXED is set, w and norm are read while the kernel before this one still
    runs."""
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    inside = cols < N
    count = K // 32
    j = tl.arange(0, 16)[None, None, :]
    block = tl.arange(0, BLOCKS)[:, None]
    there = block < count
    mask = there & inside[None, :]
    at = block + (cols.to(tl.int64) * count)[None, :]
    if not FIXED:
        functions.wait(OVERLAP)
    wa, wb = digits(w, at[:, :, None], j, mask[:, :, None], FORMAT, WHOLE)
    scale, least = scales(w, at, mask, FORMAT, WHOLE)
    if GATED:
        at += N.to(tl.int64) * count
        ua, ub = digits(w, at[:, :, None], j, mask[:, :, None], FORMAT, WHOLE)
        scale_up, least_up = scales(w, at, mask, FORMAT, WHOLE)
    if norm is not None:
        na, nb = inputs(norm, block[:, :, None], j, there[:, :, None], 1, WHOLE)
    if FIXED:
        functions.wait(OVERLAP)
    for i in tl.static_range(ROWS):
        row = tl.program_id(1) * ROWS + i
        here = there[:, :, None] & (row < M)
        xa, xb = inputs(x + row * stride_xm, block[:, :, None], j, here, stride_xk, WHOLE and ROWS == 1)
        squares = 0.0
        if norm is not None:
            squares = tl.sum(tl.sum(tl.sum(xa * xa + xb * xb, 2), 0), 0)
            xa *= na
            xb *= nb
        c = total(xa, xb, wa, wb, scale, least)
        up = c
        if GATED:
            up = total(xa, xb, ua, ub, scale_up, least_up)
        finish(c, up, squares, cols, row, inside & (row < M), out, bias, plus, norm, K, eps, stride_om,
               stride_on, stride_bias, stride_pm, stride_pn, GATED)


@triton.constexpr_function
def scale_bytes(FORMAT):
    """The bytes of the scales of a block of 32 weights."""
    return 4 if FORMAT == "q4_1" else 2


@triton.constexpr_function
def digit_bytes(FORMAT):
    """The bytes of its weights."""
    return 32 if FORMAT == "q8_0" else 16


@triton.jit
def beside(w, group, block, count, FORMAT: tl.constexpr):
    """The address of a block of 16 rows that lie side by side, and that of its weights.

    Interleaved matrices have their rows in groups of 16, and the same bytes as in files: for each block of
    32 weights the 16 scales, the 16 least values if there are any, then byte after byte of the blocks, each
    of 16 rows."""
    at = w + (group.to(tl.int64) * count + block) * (16 * (scale_bytes(FORMAT) + digit_bytes(FORMAT)))
    return at, at + 16 * scale_bytes(FORMAT)


@triton.jit
def lane_scales(at, lane, mask, FORMAT: tl.constexpr, WHOLE: tl.constexpr):
    """Scale and least value of rows of an interleaved block."""
    at = at.to(tl.pointer_type(tl.float16), bitcast=True)
    scale = fetch(at + lane, mask, tl.float16, WHOLE).to(tl.float32)
    if FORMAT == "q4_1":
        return scale, fetch(at + 16 + lane, mask, tl.float16, WHOLE).to(tl.float32)
    elif FORMAT == "q4_0":
        return scale, scale * -8.0
    else:
        return scale, None


@triton.jit
def lane_digits(at, lane, j, mask, FORMAT: tl.constexpr, WHOLE: tl.constexpr):
    """Weights j and j + 16 of rows of an interleaved block, whose bytes are at an address, not scaled yet."""
    if FORMAT == "q8_0":
        a = fetch(at + j * 16 + lane, mask, tl.int8, WHOLE)
        return a.to(tl.float32), fetch(at + (j + 16) * 16 + lane, mask, tl.int8, WHOLE).to(tl.float32)
    else:
        q = fetch(at + j * 16 + lane, mask, tl.uint8, WHOLE).to(tl.int32)
        return (q & 15).to(tl.float32), (q >> 4).to(tl.float32)


@triton.jit
def interleave_kernel(w, out, count, FORMAT: tl.constexpr):
    """Puts 16 rows of count blocks side by side."""
    group = tl.program_id(0)
    lane = tl.arange(0, 16)
    for block in range(count):
        to, digits_to = beside(out, group, block, count, FORMAT)
        number = (group * 16 + lane).to(tl.int64) * count + block
        at = w + number * (scale_bytes(FORMAT) + digit_bytes(FORMAT))
        for t in tl.static_range(scale_bytes(FORMAT) // 2):
            half = tl.load((at + t * 2).to(tl.pointer_type(tl.uint16), bitcast=True))
            tl.store((to + t * 32).to(tl.pointer_type(tl.uint16), bitcast=True) + lane, half)
        for t in tl.static_range(digit_bytes(FORMAT)):
            tl.store(digits_to + t * 16 + lane, tl.load(at + scale_bytes(FORMAT) + t))


@triton.jit
def met(a, b, wa, wb, x, j, stride):
    """a and b plus elements j and j + 16 of a block of a row of x, times a weight of each of 16 columns."""
    a += wa * tl.load(x + j * stride).to(tl.float32)
    b += wb * tl.load(x + (j + 16) * stride).to(tl.float32)
    return a, b


@triton.jit
def one_row(x, digits_at, lane, stride, FORMAT: tl.constexpr):
    """The products of a block of x and an interleaved one, before they are scaled."""
    a = tl.zeros([16], tl.float32)
    b = tl.zeros([16], tl.float32)
    for j in tl.static_range(16):
        wa, wb = lane_digits(digits_at, lane, j, True, FORMAT, True)
        a, b = met(a, b, wa, wb, x, j, stride)
    return a + b


@triton.jit
def four_rows(x0, x1, x2, x3, digits_at, lane, stride, FORMAT: tl.constexpr):
    """one_row for four rows of x, in the same order: weights are read and converted once."""
    a0 = tl.zeros([16], tl.float32)
    a1 = tl.zeros([16], tl.float32)
    a2 = tl.zeros([16], tl.float32)
    a3 = tl.zeros([16], tl.float32)
    b0 = tl.zeros([16], tl.float32)
    b1 = tl.zeros([16], tl.float32)
    b2 = tl.zeros([16], tl.float32)
    b3 = tl.zeros([16], tl.float32)
    for start in range(0, 16, 4):  # few enough weights at a time for the registers
        for i in tl.static_range(4):
            j = start + i
            wa, wb = lane_digits(digits_at, lane, j, True, FORMAT, True)
            a0, b0 = met(a0, b0, wa, wb, x0, j, stride)
            a1, b1 = met(a1, b1, wa, wb, x1, j, stride)
            a2, b2 = met(a2, b2, wa, wb, x2, j, stride)
            a3, b3 = met(a3, b3, wa, wb, x3, j, stride)
    return a0 + b0, a1 + b1, a2 + b2, a3 + b3


@triton.jit
def block_sum(x, lane, stride, FORMAT: tl.constexpr):
    """The sum of a block of x, by which least values are multiplied."""
    if FORMAT == "q8_0":
        return 0.0
    else:
        xa, xb = inputs(x, 0, lane, True, stride, True)
        return tl.sum(xa + xb, 0)


@triton.jit
def scaled(acc, c, sum, scale, least):
    """acc plus the products of a block, scaled."""
    acc += c * scale
    if least is not None:
        acc += least * sum
    return acc


@triton.jit
def interleaved_kernel(x, w, out, bias, plus, N, K, stride_xm, stride_xk, stride_om, stride_on, stride_bias,
                       stride_pm, stride_pn, FORMAT: tl.constexpr, GATED: tl.constexpr):
    """quantized_blocks_kernel, without a norm, for a core of a CPU and interleaved weights: 32 columns of a
    row, or 16 with what they are gated with. A weight of each of 16 columns is a vector, and meets one
    element of x."""
    row = tl.program_id(1)
    x += row * stride_xm
    group = tl.program_id(0) if GATED else tl.program_id(0) * 2
    other = group + N // 16 if GATED else group + 1
    lane = tl.arange(0, 16)
    c = tl.zeros([16], tl.float32)
    up = tl.zeros([16], tl.float32)
    for block in range(K // 32):
        here = x + block * 32 * stride_xk
        sum = block_sum(here, lane, stride_xk, FORMAT)
        at, digits_at = beside(w, group, block, K // 32, FORMAT)
        scale, least = lane_scales(at, lane, True, FORMAT, True)
        c = scaled(c, one_row(here, digits_at, lane, stride_xk, FORMAT), sum, scale, least)
        at, digits_at = beside(w, other, block, K // 32, FORMAT)
        scale, least = lane_scales(at, lane, True, FORMAT, True)
        up = scaled(up, one_row(here, digits_at, lane, stride_xk, FORMAT), sum, scale, least)
    both(c, up, group, other, row, row >= 0, N, out, bias, plus, stride_om, stride_on, stride_bias, stride_pm,
         stride_pn, GATED)


@triton.jit
def both(c, up, group, other, row, there, N, out, bias, plus, stride_om, stride_on, stride_bias, stride_pm,
         stride_pn, GATED: tl.constexpr):
    """Stores two groups of 16 columns of a row, or one with what it is gated with."""
    cols = group * 16 + tl.arange(0, 16)
    finish(c, up, 0.0, cols, row, (cols < N) & there, out, bias, plus, None, 1, 0.0, stride_om, stride_on,
           stride_bias, stride_pm, stride_pn, GATED)
    if not GATED:
        cols = other * 16 + tl.arange(0, 16)
        finish(up, up, 0.0, cols, row, (cols < N) & there, out, bias, plus, None, 1, 0.0, stride_om,
               stride_on, stride_bias, stride_pm, stride_pn, GATED)


@triton.jit
def interleaved_rows_kernel(x, w, out, bias, plus, M, N, K, stride_xm, stride_xk, stride_om, stride_on,
                            stride_bias, stride_pm, stride_pn, FORMAT: tl.constexpr, GATED: tl.constexpr):
    """interleaved_kernel for four rows of x at a time. Each has the result that it has alone, to the bit."""
    row = tl.program_id(0) * 4
    # Rows past the last one are computed again, and not stored.
    x0 = x + row * stride_xm
    x1 = x + tl.minimum(row + 1, M - 1) * stride_xm
    x2 = x + tl.minimum(row + 2, M - 1) * stride_xm
    x3 = x + tl.minimum(row + 3, M - 1) * stride_xm
    group = tl.program_id(1) if GATED else tl.program_id(1) * 2
    other = group + N // 16 if GATED else group + 1
    lane = tl.arange(0, 16)
    c0 = tl.zeros([16], tl.float32)
    c1 = tl.zeros([16], tl.float32)
    c2 = tl.zeros([16], tl.float32)
    c3 = tl.zeros([16], tl.float32)
    up0 = tl.zeros([16], tl.float32)
    up1 = tl.zeros([16], tl.float32)
    up2 = tl.zeros([16], tl.float32)
    up3 = tl.zeros([16], tl.float32)
    for block in range(K // 32):
        skip = block * 32 * stride_xk
        sum0 = block_sum(x0 + skip, lane, stride_xk, FORMAT)
        sum1 = block_sum(x1 + skip, lane, stride_xk, FORMAT)
        sum2 = block_sum(x2 + skip, lane, stride_xk, FORMAT)
        sum3 = block_sum(x3 + skip, lane, stride_xk, FORMAT)
        at, digits_at = beside(w, group, block, K // 32, FORMAT)
        scale, least = lane_scales(at, lane, True, FORMAT, True)
        s0, s1, s2, s3 = four_rows(x0 + skip, x1 + skip, x2 + skip, x3 + skip, digits_at, lane, stride_xk,
                                   FORMAT)
        c0 = scaled(c0, s0, sum0, scale, least)
        c1 = scaled(c1, s1, sum1, scale, least)
        c2 = scaled(c2, s2, sum2, scale, least)
        c3 = scaled(c3, s3, sum3, scale, least)
        at, digits_at = beside(w, other, block, K // 32, FORMAT)
        scale, least = lane_scales(at, lane, True, FORMAT, True)
        s0, s1, s2, s3 = four_rows(x0 + skip, x1 + skip, x2 + skip, x3 + skip, digits_at, lane, stride_xk,
                                   FORMAT)
        up0 = scaled(up0, s0, sum0, scale, least)
        up1 = scaled(up1, s1, sum1, scale, least)
        up2 = scaled(up2, s2, sum2, scale, least)
        up3 = scaled(up3, s3, sum3, scale, least)
    both(c0, up0, group, other, row, True, N, out, bias, plus, stride_om, stride_on, stride_bias, stride_pm,
         stride_pn, GATED)
    both(c1, up1, group, other, row + 1, row + 1 < M, N, out, bias, plus, stride_om, stride_on, stride_bias,
         stride_pm, stride_pn, GATED)
    both(c2, up2, group, other, row + 2, row + 2 < M, N, out, bias, plus, stride_om, stride_on, stride_bias,
         stride_pm, stride_pn, GATED)
    both(c3, up3, group, other, row + 3, row + 3 < M, N, out, bias, plus, stride_om, stride_on, stride_bias,
         stride_pm, stride_pn, GATED)


@triton.jit
def dequantize_interleaved_kernel(w, out, count, stride_n, stride_k, FORMAT: tl.constexpr):
    """The matrix of interleaved weights, with any strides."""
    group = tl.program_id(0)
    lane = tl.arange(0, 16)
    to = out + (group * 16 + lane).to(tl.int64) * stride_n
    for block in range(count):
        at, digits_at = beside(w, group, block, count, FORMAT)
        scale, least = lane_scales(at, lane, True, FORMAT, True)
        for j in tl.static_range(16):
            a, b = lane_digits(digits_at, lane, j, True, FORMAT, True)
            a *= scale
            b *= scale
            if least is not None:
                a += least
                b += least
            k = (block * 32 + j).to(tl.int64)
            tl.store(to + k * stride_k, a.to(out.dtype.element_ty))
            tl.store(to + (k + 16) * stride_k, b.to(out.dtype.element_ty))


@triton.jit
def take_interleaved_kernel(w, index, out, rows, count, FORMAT: tl.constexpr):
    """take_blocks_kernel for interleaved weights: a row for each program."""
    row = tl.program_id(0).to(tl.int64)
    number = tl.load(index + row).to(tl.int64)
    there = (number >= 0) & (number < rows)
    j = tl.arange(0, 16)
    lane = number % 16 + j * 0
    for block in range(count):
        at, digits_at = beside(w, number // 16, block, count, FORMAT)
        scale, least = lane_scales(at, lane, there & (j >= 0), FORMAT, False)
        a, b = lane_digits(digits_at, lane, j, there & (j >= 0), FORMAT, False)
        a *= scale
        b *= scale
        if least is not None:
            a += least
            b += least
        to = out + (row * count + block) * 32 + j
        tl.store(to, a.to(out.dtype.element_ty))
        tl.store(to + 16, b.to(out.dtype.element_ty))
