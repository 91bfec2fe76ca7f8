// nereid.hpp: Triton kernels from C++17, over the C library of nereid.h. Part of Nereid, under its licence.
//
//     auto &add = nereid::TritonJITFunction::get_instance("kernels/vector_add.py", "add_kernel");
//     add(stream, (n + 1023) / 1024, 1, 1, /*num_warps=*/4, /*num_stages=*/3, x, y, out, n, 1024);
//
// Programs written for libtriton_jit include this file instead of its headers: the names that they use stand
// in the namespace triton_jit too (NEREID_NO_TRITON_JIT leaves that namespace alone).
//
// ARGUMENTS of a call, in the order of the kernel's parameters:
//
//   float *, const int64_t *, …      a pointer to elements of that type; nullptr is a null pointer to int8
//   at::Tensor, and types like it    a pointer with the tensor's type; nereid::Adaptor adapts other classes
//   bool, int, int64_t, double, …    a number of that very type: int64_t is i64 and double is fp64
//   c10::Scalar, and types like it   a bool, i64 or fp64
//   std::optional, std::nullopt      the value, or None;  std::variant: the value that it has
//   std::string, const char *        a constexpr string;  nereid_dtype: a constexpr type such as tl.float16
//   std::tuple, std::array, vector   a tuple
//   nereid::arg("BLOCK", 1024)       an argument by name
//   nereid_arg                       anything that nereid.h can say
//
// Numbers for constexpr parameters are Python's numbers. Integers and pointers are specialized as in Triton:
// by divisibility by 16, and by being 1.
//
// PLACE of a launch, the first argument of a call: a CUstream (or nullptr), or nereid::Place with a device.
// Without a device, tensors tell where they are; without tensors it is nereid::default_device(), which is the
// device of the calling thread's CUDA context unless the program chooses another.
//
// ERRORS are exceptions of type nereid::Error. Everything may be used by several threads at once.
#ifndef NEREID_HPP
#define NEREID_HPP

#include "nereid/function.hpp"

#ifndef NEREID_NO_TRITON_JIT
typedef CUstream_st *CUstream; // as in cuda.h, which libtriton_jit includes
namespace triton_jit {
using nereid::ArgHandle;
using nereid::ArgType;
using nereid::join_sig;
using nereid::ParameterBuffer;
using nereid::StaticSignature;
using nereid::TritonJITFunction;
using DefaultStreamType = CUstream_st *;
} // namespace triton_jit
#endif

#endif // NEREID_HPP
