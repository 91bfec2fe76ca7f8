

# Since 3.8


@jit
def topk(x, k: core.constexpr, dim: core.constexpr = None, descending: core.constexpr = True):
    """Finds the k largest elements along the last dimension, the largest first, or the smallest unless descending."""
    return sort_impl(x, k, dim, descending)
