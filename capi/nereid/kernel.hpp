// nereid/kernel.hpp: modules, kernels, and frozen specializations. Include nereid.hpp.
#ifndef NEREID_KERNEL_HPP
#define NEREID_KERNEL_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "args.hpp"

namespace nereid {

// Options are those of a compilation; zeros mean Triton's defaults.
struct Options : nereid_options {
	Options() : nereid_options{} { size = sizeof(nereid_options); }
	Options(int warps, int stages) : Options() {
		num_warps = warps;
		num_stages = stages;
	}
};

// Meta gives a grid function the arguments of the launch by name.
class Meta {
  public:
	explicit Meta(const nereid_meta *m) : m_(m) {}
	// at returns an integer argument, also one that @triton.autotune or @triton.heuristics chose.
	int64_t at(const char *name) const {
		int64_t v = 0;
		if (!nereid_meta_int(m_, name, &v)) {
			throw Error(NEREID_ERR_ARGUMENT, std::string("the launch has no integer argument ") + name);
		}
		return v;
	}

  private:
	const nereid_meta *m_;
};

// Grid is the number of programs in each dimension, or a function that computes it.
struct Grid {
	Grid(int64_t x_, int64_t y_ = 1, int64_t z_ = 1) : x(size(x_)), y(size(y_)), z(size(z_)) {}
	template <class F, class = std::enable_if_t<std::is_invocable_r_v<Grid, F, const Meta &>>>
	Grid(F f) : fn(std::move(f)) {}

	uint32_t x = 1, y = 1, z = 1;
	std::function<Grid(const Meta &)> fn;

  private:
	static uint32_t size(int64_t n) {
		if (n >= 0 && n <= INT32_MAX) return static_cast<uint32_t>(n);
		throw Error(NEREID_ERR_ARGUMENT, "a grid of " + std::to_string(n) + " programs in one dimension");
	}
};

// Bound is a frozen specialization on a device: the quick call for a program that knows what it launches.
class Bound {
  public:
	explicit Bound(nereid_bound *taken) : handle_(taken) {
		types_.resize(nereid_bound_params(taken));
		for (size_t i = 0; i < types_.size(); i++) {
			const char *type = "";
			nereid_bound_param(taken, i, &type);
			nereid_dtype t = nereid_dtype_of(type + (type[0] == '*'));
			types_[i] = {type[0] == '*', t, 8 * nereid_dtype_size(t)};
		}
	}

	// launch takes the addresses of the parameters' values, as cuLaunchKernel does.
	void launch(CUstream_st *stream, uint32_t x, uint32_t y, uint32_t z, void *const *values) const {
		detail::Failure failure;
		failure.check(nereid_bound_launch(handle_.get(), stream, x, y, z, values, types_.size(), failure));
	}
	// A call takes the parameters that are not compiled in, as pointers, tensors and numbers. A number that
	// the parameter's type cannot hold is an error.
	template <class... A>
	void operator()(CUstream_st *stream, uint32_t x, uint32_t y, uint32_t z, const A &...args) const {
		if (sizeof...(A) != types_.size()) {
			throw Error(NEREID_ERR_ARGUMENT, "the bound kernel takes " + std::to_string(types_.size()) +
			                                     " arguments, not " + std::to_string(sizeof...(A)));
		}
		uint64_t words[sizeof...(A) + 1];
		void *values[sizeof...(A) + 1];
		size_t i = 0;
		detail::Arguments arguments;
		(
			[&] {
				words[i] = word(i, arguments.convert(args, false));
				values[i] = &words[i];
				i++;
			}(),
			...);
		launch(stream, x, y, z, values);
	}
	size_t params() const noexcept { return types_.size(); }

  private:
	struct Type {
		bool pointer;
		nereid_dtype dtype;
		size_t bits;
	};

	// word returns the bytes of an argument for parameter i.
	uint64_t word(size_t i, const nereid_arg &a) const {
		const Type &t = types_[i];
		bool is_float = a.dtype == NEREID_FLOAT32 || a.dtype == NEREID_FLOAT64;
		if (a.kind == NEREID_ARG_TENSOR && t.pointer) return nereid_tensor_address(a.value.tensor);
		if (a.kind == NEREID_ARG_PTR && t.pointer && (a.dtype == t.dtype || !a.value.p)) return a.value.u;
		if (a.kind == NEREID_ARG_BOOL && !t.pointer && t.dtype == NEREID_BOOL) return a.value.u;
		if (a.kind == NEREID_ARG_SCALAR && !t.pointer && is_float &&
		    (t.dtype == NEREID_FLOAT32 || t.dtype == NEREID_FLOAT64)) {
			uint64_t bits = 0;
			float single = static_cast<float>(a.value.f);
			if (t.dtype == NEREID_FLOAT64) std::memcpy(&bits, &a.value.f, sizeof(double));
			else std::memcpy(&bits, &single, sizeof(float));
			return bits;
		}
		if (a.kind == NEREID_ARG_SCALAR && !t.pointer && !is_float && fits(a, t)) return a.value.u;
		throw Error(NEREID_ERR_ARGUMENT, "argument " + std::to_string(i + 1) + " of the bound kernel is a " +
		                                     (t.pointer ? "*" : "") + nereid_dtype_name(t.dtype) +
		                                     ", which the value given cannot be");
	}
	static bool fits(const nereid_arg &a, const Type &to) {
		if (to.dtype < NEREID_INT8 || to.dtype > NEREID_UINT64) return false;
		bool from_unsigned = a.dtype >= NEREID_UINT8, to_unsigned = to.dtype >= NEREID_UINT8;
		size_t bits = to.bits - (to_unsigned ? 0 : 1);
		if (!from_unsigned && a.value.i < 0) return !to_unsigned && a.value.i >= -(int64_t(1) << (bits - 1)) * 2;
		return bits == 64 || a.value.u >> bits == 0;
	}

	detail::Handle<nereid_bound, nereid_bound_close> handle_;
	std::vector<Type> types_;
};

// Kernel is a jit function of a module.
class Kernel {
  public:
	explicit Kernel(nereid_kernel *taken) : handle_(taken) {
		params_.resize(nereid_kernel_params(taken));
		for (size_t i = 0; i < params_.size(); i++) {
			params_[i].name = nereid_kernel_param(taken, i, &params_[i].flags);
		}
	}
	nereid_kernel *get() const noexcept { return handle_.get(); }

	struct Param {
		std::string name;
		uint32_t flags = 0; // NEREID_PARAM_CONSTEXPR and so on
	};
	const std::vector<Param> &params() const noexcept { return params_; }

	// launch runs the kernel: on a GPU it returns when the work is queued, elsewhere when it is done.
	template <class... A>
	void launch(const Place &place, const Grid &grid, const Options &options, const A &...args) const {
		with(place, [&](nereid_device *d, const nereid_arg *list, size_t n) {
			GridCall call{grid.fn, nullptr};
			nereid_grid g = nereid_grid_of(grid.x, grid.y, grid.z);
			if (grid.fn) g = nereid_grid_by(GridCall::run, &call);
			detail::Failure failure;
			nereid_status s = nereid_launch_on(get(), d, place.stream, g, list, n, &options, failure);
			if (call.thrown) {
				nereid_error_free(failure.error);
				std::rethrow_exception(call.thrown);
			}
			failure.check(s);
		}, args...);
	}

	// bind freezes the specialization of arguments.
	template <class... A> Bound bind(const Place &place, const Options &options, const A &...args) const {
		nereid_bound *out = nullptr;
		with(place, [&](nereid_device *d, const nereid_arg *list, size_t n) {
			detail::Failure failure;
			failure.check(nereid_bind(get(), d, list, n, &options, &out, failure));
		}, args...);
		return Bound(out);
	}
	// bind_signature freezes the specialization of a signature: "*fp32:16, *fp32:16, i32, 1024".
	Bound bind_signature(const Device &d, const Options &options, const std::string &signature) const {
		return Bound(
			detail::make<nereid_bound>(nereid_bind_signature, get(), d.get(), signature.c_str(), &options));
	}

	// signature returns the signature of the specialization that a launch with these arguments runs.
	template <class... A> std::string signature(const A &...args) const {
		char *out = nullptr;
		detail::Arguments arguments;
		nereid_arg list[sizeof...(A) + 1];
		size_t n = convert(arguments, list, args...);
		detail::Failure failure;
		failure.check(nereid_kernel_signature(get(), list, n, &out, failure));
		return detail::text(out);
	}

  private:
	// GridCall carries a grid function, and an exception of its, through the C library.
	struct GridCall {
		const std::function<Grid(const Meta &)> &fn;
		std::exception_ptr thrown;
		static int run(void *user, const nereid_meta *m, uint32_t out[3]) noexcept {
			auto *call = static_cast<GridCall *>(user);
			try {
				Grid g = call->fn(Meta(m));
				out[0] = g.x, out[1] = g.y, out[2] = g.z;
				return 0;
			} catch (...) {
				call->thrown = std::current_exception();
				return 1;
			}
		}
	};

	// with converts the arguments and calls f(device, arguments, count).
	template <class F, class... A> void with(const Place &place, F f, const A &...args) const {
		bool copied = place.device && !place.device->host();
		detail::Arguments arguments(copied ? NEREID_ARG_HOST : NEREID_ARG_PTR);
		nereid_arg list[sizeof...(A) + 1];
		size_t n = convert(arguments, list, args...);
		const Device *d = place.device;
		if (!d && arguments.device() != TensorRef::anywhere) d = &detail::Devices::all().of(arguments.device());
		f((d ? *d : default_device()).get(), list, n);
	}

	// convert fills list and returns the number of arguments.
	template <class... A> size_t convert(detail::Arguments &to, nereid_arg *list, const A &...args) const {
		size_t n = 0;
		((list[n] = to.convert(args, constant(n, args)), n++), ...);
		return n;
	}

	// constant reports whether the parameter of argument i is a constexpr.
	template <class T> bool constant(size_t i, const T &v) const {
		if constexpr (detail::IsNamed<T>::value) {
			for (i = 0; i < params_.size() && params_[i].name != v.name;) i++;
		}
		return i < params_.size() && (params_[i].flags & NEREID_PARAM_CONSTEXPR) != 0;
	}

	detail::Handle<nereid_kernel, nereid_kernel_close> handle_;
	std::vector<Param> params_;
};

// Module is a file of kernels. Kernels stay valid without it.
class Module {
  public:
	explicit Module(const std::string &path, nereid_config *config = nullptr)
		: handle_(detail::make<nereid_module>(nereid_module_load, path.c_str(), config)) {}
	// parse reads text; name appears in messages.
	static Module parse(const std::string &name, const std::string &text, nereid_config *config = nullptr) {
		return Module(
			detail::make<nereid_module>(nereid_module_parse, name.c_str(), text.data(), text.size(), config));
	}
	Kernel kernel(const std::string &name) const {
		return Kernel(detail::make<nereid_kernel>(nereid_module_kernel, handle_.get(), name.c_str()));
	}
	nereid_module *get() const noexcept { return handle_.get(); }

  private:
	explicit Module(nereid_module *taken) : handle_(taken) {}
	detail::Handle<nereid_module, nereid_module_close> handle_;
};

} // namespace nereid

#endif // NEREID_KERNEL_HPP
