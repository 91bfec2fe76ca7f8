"""triton.tools.ragged_tma: blocks of rows of a matrix, with the bounds of each segment of rows kept by one tensor
descriptor for all segments.

The program that launches makes the descriptor. It has two dimensions before those of the matrix: one step along the
first is 2**34 elements less a row, one step along the second is a row. 2**30 steps along the first wrap the address
around to 2**30 rows below the matrix. The rows end at index 2**30 of their own dimension; so the second dimension
moves the end of the segment there, and what lies behind the segment is out of bounds.
"""
from triton import jit
from triton import language as tl


def create_ragged_descriptor(T, block_shape, ragged_dim=0):
    raise NotImplementedError("a kernel gets ragged descriptors as arguments: make them in the program that launches it")


@jit
def to_ragged_indices(batch_offset, batch_size, row):
    """Returns indices along the two dimensions in front and along the rows, for a row of a segment."""
    wrap = 0x40000000
    into = wrap - batch_size + row
    return wrap, batch_offset + batch_size, into


@jit
def _locate(start, size, coords, dim: tl.constexpr):
    """Returns all indices of a descriptor for coordinates in a segment whose rows are dimension dim."""
    wrap, end, row = to_ragged_indices(start, size, coords[dim])
    return [wrap, end] + coords[:dim] + [row] + coords[dim + 1:]


@jit
def load_ragged(TMA, batch_offset, batch_size, coords, ragged_dim: tl.constexpr = 0):
    """Loads a block of a segment; it is zero outside."""
    tl.static_assert(len(TMA.shape) == len(coords) + 2,
                     f"a ragged descriptor has two dimensions more than the {len(coords)} coordinates, "
                     f"but this one has {len(TMA.shape)}")
    block = TMA.load(_locate(batch_offset, batch_size, coords, ragged_dim))
    return block.reshape(block.shape[2:])


@jit
def store_ragged(TMA, batch_offset, batch_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Stores a block into a segment; elements outside are dropped."""
    at = _locate(batch_offset, batch_size, coords, ragged_dim)
    TMA.store(at, data.reshape([1, 1] + data.shape))


@jit
def atomic_add_ragged(TMA, batch_offset, batch_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Adds a block to a segment atomically; elements outside are dropped."""
    at = _locate(batch_offset, batch_size, coords, ragged_dim)
    TMA.atomic_add(at, data.reshape([1, 1] + data.shape))
