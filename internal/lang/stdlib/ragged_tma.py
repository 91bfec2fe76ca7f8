"""triton.tools.ragged_tma: rows of a matrix as segments of their own, kept apart by the bounds of one tensor descriptor.

The host makes the descriptor. It has two dimensions more than the matrix, in front: the first one's stride is 2**34 elements less a row,
the second one's is a row. At index 2**30 of the first the address has wrapped to 2**30 rows below where it began, and the third, the rows,
ends at 2**30; so the last row of a segment is put at that end, and what lies behind it is outside.
"""
import triton
import triton.language as tl


def create_ragged_descriptor(T, block_shape, ragged_dim=0):
    raise NotImplementedError("descriptors are made by the program that launches")


@triton.jit
def to_ragged_indices(batch_offset, batch_size, row):
    """The three indices that stand for a row of the segment of batch_size rows at batch_offset."""
    end = 0x40000000
    x = end - batch_size + row
    y = batch_offset + batch_size
    return end, y, x


@triton.jit
def load_ragged(TMA, batch_offset, batch_size, coords, ragged_dim: tl.constexpr = 0):
    """A block of a segment; zeros outside."""
    tl.static_assert(len(TMA.shape) == len(coords) + 2, "TMA must be a read-write ragged descriptor")
    c0, c1, c2 = to_ragged_indices(batch_offset, batch_size, coords[ragged_dim])
    block = TMA.load([c0, c1] + coords[:ragged_dim] + [c2] + coords[ragged_dim + 1:])
    block = tl.reshape(block, block.shape[2:])
    return block


@triton.jit
def store_ragged(TMA, batch_offset, batch_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Stores a block into a segment; what is outside is left alone."""
    c0, c1, c2 = to_ragged_indices(batch_offset, batch_size, coords[ragged_dim])
    data = tl.reshape(data, [1, 1] + data.shape)
    TMA.store([c0, c1] + coords[:ragged_dim] + [c2] + coords[ragged_dim + 1:], data)


@triton.jit
def atomic_add_ragged(TMA, batch_offset, batch_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Adds a block to a segment, atomically; what is outside is left alone."""
    c0, c1, c2 = to_ragged_indices(batch_offset, batch_size, coords[ragged_dim])
    data = tl.reshape(data, [1, 1] + data.shape)
    TMA.atomic_add([c0, c1] + coords[:ragged_dim] + [c2] + coords[ragged_dim + 1:], data)
