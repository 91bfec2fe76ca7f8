// Runs the operators on a device (the first argument, "cpu" if none) and compares their results with
// references computed in double.
#include "operators.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>

using namespace operators;

namespace {

// Floats of 16 bits: half is IEEE's, bfloat the upper half of an fp32.
double half_value(uint16_t bits) {
	int exponent = bits >> 10 & 31, fraction = bits & 1023;
	double v = exponent == 31 ? (fraction ? NAN : INFINITY)
	           : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
	                          : std::ldexp(fraction, -24);
	return bits >> 15 ? -v : v;
}
uint16_t half_bits(double v) {
	uint16_t sign = std::signbit(v) ? 0x8000 : 0;
	v = std::fabs(v);
	if (v == 0 || std::isnan(v) || v > 65504) return static_cast<uint16_t>(sign | (v == 0 ? 0 : 0x7c00));
	int exponent = std::max(std::ilogb(v), -14);
	auto fraction = static_cast<int>(std::nearbyint(std::ldexp(v, 10 - exponent)));
	return static_cast<uint16_t>(sign + (fraction < 1024 ? fraction : ((exponent + 14) << 10) + fraction));
}
double bfloat_value(uint16_t bits) {
	uint32_t wide = static_cast<uint32_t>(bits) << 16;
	float f;
	std::memcpy(&f, &wide, 4);
	return f;
}
uint16_t bfloat_bits(double v) {
	float f = static_cast<float>(v);
	uint32_t wide;
	std::memcpy(&wide, &f, 4);
	return static_cast<uint16_t>((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
}

template <class T> double value_as(const uint8_t *p) {
	T v;
	std::memcpy(&v, p, sizeof v);
	return static_cast<double>(v);
}
template <class T> void set_as(uint8_t *p, double d) {
	T v = static_cast<T>(d);
	std::memcpy(p, &v, sizeof v);
}

// Type is an element type: how values lie in memory, and the relative error that nereid replay allows it.
struct Type {
	nereid_dtype dtype;
	double (*get)(const uint8_t *);
	void (*set)(uint8_t *, double);
	double tolerance;
};
const Type types[] = {
	{NEREID_BOOL, value_as<uint8_t>, [](uint8_t *p, double v) { *p = v != 0; }, 0},
	{NEREID_INT8, value_as<int8_t>, set_as<int8_t>, 0},
	{NEREID_INT16, value_as<int16_t>, set_as<int16_t>, 0},
	{NEREID_INT32, value_as<int32_t>, set_as<int32_t>, 0},
	{NEREID_INT64, value_as<int64_t>, set_as<int64_t>, 0},
	{NEREID_UINT8, value_as<uint8_t>, set_as<uint8_t>, 0},
	{NEREID_FLOAT16, [](const uint8_t *p) { return half_value(static_cast<uint16_t>(p[0] | p[1] << 8)); },
     [](uint8_t *p, double v) { set_as<uint16_t>(p, half_bits(v)); }, 0x1p-9},
	{NEREID_BFLOAT16, [](const uint8_t *p) { return bfloat_value(static_cast<uint16_t>(p[0] | p[1] << 8)); },
     [](uint8_t *p, double v) { set_as<uint16_t>(p, bfloat_bits(v)); }, 0x1p-6},
	{NEREID_FLOAT32, value_as<float>, set_as<float>, 1e-4},
	{NEREID_FLOAT64, value_as<double>, set_as<double>, 1e-6},
};
const Type &type_of(nereid_dtype t) {
	for (const Type &row : types) {
		if (row.dtype == t) return row;
	}
	throw Error("a type without a row in types");
}

// Place of all tests, and what they have found.
const nereid::Device *device;
int failures, checks;
std::mt19937 random_bits(1);

// Array is a tensor in host memory, with a copy on the device if that has memory of its own.
class Array {
  public:
	Array(nereid_dtype t, const Dims &sizes, Dims strides = {})
		: type_(&type_of(t)), sizes_(sizes), strides_(strides.empty() ? strides_of(sizes) : std::move(strides)) {
		int64_t last = 0;
		for (size_t i = 0; i < sizes.size(); i++) last += std::max<int64_t>(sizes[i] - 1, 0) * strides_[i];
		bytes_.resize(static_cast<size_t>(last + 1) * nereid_dtype_size(t));
	}
	// random fills the array with values from -range to range; unsigned types and bool from 0.
	Array &random(double range) {
		bool negative = type_->dtype != NEREID_BOOL && type_->dtype != NEREID_UINT8;
		std::uniform_real_distribution<double> draw(negative ? -range : 0, range);
		size_t size = nereid_dtype_size(type_->dtype);
		for (size_t at = 0; at < bytes_.size(); at += size) {
			double v = draw(random_bits);
			type_->set(&bytes_[at], type_->tolerance > 0 ? v : std::nearbyint(v));
		}
		return *this;
	}
	View view() {
		View v{{bytes_.data(), type_->dtype, bytes_.size(), nereid::TensorRef::host, nullptr}, sizes_, strides_};
		if (!device->host()) {
			int64_t n = static_cast<int64_t>(bytes_.size() / nereid_dtype_size(type_->dtype));
			if (!copy_) copy_ = std::make_shared<nereid::Tensor>(*device, type_->dtype, Dims{n});
			copy_->write(bytes_.data(), bytes_.size());
			v.memory = copy_->ref();
		}
		return v;
	}
	void fetch() {
		if (copy_) copy_->read(bytes_.data(), bytes_.size());
	}
	double at(const Dims &index) const { return type_->get(&bytes_[offset(index)]); }
	void set(const Dims &index, double v) { type_->set(&bytes_[offset(index)], v); }
	const Dims &sizes() const { return sizes_; }
	const Type &type() const { return *type_; }

  private:
	size_t offset(const Dims &index) const {
		int64_t o = 0;
		for (size_t i = 0; i < index.size(); i++) o += index[i] * strides_[i];
		return static_cast<size_t>(o) * nereid_dtype_size(type_->dtype);
	}
	const Type *type_;
	Dims sizes_, strides_;
	std::vector<uint8_t> bytes_;
	std::shared_ptr<nereid::Tensor> copy_;
};

void each(const Dims &sizes, const std::function<void(const Dims &)> &f) {
	int64_t n = 1;
	for (int64_t s : sizes) n *= s;
	for (int64_t k = 0; k < n; k++) {
		Dims index(sizes.size());
		int64_t rest = k;
		for (size_t i = sizes.size(); i-- > 0; rest /= sizes[i]) index[i] = rest % sizes[i];
		f(index);
	}
}

// compare checks every element of a result: |got - want| ≤ tolerance × (|want| + rms / 4) + scale × 2^-20.
void compare(const std::string &name, Array &got, double scale,
             const std::function<double(const Dims &)> &want) {
	got.fetch();
	double squares = 0, worst = 0;
	intmax_t n = 0, wrong = 0;
	each(got.sizes(), [&](const Dims &i) { squares += want(i) * want(i), n++; });
	double rms = std::isfinite(squares) && n ? std::sqrt(squares / static_cast<double>(n)) : 0;
	double tolerance = got.type().tolerance, floor = tolerance > 0 ? scale * 0x1p-20 : 0;
	each(got.sizes(), [&](const Dims &i) {
		double w = want(i), g = got.at(i), off = std::fabs(g - w);
		if (g == w || (std::isnan(g) && std::isnan(w))) return;
		worst = std::max(worst, off);
		if (!(off <= tolerance * (std::fabs(w) + rms / 4) + floor) && wrong++ == 0) {
			std::printf("FAIL %s: %.9g, want %.9g\n", name.c_str(), g, w);
		}
	});
	checks++;
	failures += wrong > 0;
	std::printf("%s %-44s %jd of %jd wrong, worst error %.2g\n", wrong ? "FAIL" : "ok  ", name.c_str(), wrong, n,
	            worst);
}

// refuses checks that f throws an Error with a text.
void refuses(const std::string &text, const std::function<void()> &f) {
	checks++;
	try {
		f();
	} catch (const std::exception &e) {
		if (std::string(e.what()).find(text) != std::string::npos) return;
		std::printf("FAIL refusal: %s, want %s\n", e.what(), text.c_str());
		failures++;
		return;
	}
	std::printf("FAIL no refusal: %s\n", text.c_str());
	failures++;
}

std::string name_of(const char *op, std::initializer_list<nereid_dtype> ts, const Dims &sizes) {
	std::string s = op;
	for (nereid_dtype t : ts) s += std::string(" ") + nereid_dtype_name(t);
	s += " (";
	for (size_t i = 0; i < sizes.size(); i++) s += (i ? ", " : "") + std::to_string(sizes[i]);
	return s + ")";
}

Dims tail(const Dims &index, const Dims &sizes) { // index of an operand that broadcasts
	Dims out(index.end() - static_cast<std::ptrdiff_t>(sizes.size()), index.end());
	for (size_t i = 0; i < sizes.size(); i++) out[i] = sizes[i] == 1 ? 0 : out[i];
	return out;
}

void test_add(nereid_dtype tx, nereid_dtype ty, const Dims &sx, const Dims &sy, Dims strides = {}) {
	Array x(tx, sx, std::move(strides)), y(ty, sy);
	x.random(50), y.random(50);
	Array out(promote(tx, ty), broadcast(sx, sy));
	add(*device, x.view(), y.view(), out.view());
	compare(name_of("add", {tx, ty, out.type().dtype}, out.sizes()), out, 50, [&](const Dims &i) {
		double sum = x.at(tail(i, sx)) + y.at(tail(i, sy));
		return out.type().dtype == NEREID_BOOL ? sum != 0 : sum;
	});
}

void test_sum(nereid_dtype t, const Dims &sizes, const Dims &dims, bool keep, Dims strides = {}) {
	Array x(t, sizes, std::move(strides));
	x.random(3);
	Array out(sum_type(t), sum_sizes(sizes, dims, keep));
	Array kept(NEREID_FLOAT64, sum_sizes(sizes, dims, true));
	each(sizes, [&](const Dims &i) {
		Dims at = i;
		for (size_t d = 0; d < at.size(); d++) at[d] = kept.sizes()[d] == 1 ? 0 : at[d];
		kept.set(at, kept.at(at) + x.at(i));
	});
	sum(*device, x.view(), dims, out.view());
	auto rank = static_cast<int64_t>(sizes.size());
	compare(name_of("sum", {t}, sizes) + (keep ? " keep" : ""), out, 30, [&](const Dims &i) {
		if (keep) return kept.at(i);
		Dims at;
		for (size_t d = 0, j = 0; d < sizes.size(); d++) {
			bool over = dims.empty();
			for (int64_t s : dims) over = over || (s + rank) % rank == static_cast<int64_t>(d);
			at.push_back(over ? 0 : i[j++]);
		}
		return kept.at(at);
	});
}

void test_axpy(nereid_dtype t, std::optional<Number> a, bool with_y) {
	Array x(t, {1000}), y(t, {1000}), out(t, {1000});
	x.random(5), y.random(5);
	axpy(*device, a, x.view(), with_y ? std::optional(y.view()) : std::nullopt, out.view());
	double factor = a ? std::visit([](auto v) { return static_cast<double>(v); }, *a) : 1;
	compare(name_of("axpy", {t}, {1000}) + (a ? "" : " a=None") + (with_y ? "" : " y=None"), out, 20,
	        [&](const Dims &i) { return factor * x.at(i) + (with_y ? y.at(i) : 0); });
}

void test_softmax(nereid_dtype t, const Dims &sizes, int64_t dim, double masked = 0) {
	Array x(t, sizes), out(t, sizes);
	x.random(4);
	size_t d = static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(sizes.size()) : dim);
	if (masked != 0) {
		each(sizes, [&](const Dims &i) { if (i[d] % 3 == 0) x.set(i, masked); });
	}
	softmax(*device, x.view(), dim, out.view());
	Dims rows = sizes;
	rows[d] = 1;
	Array total(NEREID_FLOAT64, rows);
	each(sizes, [&](const Dims &i) {
		Dims at = i;
		at[d] = 0;
		total.set(at, total.at(at) + std::exp(x.at(i)));
	});
	compare(name_of("softmax", {t}, sizes) + " dim " + std::to_string(dim), out, 4, [&](const Dims &i) {
		Dims at = i;
		at[d] = 0;
		return std::exp(x.at(i)) / total.at(at);
	});
}

void test_rms_norm(nereid_dtype t, const Dims &sizes, bool weighted, Dims strides = {}) {
	int64_t n = sizes.back();
	Array x(t, sizes, std::move(strides)), w(t, {n}), out(t, sizes);
	x.random(2), w.random(2);
	const double eps = 1e-5;
	rms_norm(*device, x.view(), weighted ? std::optional(w.view()) : std::nullopt, eps, out.view());
	Dims rows = sizes;
	rows.back() = 1;
	Array squares(NEREID_FLOAT64, rows);
	auto row = [](Dims i) { return i.back() = 0, i; };
	each(sizes, [&](const Dims &i) { squares.set(row(i), squares.at(row(i)) + x.at(i) * x.at(i)); });
	compare(name_of("rms_norm", {t}, sizes) + (weighted ? "" : " no weight"), out, 2, [&](const Dims &i) {
		double scale = weighted ? w.at({i.back()}) : 1;
		return x.at(i) / std::sqrt(squares.at(row(i)) / static_cast<double>(n) + eps) * scale;
	});
}

void test_rope(nereid_dtype t, const Dims &sizes, bool interleaved, bool positions) {
	int64_t tokens = sizes[0], half = sizes[2] / 2;
	Array x(t, sizes), out(t, sizes), where(NEREID_INT64, {tokens});
	Array cos(NEREID_FLOAT32, {2 * tokens, half}), sin(NEREID_FLOAT32, {2 * tokens, half});
	x.random(3);
	each(cos.sizes(), [&](const Dims &i) {
		double part = static_cast<double>(i[1]) / static_cast<double>(half);
		double angle = static_cast<double>(i[0]) * std::pow(10000.0, -part);
		cos.set(i, std::cos(angle)), sin.set(i, std::sin(angle));
	});
	for (int64_t i = 0; i < tokens; i++) where.set({i}, static_cast<double>((7 * i + 3) % (2 * tokens)));
	rope(*device, x.view(), cos.view(), sin.view(), positions ? std::optional(where.view()) : std::nullopt,
	     interleaved, out.view());
	compare(name_of(interleaved ? "rope interleaved" : "rope", {t}, sizes), out, 3, [&](const Dims &i) {
		int64_t pair = interleaved ? i[2] / 2 : i[2] % half;
		bool second = interleaved ? i[2] % 2 : i[2] >= half;
		int64_t other = interleaved ? i[2] ^ 1 : (second ? i[2] - half : i[2] + half);
		int64_t p = positions ? static_cast<int64_t>(where.at({i[0]})) : i[0];
		double c = cos.at({p, pair}), s = sin.at({p, pair}), a = x.at(i), b = x.at({i[0], i[1], other});
		return second ? a * c + b * s : a * c - b * s;
	});
}

void run() {
	test_add(NEREID_FLOAT32, NEREID_FLOAT32, {4000}, {4000});
	test_add(NEREID_FLOAT32, NEREID_FLOAT32, {37, 65}, {65});
	test_add(NEREID_FLOAT16, NEREID_BFLOAT16, {5, 1, 33}, {7, 1});
	test_add(NEREID_FLOAT16, NEREID_INT32, {300}, {1});
	test_add(NEREID_INT8, NEREID_UINT8, {2, 3, 4, 5, 6}, {3, 1, 5, 1});
	test_add(NEREID_BOOL, NEREID_BOOL, {100}, {100});
	test_add(NEREID_FLOAT64, NEREID_FLOAT32, {12, 20}, {12, 20}, {1, 12});
	test_add(NEREID_INT64, NEREID_BOOL, {}, {3});
	test_add(NEREID_FLOAT32, NEREID_FLOAT32, {0, 4}, {4});
	test_sum(NEREID_FLOAT32, {16, 4096}, {1}, false);
	test_sum(NEREID_FLOAT32, {256, 129}, {0}, false);
	test_sum(NEREID_FLOAT16, {6, 7, 8, 9}, {1, -1}, true);
	test_sum(NEREID_INT32, {50, 30}, {}, false);
	test_sum(NEREID_BOOL, {9, 33}, {1}, true);
	test_sum(NEREID_FLOAT64, {13, 17}, {0}, false, {1, 13});
	test_sum(NEREID_FLOAT32, {4, 0}, {1}, false);
	test_axpy(NEREID_FLOAT32, Number(3.14), true);
	test_axpy(NEREID_FLOAT32, Number(int64_t(10)), true);
	test_axpy(NEREID_BFLOAT16, std::nullopt, true);
	test_axpy(NEREID_FLOAT64, Number(-0.5), false);
	test_axpy(NEREID_INT32, Number(int64_t(3)), true);
	test_softmax(NEREID_FLOAT32, {9, 1000}, -1);
	test_softmax(NEREID_FLOAT16, {4, 33, 5}, 1);
	test_softmax(NEREID_FLOAT32, {3, 9000}, 1);
	test_softmax(NEREID_FLOAT64, {5000, 2}, 0);
	test_softmax(NEREID_FLOAT32, {2, 8200}, 1, -INFINITY);
	test_rms_norm(NEREID_FLOAT32, {11, 1000}, true);
	test_rms_norm(NEREID_BFLOAT16, {2, 3, 4100}, false);
	test_rms_norm(NEREID_FLOAT64, {7, 12}, true, {20, 1});
	test_rope(NEREID_FLOAT32, {9, 4, 32}, false, false);
	test_rope(NEREID_FLOAT16, {5, 3, 48}, true, true);
	refuses("do not broadcast", [] { broadcast({3, 4}, {2, 4}); });
	refuses("summed over twice", [] { sum_sizes({3, 4}, {1, -1}, false); });
	refuses("dimension 2 of a tensor with 2", [] { sum_sizes({3, 4}, {2}, false); });
	refuses("a float is no factor of integers", [] { test_axpy(NEREID_INT32, Number(0.5), true); });
	refuses("softmax is for floats", [] { test_softmax(NEREID_INT32, {4}, 0); });
}

} // namespace

int main(int argc, char **argv) try {
	nereid::Device d(argc > 1 ? argv[1] : "cpu");
	device = &d;
	run();
	std::printf("%s: %d of %d checks failed\n", d.name().c_str(), failures, checks);
	return failures ? 1 : 0;
} catch (const std::exception &e) {
	std::printf("%s\n", e.what());
	return 1;
}
