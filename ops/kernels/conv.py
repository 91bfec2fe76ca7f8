"""Convolution as a product of matrices, and pooling. Images of one dimension are images of height 1.

In the product, the rows of the result are channels and its columns the pixels of all images; the sum is over
channels of the input and taps, the elements of a filter.
"""
import functions
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def epilogue(x):
    return x


@triton.jit
def tile_of(program, channels, BLOCK_M: tl.constexpr):
    """The tile of a program: neighbouring programs compute all channels of the same pixels, which they share
    in L2."""
    tiles_m = tl.cdiv(channels, BLOCK_M)
    return program % tiles_m, program // tiles_m


@triton.jit
def place(image, pixel, out_width, stride_n, stride_h, stride_w, FLAT: tl.constexpr):
    """Where pixels of images lie. FLAT says that the pixels of an image are one dimension."""
    if FLAT:
        return image.to(tl.int64) * stride_n + pixel * stride_w
    else:
        return image.to(tl.int64) * stride_n + (pixel // out_width * stride_h + pixel % out_width * stride_w)


@triton.jit
def finish(acc, out, bias, plus, rows, image, pixel, pixels_in, channels, out_width, stride_bias, o_n, o_c,
           o_h, o_w, p_n, p_c, p_h, p_w, FLAT: tl.constexpr):
    """Stores epilogue(acc + bias) + plus."""
    inside = (rows < channels)[:, None] & pixels_in[None, :]
    if bias is not None:
        acc += tl.load(bias + rows * stride_bias, mask=rows < channels, other=0.0)[:, None].to(acc.dtype)
    c = epilogue(acc)
    if plus is not None:
        at = place(image, pixel, out_width, p_n, p_h, p_w, FLAT)
        c += tl.load(plus + rows[:, None] * p_c + at[None, :], mask=inside, other=0.0).to(c.dtype)
    at = place(image, pixel, out_width, o_n, o_h, o_w, FLAT)
    tl.store(out + rows[:, None] * o_c + at[None, :], c.to(out.dtype.element_ty), mask=inside)


@triton.jit
def conv_kernel(x, w, out, bias, plus, pixels, channels, depth, height, width, parts, out_width, step_h,
                step_w, pad_h, pad_w, wide_h, wide_w, stride_bias, x_n, x_c, x_h, x_w, w_o, w_c, w_h, w_w,
                o_n, o_c, o_h, o_w, p_n, p_c, p_h, p_w, TAPS_H: tl.constexpr, TAPS_W: tl.constexpr,
                BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, FLAT: tl.constexpr,
                ALIGN: tl.constexpr, TYPE: tl.constexpr, ACC: tl.constexpr, PRECISION: tl.constexpr):
    """Convolution of tensors of any strides: the sum goes over channels and taps as one dimension. A program
    of the second axis computes a group of channels. ALIGN divides the pixels of an image of the result, and
    strides of the result and of plus; pixels, parts, o_n, o_c, p_n and p_c are without it, so that the
    compiler knows how they are aligned."""
    tile_m, tile_n = tile_of(tl.program_id(0), channels, BLOCK_M)
    pixels, o_n, o_c, p_n, p_c = pixels * ALIGN, o_n * ALIGN, o_c * ALIGN, p_n * ALIGN, p_c * ALIGN
    group = tl.program_id(1).to(tl.int64)
    taps: tl.constexpr = TAPS_H * TAPS_W
    x += group * depth * x_c
    w += group * channels * w_o
    out += group * channels * o_c
    if bias is not None:
        bias += group * channels * stride_bias
    if plus is not None:
        plus += group * channels * p_c
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    image = cols // (parts * ALIGN)
    pixel = cols % (parts * ALIGN)
    top = pixel // out_width * step_h - pad_h
    left = pixel % out_width * step_w - pad_w
    x_at = x + image.to(tl.int64) * x_n
    acc = tl.zeros([BLOCK_M, BLOCK_N], ACC)
    for start in range(0, depth * taps, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        c = k // taps
        tap_h = k // TAPS_W % TAPS_H
        tap_w = k % TAPS_W
        k_in = k < depth * taps
        a = tl.load(w + rows[:, None] * w_o + (c * w_c + tap_h * w_h + tap_w * w_w)[None, :],
                    mask=(rows < channels)[:, None] & k_in[None, :], other=0.0)
        y_at = top[None, :] + (tap_h * wide_h)[:, None]
        z_at = left[None, :] + (tap_w * wide_w)[:, None]
        inside = k_in[:, None] & (cols < pixels)[None, :]
        inside = inside & (y_at >= 0) & (y_at < height) & (z_at >= 0) & (z_at < width)
        b = tl.load(x_at[None, :] + ((c * x_c)[:, None] + y_at * x_h + z_at * x_w), mask=inside, other=0.0)
        acc = tl.dot(a.to(TYPE), b.to(TYPE), acc, input_precision=PRECISION, out_dtype=ACC)
    finish(acc, out, bias, plus, rows, image, pixel, cols < pixels, channels, out_width, stride_bias, o_n,
           o_c, o_h, o_w, p_n, p_c, p_h, p_w, FLAT)


@triton.jit
def channels_last_kernel(x, out, channels, pixels, x_n, x_c, o_n, R: tl.constexpr, C: tl.constexpr,
                         ALIGN: tl.constexpr):
    """Copies images whose pixels are contiguous so that their channels are. ALIGN divides x_c."""
    image = tl.program_id(2).to(tl.int64)
    pixel = tl.program_id(0) * R + tl.arange(0, R)
    channel = tl.program_id(1) * C + tl.arange(0, C)
    inside = (pixel < pixels)[:, None] & (channel < channels)[None, :]
    x_c = tl.multiple_of(x_c, ALIGN)
    v = tl.load(x + image * x_n + channel[None, :] * x_c + pixel[:, None], mask=inside)
    tl.store(out + image * o_n + pixel[:, None] * channels + channel[None, :], v, mask=inside)


@triton.jit
def conv_rows_kernel(x, w, out, bias, plus, pixels, channels, depth, height, width, parts, out_width, step_h,
                     step_w, pad_h, pad_w, wide_h, wide_w, stride_bias, x_n, x_h, x_w, w_o, o_n, o_c, o_h,
                     o_w, p_n, p_c, p_h, p_w, TAPS_H: tl.constexpr, TAPS_W: tl.constexpr,
                     BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, FLAT: tl.constexpr,
                     ALIGN: tl.constexpr, EVEN: tl.constexpr, PADDED: tl.constexpr, TYPE: tl.constexpr,
                     ACC: tl.constexpr, PRECISION: tl.constexpr):
    """Convolution of images whose channels are contiguous, by filters whose taps are: each step of the sum is
    a block of channels of one tap. EVEN says that blocks divide the channels, PADDED that taps may lie
    outside of images. ALIGN is that of conv_kernel."""
    tile_m, tile_n = tile_of(tl.program_id(0), channels, BLOCK_M)
    pixels, o_n, o_c, p_n, p_c = pixels * ALIGN, o_n * ALIGN, o_c * ALIGN, p_n * ALIGN, p_c * ALIGN
    group = tl.program_id(1).to(tl.int64)
    x += group * depth
    w += group * channels * w_o
    out += group * channels * o_c
    if bias is not None:
        bias += group * channels * stride_bias
    if plus is not None:
        plus += group * channels * p_c
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    image = cols // (parts * ALIGN)
    pixel = cols % (parts * ALIGN)
    top = pixel // out_width * step_h - pad_h
    left = pixel % out_width * step_w - pad_w
    k = tl.arange(0, BLOCK_K)
    # Rows past the edge wrap around: they are read, but not stored.
    w_at = w + (rows % channels)[:, None] * w_o + k[None, :]
    x_at = x + (image.to(tl.int64) * x_n + (top * x_h + left * x_w))[None, :] + k[:, None]
    blocks = tl.cdiv(depth, BLOCK_K)
    acc = tl.zeros([BLOCK_M, BLOCK_N], ACC)
    for step in range(TAPS_H * TAPS_W * blocks):
        tap = step // blocks
        c = step % blocks * BLOCK_K
        down = tap // TAPS_W * wide_h
        right = tap % TAPS_W * wide_w
        inside = cols < pixels
        if PADDED:
            inside = inside & (top + down >= 0) & (top + down < height) & (left + right >= 0) & (left + right < width)
        if EVEN:
            a = tl.load(w_at + (tap * depth + c))
            b = tl.load(x_at + (down * x_h + right * x_w + c), mask=inside[None, :], other=0.0)
        else:
            a = tl.load(w_at + (tap * depth + c), mask=k[None, :] < depth - c, other=0.0)
            b = tl.load(x_at + (down * x_h + right * x_w + c),
                        mask=(k < depth - c)[:, None] & inside[None, :], other=0.0)
        acc = tl.dot(a.to(TYPE), b.to(TYPE), acc, input_precision=PRECISION, out_dtype=ACC)
    finish(acc, out, bias, plus, rows, image, pixel, cols < pixels, channels, out_width, stride_bias, o_n,
           o_c, o_h, o_w, p_n, p_c, p_h, p_w, FLAT)


@triton.jit
def add_tap(acc, x_at, w_at, tap, top, left, height, width, wide_h, wide_w, x_h, x_w, w_h, w_w, inside,
            TAPS_W: tl.constexpr):
    y_at = top + tap // TAPS_W * wide_h
    z_at = left + tap % TAPS_W * wide_w
    inside = inside & (y_at >= 0) & (y_at < height) & (z_at >= 0) & (z_at < width)
    weight = tl.load(w_at + (tap // TAPS_W * w_h + tap % TAPS_W * w_w)).to(acc.dtype)
    return acc + weight * tl.load(x_at + (y_at * x_h + z_at * x_w), mask=inside, other=0.0).to(acc.dtype)


@triton.jit
def conv_direct_kernel(x, w, out, bias, plus, pixels, channels, depth, height, width, out_width, step_h,
                       step_w, pad_h, pad_w, wide_h, wide_w, all_channels, stride_bias, x_n, x_c, x_h, x_w,
                       w_o, w_c, w_h, w_w, o_n, o_c, o_h, o_w, p_n, p_c, p_h, p_w, TAPS_H: tl.constexpr,
                       TAPS_W: tl.constexpr, BLOCK: tl.constexpr, UNROLL: tl.constexpr, ACC: tl.constexpr):
    """Convolution in groups of few channels, tap by tap: a program computes pixels of one channel of one
    image. channels are those of a group of the result, depth those of a group of the input."""
    channel = tl.program_id(0) % all_channels
    image = (tl.program_id(0) // all_channels).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    out_y = cols // out_width
    out_x = cols % out_width
    top = out_y * step_h - pad_h
    left = out_x * step_w - pad_w
    x += image * x_n + (channel // channels * depth).to(tl.int64) * x_c
    w += channel.to(tl.int64) * w_o
    inside = cols < pixels
    acc = tl.zeros([BLOCK], ACC)
    for c in range(depth):
        if UNROLL:
            for tap in tl.static_range(TAPS_H * TAPS_W):
                acc = add_tap(acc, x + c * x_c, w + c * w_c, tap, top, left, height, width, wide_h, wide_w,
                              x_h, x_w, w_h, w_w, inside, TAPS_W)
        else:
            for tap in range(TAPS_H * TAPS_W):
                acc = add_tap(acc, x + c * x_c, w + c * w_c, tap, top, left, height, width, wide_h, wide_w,
                              x_h, x_w, w_h, w_w, inside, TAPS_W)
    if bias is not None:
        acc += tl.load(bias + channel * stride_bias).to(ACC)
    y = epilogue(acc)
    if plus is not None:
        at = image * p_n + channel.to(tl.int64) * p_c
        y += tl.load(plus + at + (out_y * p_h + out_x * p_w), mask=inside, other=0.0).to(y.dtype)
    at = image * o_n + channel.to(tl.int64) * o_c
    tl.store(out + at + (out_y * o_h + out_x * o_w), y.to(out.dtype.element_ty), mask=inside)


@triton.jit
def take_tap(acc, at, y_at, z_at, bottom, right, height, width, inside, MEAN: tl.constexpr,
             ADAPTIVE: tl.constexpr, PADDED: tl.constexpr):
    """acc with the elements of one tap, which are at an address and have these coordinates."""
    if ADAPTIVE:  # windows have different sizes
        inside = inside & ((y_at < bottom) & (z_at < right))[None, :]
    if PADDED:
        inside = inside & ((y_at >= 0) & (y_at < height))[None, :] & ((z_at >= 0) & (z_at < width))[None, :]
    if MEAN:
        return acc + tl.load(at, mask=inside, other=0.0).to(acc.dtype)
    else:
        v = tl.load(at, mask=inside, other=-float("inf")).to(acc.dtype)
        return tl.maximum(acc, v, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def pool_kernel(x, out, rows, pixels, channels, height, width, out_height, out_width, taps_h, taps_w, step_h,
                step_w, pad_h, pad_w, wide_h, wide_w, x_n, x_c, x_h, x_w, o_n, o_c, o_h, o_w,
                MEAN: tl.constexpr, ADAPTIVE: tl.constexpr, WHOLE: tl.constexpr, PADDED: tl.constexpr,
                TAPS_H: tl.constexpr, TAPS_W: tl.constexpr, ACC: tl.constexpr, R: tl.constexpr,
                C: tl.constexpr):
    """The largest element of a window around each pixel, or the mean of its elements. Rows are the channels
    of all images. Windows are those of adaptive pooling, or all of one size; PADDED says that they may reach
    out of images, WHOLE counts that in the mean. Windows of few elements have their size in TAPS_H and
    TAPS_W, others have 0 there."""
    row = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
    col = tl.program_id(1) * C + tl.arange(0, C)
    inside = (row < rows)[:, None] & (col < pixels)[None, :]
    out_y = col // out_width
    out_x = col % out_width
    if ADAPTIVE:
        top = out_y * height // out_height
        left = out_x * width // out_width
        bottom = ((out_y + 1) * height + out_height - 1) // out_height
        right = ((out_x + 1) * width + out_width - 1) // out_width
    else:
        top = out_y * step_h - pad_h
        left = out_x * step_w - pad_w
        bottom = top + taps_h * wide_h
        right = left + taps_w * wide_w
    x_at = x + (row // channels * x_n + row % channels * x_c)[:, None]
    if MEAN:
        acc = tl.zeros([R, C], ACC)
    else:
        acc = tl.full([R, C], -float("inf"), ACC)
    if TAPS_H > 0:
        for tap_h in tl.static_range(TAPS_H):
            # One address for a row of taps: they differ by a constant.
            y_at = top + tap_h * wide_h
            at = x_at + (y_at * x_h + left * x_w)[None, :]
            for tap_w in tl.static_range(TAPS_W):
                acc = take_tap(acc, at + tap_w * wide_w * x_w, y_at, left + tap_w * wide_w, bottom, right,
                               height, width, inside, MEAN, ADAPTIVE, PADDED)
    else:
        for tap_h in range(taps_h):
            y_at = top + tap_h * wide_h
            for tap_w in range(taps_w):
                z_at = left + tap_w * wide_w
                acc = take_tap(acc, x_at + (y_at * x_h + z_at * x_w)[None, :], y_at, z_at, bottom, right,
                               height, width, inside, MEAN, ADAPTIVE, PADDED)
    if MEAN:
        if WHOLE:
            n = tl.zeros([C], tl.int32) + taps_h * taps_w
        else:
            n = (tl.minimum(bottom, height) - tl.maximum(top, 0)) * (
                tl.minimum(right, width) - tl.maximum(left, 0))
        acc = acc / n[None, :].to(ACC)
    out_at = out + (row // channels * o_n + row % channels * o_c)[:, None]
    tl.store(out_at + (out_y * o_h + out_x * o_w)[None, :], acc.to(out.dtype.element_ty), mask=inside)
