// nereid/device.hpp: errors, devices, memory, and places of launches. Include nereid.hpp.
#ifndef NEREID_DEVICE_HPP
#define NEREID_DEVICE_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../nereid.h"

struct CUstream_st; // of cuda.h: a CUstream and a cudaStream_t are pointers to it

namespace nereid {

// Error is a failure with its text, and with the place in the kernel's file that it is about.
class Error : public std::runtime_error {
  public:
	Error(nereid_status status, const std::string &text) : std::runtime_error(text), status_(status) {}
	// Error takes over e.
	explicit Error(nereid_error *e)
		: std::runtime_error(nereid_error_text(e)), status_(nereid_error_status(e)), error_(e, nereid_error_free) {}

	nereid_status status() const noexcept { return status_; }
	// file, kernel and parameter are "", and line and column 0, if the error is about none.
	const char *file() const noexcept { return error_ ? nereid_error_file(error_.get()) : ""; }
	int line() const noexcept { return error_ ? nereid_error_line(error_.get()) : 0; }
	int column() const noexcept { return error_ ? nereid_error_column(error_.get()) : 0; }
	const char *kernel() const noexcept { return error_ ? nereid_error_kernel(error_.get()) : ""; }
	const char *parameter() const noexcept { return error_ ? nereid_error_param(error_.get()) : ""; }

	// diagnostics returns all messages about the source. Their strings live as long as a copy of the error.
	std::vector<nereid_diagnostic> diagnostics() const {
		std::vector<nereid_diagnostic> all(error_ ? nereid_error_diagnostics(error_.get()) : 0);
		for (size_t i = 0; i < all.size(); i++) nereid_error_diagnostic(error_.get(), i, &all[i]);
		return all;
	}

  private:
	nereid_status status_;
	std::shared_ptr<nereid_error> error_;
};

namespace detail {

// Failure receives the error of a C function and throws it.
struct Failure {
	nereid_error *error = nullptr;
	operator nereid_error **() { return &error; }
	void check(nereid_status s) const {
		if (s == NEREID_OK) return;
		if (error) throw Error(error);
		throw Error(s, nereid_status_name(s));
	}
};

// make calls a C function that writes a handle and may fail.
template <class T, class F, class... A> T *make(F f, A... args) {
	T *out = nullptr;
	Failure failure;
	failure.check(f(args..., &out, failure));
	return out;
}

template <class T, void (*Close)(T *)> struct Closer {
	void operator()(T *p) const noexcept { Close(p); }
};
template <class T, void (*Close)(T *)> using Handle = std::unique_ptr<T, Closer<T, Close>>;

// text takes over a string that the library returned.
inline std::string text(char *s) {
	std::unique_ptr<char, Closer<void, nereid_free>> owner(s);
	return s ? std::string(s) : std::string();
}

} // namespace detail

// Device is a GPU, the CPU, or the interpreter.
class Device {
  public:
	// Device opens "cuda:1", "cpu", "interp"; "" means NEREID_DEVICE, or else the best of this machine.
	explicit Device(const std::string &name = "")
		: Device(detail::make<nereid_device>(nereid_device_open, name.c_str())) {}
	explicit Device(nereid_device *taken) : handle_(taken), name_(detail::text(nereid_device_name(taken))) {}
	// from_context returns the GPU of a CUcontext that the caller keeps.
	static Device from_context(void *context) {
		return Device(detail::make<nereid_device>(nereid_device_from_context, context));
	}

	nereid_device *get() const noexcept { return handle_.get(); }
	const std::string &name() const noexcept { return name_; }
	// host reports whether kernels of the device access host memory directly.
	bool host() const noexcept { return name_ == "cpu" || name_ == "interp"; }

  private:
	detail::Handle<nereid_device, nereid_device_close> handle_;
	std::string name_;
};

// TensorRef is memory with a type: an argument, and what an Adaptor makes of a tensor class.
struct TensorRef {
	static constexpr int host = -1, anywhere = -2; // values of device, which is else the number of a GPU
	void *data;
	nereid_dtype dtype;
	size_t bytes = 0; // behind data; 0 means unknown, which makes the CPU's code slower
	int device = anywhere;
	nereid_tensor *tensor = nullptr; // if it is one; then the other fields only describe it
};

// Tensor is zeroed memory on a device, for programs that have no allocator of their own.
class Tensor {
  public:
	Tensor(const Device &device, nereid_dtype dtype, const std::vector<int64_t> &shape)
		: dtype_(dtype), bytes_(nereid_dtype_size(dtype)) {
		for (int64_t n : shape) bytes_ *= static_cast<size_t>(n);
		handle_.reset(
			detail::make<nereid_tensor>(nereid_tensor_new, device.get(), dtype, shape.data(), shape.size()));
	}
	nereid_tensor *get() const noexcept { return handle_.get(); }
	size_t bytes() const noexcept { return bytes_; }
	void *address() const noexcept { return reinterpret_cast<void *>(nereid_tensor_address(get())); }
	TensorRef ref() const noexcept { return {address(), dtype_, bytes_, TensorRef::anywhere, get()}; }
	void write(const void *from, size_t bytes) {
		detail::Failure failure;
		failure.check(nereid_tensor_write(get(), from, bytes, failure));
	}
	// read waits for the launches that write the tensor.
	void read(void *into, size_t bytes) const {
		detail::Failure failure;
		failure.check(nereid_tensor_read(get(), into, bytes, failure));
	}

  private:
	detail::Handle<nereid_tensor, nereid_tensor_close> handle_;
	nereid_dtype dtype_;
	size_t bytes_;
};

// Place is where a launch runs: a device, a stream of the caller's on it, or both.
struct Place {
	template <class S, class = std::enable_if_t<std::is_convertible_v<S, CUstream_st *>>>
	Place(const S &s) : stream(static_cast<CUstream_st *>(s)) {}
	Place(std::nullptr_t) {}
	Place(const Device &d, CUstream_st *s = nullptr) : device(&d), stream(s) {}

	const Device *device = nullptr; // nullptr: that of the arguments, or else the current one
	CUstream_st *stream = nullptr;
};

namespace detail {

// Devices are the devices that launches without a Device go to. They stay open until the process ends, so
// that threads may launch while static objects are destroyed.
struct Devices {
	std::shared_mutex mutex;
	std::map<std::string, std::unique_ptr<Device>, std::less<>> open;
	std::map<void *, std::unique_ptr<Device>> contexts;
	const Device *chosen = nullptr; // by set_default_device

	__attribute__((visibility("default"))) static Devices &all() {
		static auto *devices = new Devices;
		return *devices;
	}
	const Device &named(std::string_view name) {
		{
			std::shared_lock lock(mutex);
			if (auto it = open.find(name); it != open.end()) return *it->second;
		}
		auto device = std::make_unique<Device>(std::string(name));
		std::unique_lock lock(mutex);
		return *open.try_emplace(std::string(name), std::move(device)).first->second;
	}
	// current returns the device of the calling thread's CUDA context, or nullptr if it has none.
	const Device *current() {
		using GetCurrent = int (*)(void **);
		static std::atomic<GetCurrent> get{nullptr};
		if (!get) { // the driver is not opened for this: without it in the process there is no context
			const char *path = std::getenv("NEREID_CUDA"); // which the library opens
			void *driver = dlopen(path && *path ? path : "libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
			if (!driver) return nullptr;
			get = reinterpret_cast<GetCurrent>(dlsym(driver, "cuCtxGetCurrent"));
		}
		thread_local void *last = nullptr;
		thread_local const Device *its = nullptr;
		void *context = nullptr;
		if (get.load()(&context) != 0 || !context) return nullptr;
		if (context != last) its = &of_context(context), last = context;
		return its;
	}
	const Device &of_context(void *context) {
		std::unique_lock lock(mutex);
		std::unique_ptr<Device> &device = contexts[context];
		if (!device) device = std::make_unique<Device>(Device::from_context(context));
		return *device;
	}
	// of returns the device of a TensorRef: GPU i, or for host memory the CPU, unless NEREID_DEVICE=interp.
	const Device &of(int i) {
		static const char *env = std::getenv("NEREID_DEVICE");
		static const Device &host = named(env && std::string_view(env) == "interp" ? "interp" : "cpu");
		static std::array<std::atomic<const Device *>, 16> gpus{};
		if (i < 0) return host;
		if (static_cast<size_t>(i) >= gpus.size()) return named("cuda:" + std::to_string(i));
		const Device *d = gpus[static_cast<size_t>(i)].load(std::memory_order_acquire);
		if (!d) gpus[static_cast<size_t>(i)] = d = &named("cuda:" + std::to_string(i));
		return *d;
	}
};

} // namespace detail

// default_device returns the device for launches that name none and have no tensor that tells one: that of
// set_default_device, else that of the calling thread's CUDA context, else NEREID_DEVICE, else the best.
inline const Device &default_device() {
	auto &devices = detail::Devices::all();
	{
		std::shared_lock lock(devices.mutex);
		if (devices.chosen) return *devices.chosen;
	}
	const Device *current = devices.current();
	return current ? *current : devices.named("");
}

// set_default_device chooses that device, for all threads.
inline void set_default_device(const std::string &name) {
	auto &devices = detail::Devices::all();
	const Device &device = devices.named(name);
	std::unique_lock lock(devices.mutex);
	devices.chosen = &device;
}

} // namespace nereid

#endif // NEREID_DEVICE_HPP
