#include "operators.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace operators {

namespace {

using nereid::Place;
using nereid::TritonJITFunction;

[[noreturn]] void fail(const std::string &text) { throw Error(text); }
void require(bool ok, const char *text) {
	if (!ok) fail(text);
}

// function returns a kernel of the folder kernels, which the environment may name.
const TritonJITFunction &function(const char *file, const char *name) {
	static const std::string folder = [] {
		const char *env = std::getenv("OPERATORS_KERNELS");
		return std::string(env ? env : OPERATORS_KERNELS) + "/";
	}();
	return TritonJITFunction::get_instance(folder + file, name);
}

int64_t cdiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t product(const Dims &d) {
	int64_t n = 1;
	for (int64_t s : d) n *= s;
	return n;
}
int64_t power_of_2(int64_t n) {
	int64_t p = 1;
	while (p < n) p *= 2;
	return p;
}
unsigned blocks(int64_t n) {
	if (n > INT32_MAX) fail("the tensor has more blocks than a grid can");
	return static_cast<unsigned>(n);
}

bool is_float(nereid_dtype t) { return t >= NEREID_FLOAT16; }
bool is_unsigned(nereid_dtype t) { return t >= NEREID_UINT8 && t <= NEREID_UINT64; }

// number returns a as the kernel for elements of type t takes it: fp64 is for fp64 alone.
std::variant<bool, int64_t, float, double> number(const Number &a, nereid_dtype t) {
	if (auto *d = std::get_if<double>(&a)) {
		if (!is_float(t)) fail("a float is no factor of integers");
		if (t != NEREID_FLOAT64) return static_cast<float>(*d);
		return *d;
	}
	if (auto *i = std::get_if<int64_t>(&a)) return *i;
	return std::get<bool>(a);
}

size_t wrap(int64_t dim, size_t rank) {
	int64_t n = static_cast<int64_t>(rank);
	if (dim < -n || dim >= n) {
		fail("dimension " + std::to_string(dim) + " of a tensor with " + std::to_string(n) + " dimensions");
	}
	return static_cast<size_t>(dim < 0 ? dim + n : dim);
}

// summed tells for each dimension whether it is summed over.
std::vector<bool> summed(const Dims &dims, size_t rank) {
	std::vector<bool> marks(rank, dims.empty());
	for (int64_t d : dims) {
		size_t i = wrap(d, rank);
		if (marks[i]) fail("dimension " + std::to_string(d) + " is summed over twice");
		marks[i] = true;
	}
	return marks;
}

// Space is a set of dimensions with the strides of some tensors in them.
struct Space {
	Dims sizes;
	std::vector<Dims> strides; // of each tensor

	explicit Space(size_t tensors) : strides(tensors) {}

	// push appends a dimension, inside of the others. A dimension that continues the one before in all
	// tensors becomes part of it, so that kernels divide less often.
	void push(int64_t size, const Dims &by) {
		if (size == 1) return;
		bool merge = !sizes.empty();
		for (size_t t = 0; t < by.size(); t++) merge = merge && strides[t].back() == by[t] * size;
		if (merge) sizes.back() *= size;
		else sizes.push_back(size);
		for (size_t t = 0; t < by.size(); t++) {
			if (merge) strides[t].back() = by[t];
			else strides[t].push_back(by[t]);
		}
	}
	// flat reports whether all tensors have their elements one after the other.
	bool flat() const {
		if (sizes.empty()) return true;
		return sizes.size() == 1 &&
		       std::all_of(strides.begin(), strides.end(), [](const Dims &s) { return s[0] == 1; });
	}
};

// expanded returns the strides of v in a larger shape, 0 where it repeats.
Dims expanded(const View &v, const Dims &to) {
	Dims strides(to.size(), 0);
	require(v.sizes.size() <= to.size(), "the result has fewer dimensions than an operand");
	size_t skip = to.size() - v.sizes.size();
	for (size_t i = 0; i < v.sizes.size(); i++) {
		if (v.sizes[i] == to[i + skip]) strides[i + skip] = v.strides[i];
		else require(v.sizes[i] == 1, "an operand does not broadcast to the shape of the result");
	}
	return strides;
}

constexpr int64_t block = 1024;
constexpr unsigned warps = 4, stages = 3;

} // namespace

int64_t View::count() const { return product(sizes); }
bool View::contiguous() const {
	int64_t expect = 1;
	for (size_t i = sizes.size(); i-- > 0; expect *= sizes[i]) {
		if (sizes[i] != 1 && strides[i] != expect) return false;
	}
	return true;
}

Dims strides_of(const Dims &sizes) {
	Dims strides(sizes.size(), 1);
	for (size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
	return strides;
}

Dims broadcast(const Dims &a, const Dims &b) {
	const Dims &longer = a.size() >= b.size() ? a : b, &shorter = a.size() >= b.size() ? b : a;
	Dims out = longer;
	for (size_t i = 0, skip = longer.size() - shorter.size(); i < shorter.size(); i++) {
		int64_t &l = out[i + skip], s = shorter[i];
		if (l != s && l != 1 && s != 1) {
			fail("sizes " + std::to_string(l) + " and " + std::to_string(s) + " do not broadcast");
		}
		if (l == 1) l = s;
	}
	return out;
}

nereid_dtype promote(nereid_dtype a, nereid_dtype b) {
	if (a == b) return a;
	require(a <= NEREID_FLOAT64 && b <= NEREID_FLOAT64, "floats of 8 bits promote to nothing: convert them");
	if (is_float(a) != is_float(b)) return is_float(a) ? a : b;
	if (is_float(a)) return std::max({a, b, NEREID_FLOAT32}); // fp16 and bf16 meet in fp32
	if (a == NEREID_BOOL || b == NEREID_BOOL) return a == NEREID_BOOL ? b : a;
	if (is_unsigned(a) == is_unsigned(b)) return std::max(a, b);
	if (is_unsigned(a)) std::swap(a, b); // a is signed, b is not
	size_t size = std::max(nereid_dtype_size(a), 2 * nereid_dtype_size(b));
	require(size <= 8, "uint64 and a signed integer have no common type");
	return size == 2 ? NEREID_INT16 : size == 4 ? NEREID_INT32 : NEREID_INT64;
}

nereid_dtype sum_type(nereid_dtype of) { return is_float(of) ? of : NEREID_INT64; }

Dims sum_sizes(const Dims &sizes, const Dims &dims, bool keep) {
	std::vector<bool> over = summed(dims, sizes.size());
	Dims out;
	for (size_t i = 0; i < sizes.size(); i++) {
		if (!over[i]) out.push_back(sizes[i]);
		else if (keep) out.push_back(1);
	}
	return out;
}

void add(const Place &place, const View &x, const View &y, const View &out) {
	require(out.contiguous(), "the result of add must be contiguous");
	Dims xs = expanded(x, out.sizes), ys = expanded(y, out.sizes);
	Space space(2);
	for (size_t i = 0; i < out.sizes.size(); i++) space.push(out.sizes[i], {xs[i], ys[i]});
	int64_t n = out.count();
	if (n == 0) return;
	unsigned grid = blocks(cdiv(n, block));
	if (space.flat()) {
		function("add.py", "add_flat")(place, grid, 1, 1, warps, stages, x, y, out, n, block);
	} else {
		function("add.py", "add_strided")(place, grid, 1, 1, warps, stages, x, y, out, n, space.sizes,
		                                  space.strides[0], space.strides[1], block);
	}
}

void sum(const Place &place, const View &x, const Dims &dims, const View &out) {
	std::vector<bool> over = summed(dims, x.sizes.size());
	Space kept(1), gone(1);
	for (size_t i = 0; i < x.sizes.size(); i++) (over[i] ? gone : kept).push(x.sizes[i], {x.strides[i]});
	int64_t m = product(kept.sizes), n = product(gone.sizes);
	require(out.contiguous() && out.count() == m, "the result of sum must be contiguous, of sum_sizes' shape");
	if (m == 0) return;
	// Neighbouring elements belong into one tile: of several sums, if the summed dimensions are the outer ones.
	bool rows = gone.sizes.empty() || gone.strides[0].back() == 1 || kept.sizes.empty();
	int64_t block_m = rows ? 4 : 64, block_n = rows ? 256 : 16;
	function("sum.py", "sum_dims")(place, blocks(cdiv(m, block_m)), 1, 1, warps, stages, x, out, m, n,
	                               kept.sizes, kept.strides[0], gone.sizes, gone.strides[0], block_m, block_n);
}

void axpy(const Place &place, const std::optional<Number> &a, const View &x, const std::optional<View> &y,
          const View &out) {
	bool same = x.contiguous() && out.contiguous() && x.sizes == out.sizes;
	bool good = same && (!y || (y->contiguous() && y->sizes == x.sizes));
	require(good, "axpy needs contiguous tensors of one shape");
	std::optional<std::variant<bool, int64_t, float, double>> factor;
	if (a) factor = number(*a, out.dtype());
	int64_t n = out.count();
	if (n == 0) return;
	function("axpy.py", "axpy")(place, blocks(cdiv(n, block)), 1, 1, warps, stages, x, y, out, factor, n, block);
}

void softmax(const Place &place, const View &x, int64_t dim, const View &out) {
	require(x.sizes == out.sizes, "softmax needs a result of the operand's shape");
	require(is_float(x.dtype()) && is_float(out.dtype()), "softmax is for floats");
	size_t d = wrap(dim, x.sizes.size());
	Space rows(2);
	for (size_t i = 0; i < x.sizes.size(); i++) {
		if (i != d) rows.push(x.sizes[i], {x.strides[i], out.strides[i]});
	}
	int64_t n = x.sizes[d], tile = std::min<int64_t>(power_of_2(n), 4096);
	if (out.count() == 0) return;
	const auto &f = function("softmax.py", n <= tile ? "softmax_tile" : "softmax_loop");
	f(place, blocks(product(rows.sizes)), 1, 1, warps, stages, x, out, n, x.strides[d], out.strides[d],
	  rows.sizes, rows.strides[0], rows.strides[1], tile);
}

void rms_norm(const Place &place, const View &x, const std::optional<View> &weight, double eps,
              const View &out) {
	require(!x.sizes.empty() && x.sizes == out.sizes, "rms_norm needs a result of the operand's shape");
	int64_t n = x.sizes.back();
	require(!weight || (weight->sizes == Dims{n} && weight->contiguous()), "a weight must have a row's shape");
	Space rows(2);
	for (size_t i = 0; i + 1 < x.sizes.size(); i++) rows.push(x.sizes[i], {x.strides[i], out.strides[i]});
	require(n == 1 || (x.strides.back() == 1 && out.strides.back() == 1), "rows of rms_norm must be contiguous");
	require(rows.sizes.size() <= 1, "the rows of rms_norm must lie at one distance");
	if (out.count() == 0) return;
	int64_t xs = rows.sizes.empty() ? n : rows.strides[0][0], os = rows.sizes.empty() ? n : rows.strides[1][0];
	std::variant<float, double> e = static_cast<float>(eps);
	if (out.dtype() == NEREID_FLOAT64) e = eps;
	function("rms_norm.py", "rms_norm")(place, blocks(product(rows.sizes)), 1, 1, warps, stages, x, weight,
	                                    out, n, xs, os, e, std::min<int64_t>(power_of_2(n), 2048));
}

void rope(const Place &place, const View &x, const View &cos, const View &sin,
          const std::optional<View> &positions, bool interleaved, const View &out) {
	require(x.sizes.size() == 3 && x.sizes == out.sizes, "rope needs x and out of shape (tokens, heads, size)");
	int64_t tokens = x.sizes[0], heads = x.sizes[1], half = x.sizes[2] / 2;
	require(x.sizes[2] == 2 * half && x.strides[2] == 1 && out.strides[2] == 1, "rope needs contiguous pairs");
	require(cos.sizes == sin.sizes && cos.sizes.size() == 2 && cos.sizes[1] == half && cos.contiguous() &&
	            sin.contiguous(), "rope needs contiguous tables of shape (positions, size / 2)");
	require(positions || cos.sizes[0] >= tokens, "the tables of rope have fewer positions than x has tokens");
	require(!positions || (positions->sizes == Dims{tokens} && positions->contiguous() &&
	                       positions->dtype() == NEREID_INT64), "positions are an int64 for each token");
	if (out.count() == 0) return;
	function("rope.py", "rope")(place, blocks(tokens * heads), 1, 1, warps, stages, x, out, cos, sin, positions,
	                            heads, half, x.strides[0], x.strides[1], out.strides[0], out.strides[1], half,
	                            interleaved, power_of_2(half));
}

} // namespace operators
