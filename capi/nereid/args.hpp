// nereid/args.hpp: values of C++ as arguments of a kernel. Include nereid.hpp.
#ifndef NEREID_ARGS_HPP
#define NEREID_ARGS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "device.hpp"

namespace nereid {

// Element is the element type of a pointer to T. Specialize it for a float class of your own:
//     template <> struct nereid::Element<my::half> { static constexpr nereid_dtype dtype = NEREID_FLOAT16; };
template <class T, class = void> struct Element { static constexpr nereid_dtype dtype = NEREID_INVALID; };
template <class T> struct Element<T, std::enable_if_t<std::is_integral_v<T>>> {
	static constexpr nereid_dtype signed_dtype = sizeof(T) == 1   ? NEREID_INT8
	                                             : sizeof(T) == 2 ? NEREID_INT16
	                                             : sizeof(T) == 4 ? NEREID_INT32
	                                                              : NEREID_INT64;
	static constexpr nereid_dtype dtype = std::is_same_v<T, bool> ? NEREID_BOOL
	                                      : std::is_signed_v<T>
	                                          ? signed_dtype
	                                          : nereid_dtype(signed_dtype + (NEREID_UINT8 - NEREID_INT8));
};
template <> struct Element<float> { static constexpr nereid_dtype dtype = NEREID_FLOAT32; };
template <> struct Element<double> { static constexpr nereid_dtype dtype = NEREID_FLOAT64; };

// Adaptor makes tensors of class T arguments. Specialize it with
//     static nereid::TensorRef ref(const T &t);
// Classes with the methods of at::Tensor need no specialization.
template <class T, class = void> struct Adaptor;

// Named is an argument for the parameter of a name.
template <class T> struct Named {
	const char *name;
	const T &value;
};
template <class T> Named<T> arg(const char *name, const T &value) { return {name, value}; }

// Constant is a value that is compiled in although its parameter is no constexpr.
template <class T> struct Constant {
	const T &value;
};
template <class T> Constant<T> constant(const T &value) { return {value}; }

// memory returns count elements behind a pointer as an argument: on the CPU, a known size makes faster code.
template <class T> TensorRef memory(T *data, size_t count) {
	using U = std::remove_cv_t<T>;
	static_assert(Element<U>::dtype != NEREID_INVALID, "nereid: specialize nereid::Element for this type");
	return {const_cast<U *>(data), Element<U>::dtype, count * sizeof(T), TensorRef::anywhere, nullptr};
}

namespace detail {

template <class T> struct IsOptional : std::false_type {};
template <class T> struct IsOptional<std::optional<T>> : std::true_type {};
template <class T> struct IsNamed : std::false_type {};
template <class T> struct IsNamed<Named<T>> : std::true_type {};
template <class T> struct IsConstant : std::false_type {};
template <class T> struct IsConstant<Constant<T>> : std::true_type {};
template <class T> struct IsSequence : std::false_type {};
template <class T, class A> struct IsSequence<std::vector<T, A>> : std::true_type {};
template <class T, size_t N> struct IsSequence<std::array<T, N>> : std::true_type {};
template <class T> struct IsVariant : std::false_type {};
template <class... T> struct IsVariant<std::variant<T...>> : std::true_type {};
template <class T> struct IsTuple : std::false_type {};
template <class... T> struct IsTuple<std::tuple<T...>> : std::true_type {};

template <class T, class = void> struct HasAdaptor : std::false_type {};
template <class T>
struct HasAdaptor<T, std::void_t<decltype(Adaptor<T>::ref(std::declval<const T &>()))>> : std::true_type {};

// IsTorchTensor and IsTorchScalar recognize at::Tensor and c10::Scalar by their methods, so that this file
// needs no header of PyTorch.
template <class T> using TorchTensor = decltype(
	std::declval<const T &>().data_ptr(), std::declval<const T &>().scalar_type(),
	std::declval<const T &>().storage_offset());
template <class T> using TorchScalar = decltype(
	std::declval<const T &>().isFloatingPoint(), std::declval<const T &>().toDouble());
template <class T, class = void> struct IsTorchTensor : std::false_type {};
template <class T> struct IsTorchTensor<T, std::void_t<TorchTensor<T>>> : std::true_type {};
template <class T, class = void> struct IsTorchScalar : std::false_type {};
template <class T> struct IsTorchScalar<T, std::void_t<TorchScalar<T>>> : std::true_type {};

template <class T> inline constexpr bool never = false;

// torch_dtype returns the type of a c10::ScalarType S, whose values are named in PyTorch's headers alone.
template <class S> nereid_dtype torch_dtype(S s) {
	switch (s) {
	case S::Bool: return NEREID_BOOL;
	case S::Byte: return NEREID_UINT8;
	case S::Char: return NEREID_INT8;
	case S::Short: return NEREID_INT16;
	case S::Int: return NEREID_INT32;
	case S::Long: return NEREID_INT64;
	case S::UInt16: return NEREID_UINT16;
	case S::UInt32: return NEREID_UINT32;
	case S::UInt64: return NEREID_UINT64;
	case S::Half: return NEREID_FLOAT16;
	case S::BFloat16: return NEREID_BFLOAT16;
	case S::Float: return NEREID_FLOAT32;
	case S::Double: return NEREID_FLOAT64;
	case S::Float8_e4m3fn: return NEREID_FLOAT8E4NV;
	case S::Float8_e5m2: return NEREID_FLOAT8E5;
	case S::Float8_e4m3fnuz: return NEREID_FLOAT8E4B8;
	case S::Float8_e5m2fnuz: return NEREID_FLOAT8E5B16;
	default:
		throw Error(NEREID_ERR_ARGUMENT, "a tensor has an element type of PyTorch's (number " +
		                                     std::to_string(static_cast<int>(s)) + ") that Triton does not have");
	}
}

// torch_ref returns the memory of a tensor: from its first element to the end of its storage.
template <class T> TensorRef torch_ref(const T &t) {
	size_t before = static_cast<size_t>(t.storage_offset()) * static_cast<size_t>(t.element_size());
	return {const_cast<void *>(static_cast<const void *>(t.data_ptr())), torch_dtype(t.scalar_type()),
	        static_cast<size_t>(t.storage().nbytes()) - before,
	        t.is_cuda() ? static_cast<int>(t.get_device()) : TensorRef::host, nullptr};
}

} // namespace detail

// ref returns the memory of a tensor: an at::Tensor, or of a class that has an Adaptor.
template <class T> TensorRef ref(const T &t) {
	if constexpr (detail::HasAdaptor<T>::value) return Adaptor<T>::ref(t);
	else return detail::torch_ref(t);
}

namespace detail {

// Arguments converts the arguments of one call. Its room for tuples is empty unless there are some.
class Arguments {
  public:
	// host_kind is the kind of host memory: NEREID_ARG_PTR, or NEREID_ARG_HOST if it is copied to the device.
	explicit Arguments(nereid_kind host_kind = NEREID_ARG_PTR) : host_kind_(host_kind) {}

	// device returns the device of the tensors, as TensorRef::device.
	int device() const noexcept { return device_; }

	// convert returns v as an argument for a parameter that is a constexpr or not.
	template <class V> nereid_arg convert(const V &v, bool constant) {
		using T = std::decay_t<V>;
		if constexpr (IsOptional<T>::value) {
			return v ? convert(*v, constant) : nereid_none();
		} else if constexpr (std::is_same_v<T, std::nullopt_t>) {
			return nereid_none();
		} else if constexpr (IsVariant<T>::value) {
			return std::visit([&](const auto &x) { return convert(x, constant); }, v);
		} else if constexpr (std::is_same_v<T, nereid_arg>) {
			return v;
		} else if constexpr (IsNamed<T>::value) {
			return nereid_named(v.name, convert(v.value, constant));
		} else if constexpr (IsConstant<T>::value) {
			return nereid_const(convert(v.value, true));
		} else if constexpr (std::is_same_v<T, nereid_dtype>) {
			return nereid_type(v);
		} else if constexpr (std::is_same_v<T, std::string>) {
			return nereid_string(v.c_str());
		} else if constexpr (std::is_arithmetic_v<T>) {
			return number(v, constant);
		} else if constexpr (std::is_pointer_v<T> || std::is_same_v<T, std::nullptr_t>) {
			return pointer(v);
		} else if constexpr (IsSequence<T>::value || IsTuple<T>::value) {
			return tuple(v, constant);
		} else {
			return object(v, constant);
		}
	}

  private:
	template <class T> static nereid_arg number(T v, bool constant) {
		if constexpr (std::is_same_v<T, bool>) {
			return nereid_bool(v);
		} else if constexpr (std::is_floating_point_v<T>) {
			static_assert(sizeof(T) <= sizeof(double), "nereid: long double is no type of Triton's");
			if (constant) return nereid_float(static_cast<double>(v));
			nereid_arg a = nereid_arg_of(NEREID_ARG_SCALAR, Element<T>::dtype);
			a.value.f = static_cast<double>(v);
			return a;
		} else {
			// An unsigned number beyond int64 keeps its type, as a constexpr too.
			if (constant && (std::is_signed_v<T> || v <= static_cast<T>(INT64_MAX))) {
				return nereid_int(static_cast<int64_t>(v));
			}
			nereid_arg a = nereid_arg_of(NEREID_ARG_SCALAR, Element<T>::dtype);
			a.value.u = static_cast<uint64_t>(v); // sign-extended: value.i is v
			return a;
		}
	}

	template <class T> static nereid_arg pointer(T v) {
		using U = std::remove_cv_t<std::remove_pointer_t<T>>;
		if constexpr (std::is_same_v<T, std::nullptr_t>) {
			return nereid_ptr(NEREID_INT8, nullptr, 0);
		} else if constexpr (std::is_same_v<U, char>) {
			return nereid_string(v);
		} else {
			static_assert(!std::is_void_v<U>,
			              "nereid: a void pointer has no element type: pass a typed one, or a nereid::TensorRef");
			static_assert(std::is_void_v<U> || Element<U>::dtype != NEREID_INVALID,
			              "nereid: specialize nereid::Element for the type that this pointer points to");
			return nereid_ptr(Element<U>::dtype, v, 0);
		}
	}

	template <class T> nereid_arg object(const T &v, bool constant) {
		if constexpr (std::is_same_v<T, TensorRef>) {
			return tensor(v);
		} else if constexpr (std::is_same_v<T, Tensor>) {
			return tensor(v.ref());
		} else if constexpr (HasAdaptor<T>::value || IsTorchTensor<T>::value) {
			return tensor(ref(v));
		} else if constexpr (IsTorchScalar<T>::value) {
			if (v.isBoolean()) return number(v.toBool(), constant);
			if (v.isFloatingPoint()) return number(v.toDouble(), constant);
			if (v.isIntegral(false)) return number(static_cast<int64_t>(v.toLong()), constant);
			throw Error(NEREID_ERR_ARGUMENT, "a c10::Scalar that is no bool, integer or float is no argument");
		} else {
			static_assert(never<T>, "nereid: this type is no argument of a kernel: see ARGUMENTS in nereid.hpp");
		}
	}

	nereid_arg tensor(const TensorRef &r) {
		if (r.tensor) return nereid_tensor_arg(r.tensor);
		if (r.device != TensorRef::anywhere) {
			if (device_ != TensorRef::anywhere && device_ != r.device) {
				throw Error(NEREID_ERR_ARGUMENT, "tensors of one launch are on " + where(device_) + " and on " +
				                                     where(r.device) + ": copy them to one device");
			}
			device_ = r.device;
		}
		nereid_arg a = nereid_ptr(r.dtype, r.data, r.bytes);
		if (r.device == TensorRef::host) a.kind = static_cast<uint8_t>(host_kind_);
		return a;
	}
	static std::string where(int device) {
		return device == TensorRef::host ? "the host" : "cuda:" + std::to_string(device);
	}

	template <class T> nereid_arg tuple(const T &v, bool constant) {
		std::vector<nereid_arg> items;
		if constexpr (IsTuple<T>::value) {
			std::apply([&](const auto &...x) { (items.push_back(convert(x, constant)), ...); }, v);
		} else {
			for (const auto &x : v) items.push_back(convert(x, constant));
		}
		auto &kept = tuples_.emplace_front(std::move(items));
		return nereid_tuple(kept.data(), static_cast<uint32_t>(kept.size()));
	}

	nereid_kind host_kind_;
	int device_ = TensorRef::anywhere;
	std::forward_list<std::vector<nereid_arg>> tuples_;
};

} // namespace detail

} // namespace nereid

#endif // NEREID_ARGS_HPP
