// The operators for PyTorch: after torch.ops.load_library("liboperators_torch.so"), torch.ops.nereid.add and
// its like run on tensors of the CPU and of CUDA devices.
#include "operators.hpp"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/library.h>

namespace {

using operators::Dims;
using operators::View;

View view(const at::Tensor &t) { return {nereid::ref(t), t.sizes().vec(), t.strides().vec()}; }
std::optional<View> view(const std::optional<at::Tensor> &t) {
	return t ? std::optional(view(*t)) : std::nullopt;
}

// place returns the current stream of a tensor's device. CUDA's headers are not needed to ask for it.
nereid::Place place(const at::Tensor &t) {
	if (!t.is_cuda()) return nullptr;
	c10::Stream s = c10::impl::VirtualGuardImpl(t.device().type()).getStream(t.device());
	return static_cast<CUstream_st *>(s.native_handle());
}

at::Tensor add(const at::Tensor &x, const at::Tensor &y) {
	c10::DeviceGuard guard(x.device());
	at::Tensor out = at::empty(operators::broadcast(x.sizes().vec(), y.sizes().vec()),
	                           x.options().dtype(at::result_type(x, y)));
	operators::add(place(x), view(x), view(y), view(out));
	return out;
}

at::Tensor sum(const at::Tensor &x, at::OptionalIntArrayRef dims, bool keepdim) {
	c10::DeviceGuard guard(x.device());
	Dims over = dims ? dims->vec() : Dims();
	bool integral = at::isIntegralType(x.scalar_type(), /*includeBool=*/true);
	at::Tensor out = at::empty(operators::sum_sizes(x.sizes().vec(), over, keepdim),
	                           x.options().dtype(integral ? at::kLong : x.scalar_type()));
	operators::sum(place(x), view(x), over, view(out));
	return out;
}

at::Tensor axpy(const at::Tensor &x, const std::optional<at::Tensor> &y, const std::optional<at::Scalar> &a) {
	c10::DeviceGuard guard(x.device());
	at::Tensor first = x.contiguous(), out;
	std::optional<at::Tensor> second;
	if (y) {
		std::vector<at::Tensor> both = at::broadcast_tensors({x, *y});
		first = both[0].contiguous(), second = both[1].contiguous();
	}
	out = at::empty(first.sizes(), x.options().dtype(y ? at::result_type(x, *y) : x.scalar_type()));
	std::optional<operators::Number> factor;
	if (a && a->isBoolean()) factor = a->toBool();
	else if (a && a->isIntegral(false)) factor = a->toLong();
	else if (a) factor = a->toDouble();
	operators::axpy(place(x), factor, view(first), view(second), view(out));
	return out;
}

at::Tensor softmax(const at::Tensor &x, int64_t dim) {
	c10::DeviceGuard guard(x.device());
	at::Tensor out = at::empty(x.sizes(), x.options());
	operators::softmax(place(x), view(x), dim, view(out));
	return out;
}

at::Tensor rms_norm(const at::Tensor &x, const std::optional<at::Tensor> &weight, double eps) {
	c10::DeviceGuard guard(x.device());
	at::Tensor rows = x.contiguous(), out = at::empty(x.sizes(), x.options());
	operators::rms_norm(place(x), view(rows), view(weight), eps, view(out));
	return out;
}

at::Tensor rope(const at::Tensor &x, const at::Tensor &cos, const at::Tensor &sin,
                const std::optional<at::Tensor> &positions, bool interleaved) {
	c10::DeviceGuard guard(x.device());
	at::Tensor out = at::empty(x.sizes(), x.options());
	operators::rope(place(x), view(x), view(cos), view(sin), view(positions), interleaved, view(out));
	return out;
}

void implement(torch::Library &m) {
	m.impl("add", add);
	m.impl("sum", sum);
	m.impl("axpy", axpy);
	m.impl("softmax", softmax);
	m.impl("rms_norm", rms_norm);
	m.impl("rope", rope);
}

TORCH_LIBRARY(nereid, m) {
	m.def("add(Tensor x, Tensor y) -> Tensor");
	m.def("sum(Tensor x, int[1]? dim=None, bool keepdim=False) -> Tensor");
	m.def("axpy(Tensor x, Tensor? y, Scalar? a) -> Tensor");
	m.def("softmax(Tensor x, int dim) -> Tensor");
	m.def("rms_norm(Tensor x, Tensor? weight, float eps) -> Tensor");
	m.def("rope(Tensor x, Tensor cos, Tensor sin, Tensor? positions, bool interleaved) -> Tensor");
}
TORCH_LIBRARY_IMPL(nereid, CPU, m) { implement(m); }
TORCH_LIBRARY_IMPL(nereid, CUDA, m) { implement(m); }

} // namespace
