// Operators made of Triton kernels: add, sum, axpy, softmax, rms_norm, rope. They choose kernels, grids and
// options for tensors of any shape; the memory, inputs and outputs alike, is the caller's, on any device.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <variant>
#include <vector>

#include <nereid.hpp>

namespace operators {

using Dims = std::vector<int64_t>;
using Number = std::variant<bool, int64_t, double>;

// Error says which tensor or dimension an operator cannot take.
struct Error : std::invalid_argument {
	using std::invalid_argument::invalid_argument;
};

// View is a tensor in memory of the caller's. Strides count elements.
struct View {
	nereid::TensorRef memory;
	Dims sizes, strides;

	nereid_dtype dtype() const { return memory.dtype; }
	int64_t count() const;
	bool contiguous() const;
};

// strides_of returns the strides of a contiguous tensor.
Dims strides_of(const Dims &sizes);
// broadcast returns the shape of a result of two shapes: dimensions of size 1 stretch, missing ones are 1.
Dims broadcast(const Dims &a, const Dims &b);
// promote returns the type of a result of two types, as PyTorch does.
nereid_dtype promote(nereid_dtype a, nereid_dtype b);
// sum_type returns the type of a sum: int64 for integers and bools.
nereid_dtype sum_type(nereid_dtype of);
// sum_sizes returns the shape of a sum over dims; no dims means all.
Dims sum_sizes(const Dims &sizes, const Dims &dims, bool keep);

// add writes x + y, broadcast to out's shape and promoted to its type. out is contiguous.
void add(const nereid::Place &place, const View &x, const View &y, const View &out);
// sum writes the sums of x over dims, all if there are none. out is contiguous, of sum_sizes' shape.
void sum(const nereid::Place &place, const View &x, const Dims &dims, const View &out);
// axpy writes a * x + y; without a it writes x + y, without y a * x. All are contiguous, of one shape.
void axpy(const nereid::Place &place, const std::optional<Number> &a, const View &x,
          const std::optional<View> &y, const View &out);
// softmax writes the softmax of x over one dimension; x and out have any strides.
void softmax(const nereid::Place &place, const View &x, int64_t dim, const View &out);
// rms_norm writes x / sqrt(mean(x²) + eps) * weight over the last dimension.
void rms_norm(const nereid::Place &place, const View &x, const std::optional<View> &weight, double eps,
              const View &out);
// rope turns pairs of elements of x, of shape (tokens, heads, 2 * half), by the angles whose cosines and
// sines are rows of the tables, of shape (positions, half). positions has an int64 for each token; without
// it, token i is at position i. Pairs are neighbours if interleaved, else they are half apart.
void rope(const nereid::Place &place, const View &x, const View &cos, const View &sin,
          const std::optional<View> &positions, bool interleaved, const View &out);

} // namespace operators

// A View is an argument of a kernel.
template <> struct nereid::Adaptor<operators::View> {
	static TensorRef ref(const operators::View &v) { return v.memory; }
};
