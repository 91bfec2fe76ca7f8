// Compares the operators, called through PyTorch's dispatcher, with PyTorch's own, on a device: the first
// argument, "cpu" if none.
#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/Device.h>

#include <cstdio>
#include <string>

namespace {

int failures, checks;

// op returns an operator of ours.
template <class F> auto op(const char *name) {
	return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<F>();
}
const auto add = [](const at::Tensor &x, const at::Tensor &y) {
	return op<at::Tensor(const at::Tensor &, const at::Tensor &)>("nereid::add").call(x, y);
};
const auto sum = [](const at::Tensor &x, at::OptionalIntArrayRef dim, bool keep) {
	return op<at::Tensor(const at::Tensor &, at::OptionalIntArrayRef, bool)>("nereid::sum").call(x, dim, keep);
};
using MaybeTensor = std::optional<at::Tensor>;
using MaybeScalar = std::optional<at::Scalar>;
const auto axpy = [](const at::Tensor &x, const MaybeTensor &y, const MaybeScalar &a) {
	return op<at::Tensor(const at::Tensor &, const MaybeTensor &, const MaybeScalar &)>("nereid::axpy")
		.call(x, y, a);
};
const auto softmax = [](const at::Tensor &x, int64_t dim) {
	return op<at::Tensor(const at::Tensor &, int64_t)>("nereid::softmax").call(x, dim);
};
const auto rms_norm = [](const at::Tensor &x, const MaybeTensor &weight, double eps) {
	return op<at::Tensor(const at::Tensor &, const MaybeTensor &, double)>("nereid::rms_norm")
		.call(x, weight, eps);
};
const auto rope = [](const at::Tensor &x, const at::Tensor &cos, const at::Tensor &sin, const MaybeTensor &at,
                     bool interleaved) {
	return op<at::Tensor(const at::Tensor &, const at::Tensor &, const at::Tensor &, const MaybeTensor &, bool)>(
			   "nereid::rope")
		.call(x, cos, sin, at, interleaved);
};

// tolerance returns the relative error that nereid replay allows elements of a type.
double tolerance(at::ScalarType t) {
	switch (t) {
	case at::kHalf: return 0x1p-9;
	case at::kBFloat16: return 0x1p-6;
	case at::kFloat: return 1e-4;
	case at::kDouble: return 1e-6;
	default: return 0;
	}
}

// same compares type, shape and elements; scale is the magnitude of what the operands hold.
void same(const std::string &name, const at::Tensor &got, const at::Tensor &want, double scale = 1) {
	checks++;
	std::string fault;
	if (got.scalar_type() != want.scalar_type()) fault = "another type";
	else if (got.sizes() != want.sizes()) fault = "another shape";
	else if (got.numel()) {
		at::Tensor g = got.to(at::kDouble), w = want.to(at::kDouble);
		at::Tensor rms = w.square().mean().sqrt(), off = (g - w).abs();
		double part = tolerance(want.scalar_type());
		at::Tensor allowed = (w.abs() + rms / 4) * part + (part > 0 ? scale * 0x1p-20 : 0);
		int64_t wrong = (off > allowed).sum().item<int64_t>();
		if (wrong || off.isnan().any().item<bool>()) fault = std::to_string(wrong) + " elements differ";
	}
	std::printf("%s %s%s%s\n", fault.empty() ? "ok  " : "FAIL", name.c_str(), fault.empty() ? "" : ": ",
	            fault.c_str());
	failures += !fault.empty();
}

// turned is rope in PyTorch's operations.
at::Tensor turned(const at::Tensor &x, const at::Tensor &cos, const at::Tensor &sin, bool interleaved) {
	at::Tensor pairs = interleaved ? x.unflatten(-1, {-1, 2}) : x.unflatten(-1, {2, -1}).transpose(-1, -2);
	at::Tensor a = pairs.select(-1, 0).to(at::kFloat), b = pairs.select(-1, 1).to(at::kFloat);
	at::Tensor c = cos.unsqueeze(1), s = sin.unsqueeze(1);
	at::Tensor both = at::stack({a * c - b * s, b * c + a * s}, -1);
	return (interleaved ? both : both.transpose(-1, -2)).flatten(-2).to(x.scalar_type());
}

void run(const at::Device &device) {
	auto random = [&](at::IntArrayRef sizes, at::ScalarType t = at::kFloat) {
		return at::randn(sizes, at::TensorOptions().device(device)).mul(3).to(t);
	};
	const at::ScalarType types[] = {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kInt,
	                                at::kLong,  at::kShort,  at::kChar, at::kByte,     at::kBool};
	for (at::ScalarType a : types) {
		for (at::ScalarType b : {at::kFloat, at::kHalf, at::kChar, at::kByte, at::kBool}) {
			at::Tensor x = random({5, 1, 33}, a), y = random({7, 1}, b);
			same(std::string("add ") + c10::toString(a) + " " + c10::toString(b), add(x, y), at::add(x, y), 3);
		}
		at::Tensor x = random({12, 34}, a);
		same(std::string("sum ") + c10::toString(a), sum(x, at::IntArrayRef{0}, false), at::sum(x, {0}), 10);
	}
	at::Tensor x = random({16, 4096}), y = random({16, 4096});
	same("add transposed", add(x.t(), y.t()), at::add(x.t(), y.t()), 3);
	at::Tensor number = random({}, at::kDouble), cube = random({6, 7, 8});
	same("add a tensor without dimensions", add(x, number), at::add(x, number), 3);
	same("sum all", sum(x, std::nullopt, false), at::sum(x), 100);
	same("sum keepdim", sum(cube, at::IntArrayRef{0, 2}, true), at::sum(cube, at::IntArrayRef{0, 2}, true), 30);
	same("axpy", axpy(x, y, at::Scalar(3.14)), at::add(3.14 * x, y), 10);
	same("axpy int", axpy(x, y, at::Scalar(10)), at::add(10 * x, y), 30);
	same("axpy a=None", axpy(x, y, std::nullopt), at::add(x, y), 3);
	same("axpy y=None", axpy(x, std::nullopt, at::Scalar(0.5)), x * 0.5, 3);
	same("axpy broadcast", axpy(x, random({4096}).fill_(2), at::Scalar(2)), x * 2 + 2, 6);
	for (at::ScalarType t : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16}) {
		at::Tensor z = random({3, 50, 9000}, t);
		same("softmax last", softmax(z, -1), at::softmax(z, -1));
		same("softmax middle", softmax(z.narrow(2, 0, 5), 1), at::softmax(z.narrow(2, 0, 5), 1));
		at::Tensor rows = random({4, 6, 1000}, t), weight = random({1000}, t);
		same("rms_norm", rms_norm(rows, weight, 1e-6), at::rms_norm(rows, {1000}, weight, 1e-6), 3);
		same("rms_norm without weight", rms_norm(rows, std::nullopt, 1e-6),
		     at::rms_norm(rows, {1000}, std::nullopt, 1e-6), 3);
	}
	at::Tensor angles = at::outer(at::arange(64, x.options()), at::pow(1e-4, at::arange(32, x.options()) / 32));
	at::Tensor cos = angles.cos(), sin = angles.sin();
	at::Tensor where = at::arange(63, -1, -2, x.options().dtype(at::kLong));
	for (bool interleaved : {false, true}) {
		for (at::ScalarType t : {at::kFloat, at::kBFloat16}) {
			at::Tensor q = random({32, 8, 64}, t);
			same("rope", rope(q, cos, sin, std::nullopt, interleaved),
			     turned(q, cos.narrow(0, 0, 32), sin.narrow(0, 0, 32), interleaved), 3);
			same("rope at positions", rope(q, cos, sin, where, interleaved),
			     turned(q, cos.index_select(0, where), sin.index_select(0, where), interleaved), 3);
		}
	}
}

} // namespace

int main(int argc, char **argv) try {
	at::Device device(argc > 1 ? argv[1] : "cpu");
	run(device);
	std::printf("%s: %d of %d checks failed\n", device.str().c_str(), failures, checks);
	return failures ? 1 : 0;
} catch (const std::exception &e) {
	std::printf("%s\n", e.what());
	return 1;
}
