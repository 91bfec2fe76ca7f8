// nereid/function.hpp: libtriton_jit's interface. Include nereid.hpp.
#ifndef NEREID_FUNCTION_HPP
#define NEREID_FUNCTION_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernel.hpp"

namespace nereid {

// ArgType is how a parameter's argument reaches the kernel.
enum struct ArgType : int8_t {
	NON_CONSTEXPR = 0, // as a value (do_not_specialize)
	SPECIALIZED = 1,   // as a value, whose divisibility by 16 and equality to 1 are compiled in
	CONSTEXPR = 2,     // compiled in
};

// StaticSignature is what a kernel's source says about its parameters.
struct StaticSignature {
	int num_args;
	std::vector<ArgType> arg_type;
	const ArgType &at(size_t i) const { return arg_type.at(i); }
};

// ParameterBuffer holds the values of a launch with raw arguments.
class ParameterBuffer {
  public:
	void reserve(size_t n) { values_.reserve(n); }
	size_t size() const noexcept { return values_.size(); }
	template <class T> void push_arg(const T &v) {
		static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(uint64_t),
		              "nereid: a parameter of a kernel is a number or a pointer");
		std::memcpy(&values_.emplace_back(0), &v, sizeof(T));
	}
	// get_ptrs returns the addresses of the values, which the next push_arg may move.
	std::vector<void *> get_ptrs() {
		std::vector<void *> ptrs;
		for (uint64_t &v : values_) ptrs.push_back(&v);
		return ptrs;
	}

  private:
	std::vector<uint64_t> values_;
};

// ArgHandle appends arguments to a buffer of values and a list of the parts of a signature, a std::vector or
// a c10::SmallVector of strings. idx is the parameter that is next.
template <class Strings> struct ArgHandle {
	const StaticSignature &ssig;
	ParameterBuffer &buf;
	Strings &signature;
	int idx;

	template <class... A> void handle_args(const A &...args) { (handle_arg(args), ...); }
	template <class T> void handle_arg(const T &v) {
		ArgType type = ssig.at(static_cast<size_t>(idx++));
		nereid_arg a = detail::Arguments().convert(v, type == ArgType::CONSTEXPR);
		signature.push_back(type == ArgType::CONSTEXPR ? literal(a) : value(a, type == ArgType::SPECIALIZED));
	}
	// append_global_scratch does nothing: the library adds what its code needs. libtriton_jit's callers append
	// scratch pointers to their arguments.
	void append_global_scratch() {}

  private:
	static const char *spec(uint64_t v) { return v % 16 == 0 ? ":16" : v == 1 ? ":1" : ""; }

	std::string value(const nereid_arg &a, bool specialized) {
		std::string name = nereid_dtype_name(static_cast<nereid_dtype>(a.dtype));
		switch (a.kind) {
		case NEREID_ARG_NONE: return "nullopt";
		case NEREID_ARG_BOOL: buf.push_arg(a.value.i != 0); return "i1";
		case NEREID_ARG_PTR:
			buf.push_arg(a.value.p);
			return "*" + name + (specialized && a.value.u % 16 == 0 ? ":16" : "");
		case NEREID_ARG_SCALAR: break;
		default: throw Error(NEREID_ERR_ARGUMENT, "argument " + std::to_string(idx) + " has no raw form");
		}
		if (a.dtype == NEREID_FLOAT32) buf.push_arg(static_cast<float>(a.value.f));
		else if (a.dtype == NEREID_FLOAT64) buf.push_arg(a.value.f);
		else {
			const char *s = specialized ? spec(a.value.u) : "";
			if (std::strcmp(s, ":1") != 0) buf.push_arg(a.value.u);
			name += s;
		}
		return name;
	}
	std::string literal(const nereid_arg &a) const {
		char number[40];
		switch (a.kind) {
		case NEREID_ARG_NONE: return "nullopt";
		case NEREID_ARG_BOOL: return a.value.i ? "true" : "false";
		case NEREID_ARG_INT: return std::to_string(a.value.i);
		case NEREID_ARG_SCALAR: return std::to_string(a.value.u); // an unsigned number beyond int64
		case NEREID_ARG_DTYPE: return nereid_dtype_name(static_cast<nereid_dtype>(a.dtype));
		case NEREID_ARG_FLOAT:
			std::snprintf(number, sizeof number, "%.17g", a.value.f);
			return std::strpbrk(number, ".einn") ? number : std::string(number) + ".0";
		default: throw Error(NEREID_ERR_ARGUMENT, "argument " + std::to_string(idx) + " is no raw constexpr");
		}
	}
};
template <class Strings>
ArgHandle(const StaticSignature &, ParameterBuffer &, Strings &, int) -> ArgHandle<Strings>;

// join_sig returns the parts of a signature as one.
template <class Strings> std::string join_sig(const Strings &parts) {
	std::string all;
	for (const auto &part : parts) all += (all.empty() ? "" : ",") + std::string(part);
	return all;
}

// TritonJITFunction is a jit function of a file, compiled for the arguments of each call when it is first
// called with such. There is one for each file and name in a process.
class TritonJITFunction {
  public:
	// get_instance returns the function of a file. A relative path that was used before means the same file as
	// then, also if the working directory has changed.
	static TritonJITFunction &get_instance(std::string_view path, std::string_view name) {
		Functions &all = functions();
		std::pair<std::string_view, std::string_view> key(path, name);
		{
			std::shared_lock lock(all.mutex);
			if (auto it = all.by_name.find(key); it != all.by_name.end()) return *it->second;
		}
		std::string full = std::filesystem::weakly_canonical(std::filesystem::path(path)).string();
		std::unique_lock lock(all.mutex);
		auto &slot = all.of_file[{full, std::string(name)}];
		if (!slot) slot.reset(new TritonJITFunction(all.module(full, path), name));
		all.by_name.try_emplace({std::string(path), std::string(name)}, slot.get());
		return *slot;
	}
	TritonJITFunction(const TritonJITFunction &) = delete;
	TritonJITFunction &operator=(const TritonJITFunction &) = delete;

	const Kernel &kernel() const noexcept { return kernel_; }
	const StaticSignature &get_static_sig() const noexcept { return static_sig_; }

	// A call launches grid_x × grid_y × grid_z programs.
	template <class... A>
	void operator()(const Place &place, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned num_warps,
	                unsigned num_stages, const A &...args) const {
		kernel_.launch(place, Grid(grid_x, grid_y, grid_z),
		               Options(static_cast<int>(num_warps), static_cast<int>(num_stages)), args...);
	}

	// launch_with_raw_args launches the specialization of a signature with the addresses of the values of
	// those parameters that are not compiled in. Further addresses are ignored.
	void launch_with_raw_args(const Place &place, unsigned grid_x, unsigned grid_y, unsigned grid_z,
	                          unsigned num_warps, unsigned num_stages, const std::string &full_signature,
	                          void **args, size_t num_args = 0) const {
		const Device &device = place.device ? *place.device : default_device();
		const Bound &bound = this->bound(device, num_warps, num_stages, full_signature);
		if (num_args && num_args < bound.params()) {
			throw Error(NEREID_ERR_ARGUMENT, "the signature " + full_signature + " has " +
			                                     std::to_string(bound.params()) + " values, but " +
			                                     std::to_string(num_args) + " are given");
		}
		bound.launch(place.stream, grid_x, grid_y, grid_z, args);
	}

  private:
	using Key = std::pair<std::string, std::string>;
	struct KeyLess {
		using is_transparent = void;
		using View = std::pair<std::string_view, std::string_view>;
		static View view(const Key &k) { return {k.first, k.second}; }
		static View view(const View &k) { return k; }
		template <class A, class B> bool operator()(const A &a, const B &b) const { return view(a) < view(b); }
	};
	// Functions are all functions. They live until the process ends, as Devices do.
	struct Functions {
		std::shared_mutex mutex;
		std::map<Key, TritonJITFunction *, KeyLess> by_name; // by the path as it was given
		std::map<Key, std::unique_ptr<TritonJITFunction>> of_file;
		std::map<std::string, Module> modules;

		const Module &module(const std::string &full, std::string_view path) {
			if (nereid_abi() != NEREID_ABI) {
				throw Error(NEREID_ERR_ARGUMENT, "libnereid has the interface " + std::to_string(nereid_abi()) +
				                                     ", but nereid.hpp was compiled for " +
				                                     std::to_string(NEREID_ABI));
			}
			if (auto it = modules.find(full); it != modules.end()) return it->second;
			return modules.try_emplace(full, std::string(path)).first->second;
		}
	};
	__attribute__((visibility("default"))) static Functions &functions() {
		static auto *all = new Functions;
		return *all;
	}

	TritonJITFunction(const Module &m, std::string_view name) : kernel_(m.kernel(std::string(name))) {
		for (const Kernel::Param &p : kernel_.params()) {
			static_sig_.arg_type.push_back(p.flags & NEREID_PARAM_CONSTEXPR       ? ArgType::CONSTEXPR
			                               : p.flags & NEREID_PARAM_NO_SPECIALIZE ? ArgType::NON_CONSTEXPR
			                                                                      : ArgType::SPECIALIZED);
		}
		static_sig_.num_args = static_cast<int>(kernel_.params().size());
	}

	const Bound &bound(const Device &d, unsigned warps, unsigned stages, const std::string &signature) const {
		auto key = std::make_tuple(d.get(), warps, stages, signature);
		{
			std::shared_lock lock(mutex_);
			if (auto it = bound_.find(key); it != bound_.end()) return it->second;
		}
		Options options(static_cast<int>(warps), static_cast<int>(stages));
		Bound made = kernel_.bind_signature(d, options, signature);
		std::unique_lock lock(mutex_);
		return bound_.try_emplace(std::move(key), std::move(made)).first->second;
	}

	Kernel kernel_;
	StaticSignature static_sig_;
	mutable std::shared_mutex mutex_;
	mutable std::map<std::tuple<nereid_device *, unsigned, unsigned, std::string>, Bound> bound_;
};

} // namespace nereid

#endif // NEREID_FUNCTION_HPP
