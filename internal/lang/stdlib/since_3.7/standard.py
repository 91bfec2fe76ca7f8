

# Since 3.7


@jit
def squeeze(x, dim: core.constexpr):
    """Drops a dimension of size 1."""
    core.static_assert(x.shape[dim] == 1, f"squeeze drops dimensions of size 1, but dimension {dim} has {x.shape[dim]}")
    return x.reshape(x.shape[:dim] + x.shape[dim + 1:])


@jit
def unsqueeze(x, dim: core.constexpr):
    """Adds a dimension of size 1."""
    return x.reshape(x.shape[:dim] + (1, ) + x.shape[dim:])
