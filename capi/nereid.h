/*
 * nereid.h: Triton kernels from C. Part of Nereid, under its licence.
 *
 *     nereid_error *err = NULL;
 *     nereid_module *m; nereid_kernel *add; nereid_device *dev;
 *     nereid_device_open("", &dev, &err);
 *     nereid_module_load("kernels/vector_add.py", NULL, &m, &err);
 *     nereid_module_kernel(m, "add_kernel", &add, &err);
 *     nereid_arg args[] = {
 *         nereid_ptr(NEREID_FLOAT32, x, sizeof x), nereid_ptr(NEREID_FLOAT32, y, sizeof y),
 *         nereid_ptr(NEREID_FLOAT32, out, sizeof out), nereid_int(n), nereid_int(1024)};
 *     nereid_launch_on(add, dev, NULL, nereid_grid_of((n + 1023) / 1024, 1, 1), args, 5, NULL, &err);
 *
 * RULES
 *
 * Status   A function that can fail returns a nereid_status and, through its last parameter, a nereid_error
 *          that the caller frees. That parameter may be NULL. NEREID_OK leaves *err alone. Results are
 *          written on success only.
 * Handles  Every object is an opaque handle that the caller closes with the function named for it; closing
 *          NULL does nothing. A handle that is NULL, closed or of another type is NEREID_ERR_HANDLE, never a
 *          crash. A kernel keeps its module, a bound kernel its kernel: the order of closing is free.
 * Strings  Strings given to the library are UTF-8, end with a zero byte, and are copied if they are kept.
 *          A char * that the library returns belongs to the caller, who frees it with nereid_free. A
 *          const char * belongs to the object that it came from and lives as long.
 * Memory   Arguments, arrays, descriptors and texts are read during the call only. Memory that kernels
 *          access belongs to the caller and stays until the launch is done: on a GPU that is when the stream
 *          has reached it, elsewhere when the call returns.
 * Threads  Every function may be called by any thread at any time, also on the same object. Closing an object
 *          that another thread uses is safe: calls under way end as if it were open, later ones are
 *          NEREID_ERR_HANDLE. Callbacks run on the thread that made the call unless they say otherwise, may
 *          call the library, and must not unwind (no exceptions, no longjmp) through it.
 * Fork     A child of fork that does not exec gets NEREID_ERR_FORKED from every function that returns a
 *          status, and 0 or NULL from the others. Errors made before stay readable.
 * Context  On CUDA a device uses its primary context, as the CUDA runtime and PyTorch do, or one of the
 *          caller's (nereid_device_from_context). The calling thread's current context is the same after a
 *          call as before.
 *
 * LIBRARIES
 *
 * libnereid compiles and runs. libnereid_run is a fifth of its size and only runs compiled code: bundles of
 * `nereid aot` and what nereid_code_save saved. With NEREID_RUN defined, this header is that of
 * libnereid_run: it declares no functions that the library does not have.
 *
 * docs/C.md has more. All identifiers begin with nereid_ or NEREID_.
 */
#ifndef NEREID_H
#define NEREID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NEREID_ABI is the version of this interface. Structs grow at their end and enumerations get further values
 * within a version; anything else makes a new one. nereid_abi returns the library's. */
#define NEREID_ABI 1

int nereid_abi(void);
/* nereid_version returns the release and build of the library. It is a constant. */
const char *nereid_version(void);
/* nereid_free frees memory that the library returned as char * or void *. NULL is allowed. */
void nereid_free(void *p);

/* ---- Errors ------------------------------------------------------------------------------------------- */

typedef enum nereid_status {
	NEREID_OK = 0,
	NEREID_ERR_ARGUMENT = 1,     /* an argument of the call, or one that the kernel cannot take */
	NEREID_ERR_HANDLE = 2,       /* a handle is NULL, closed, or of another type */
	NEREID_ERR_IO = 3,           /* a file cannot be read or written */
	NEREID_ERR_COMPILE = 4,      /* the kernel's source is wrong: see nereid_error_diagnostic */
	NEREID_ERR_REFUSED = 5,      /* right, but the compiler or the device declines it: the text has a remedy */
	NEREID_ERR_BUDGET = 6,       /* a compilation exceeded its budget */
	NEREID_ERR_FAULT = 7,        /* the kernel's own action stopped the launch: out of bounds, an assertion */
	NEREID_ERR_CRASH = 8,        /* the process of an isolated launch died */
	NEREID_ERR_NO_DEVICE = 9,    /* this machine has no such device */
	NEREID_ERR_NO_LLVM = 10,     /* LLVM is needed and not installed */
	NEREID_ERR_NOT_COMPILED = 11, /* strict mode: the launch would have to compile or tune */
	NEREID_ERR_CAPTURING = 12,   /* the stream is being captured: the launch would have to compile or copy */
	NEREID_ERR_CANCELLED = 13,   /* nereid_stream_cancel, or a callback said so */
	NEREID_ERR_DEVICE = 14,      /* the device or its driver reports a failure */
	NEREID_ERR_FORKED = 15,      /* the process is a fork of the one that loaded the library */
	NEREID_ERR_INTERNAL = 16     /* a bug of the library; the text says what to report */
} nereid_status;

typedef struct nereid_error nereid_error;

/* nereid_diagnostic is a message about a place in a kernel's file. Strings are "" where there is none; lines
 * and columns count from 1, and are 0 where there is no place. */
typedef struct nereid_diagnostic {
	const char *severity; /* "error", "warning", "remark" */
	const char *code;     /* a stable identifier: "shape-mismatch" */
	const char *message;
	const char *hint;
	const char *file;
	int line, column, end_line, end_column;
} nereid_diagnostic;

nereid_status nereid_error_status(const nereid_error *e);
/* nereid_error_text returns the whole message; for a diagnostic with the line of the file and a caret. */
const char *nereid_error_text(const nereid_error *e);
/* The place in a kernel's file that the error is about: "" and 0 if it has none. */
const char *nereid_error_file(const nereid_error *e);
int nereid_error_line(const nereid_error *e);
int nereid_error_column(const nereid_error *e);
/* The kernel and the parameter that the error is about, or "". */
const char *nereid_error_kernel(const nereid_error *e);
const char *nereid_error_param(const nereid_error *e);
size_t nereid_error_diagnostics(const nereid_error *e);
/* nereid_error_diagnostic copies diagnostic i and reports whether there is one. Its strings are e's. */
bool nereid_error_diagnostic(const nereid_error *e, size_t i, nereid_diagnostic *out);
void nereid_error_free(nereid_error *e);
/* nereid_status_name returns "NEREID_ERR_COMPILE" and so on. It is a constant. */
const char *nereid_status_name(nereid_status s);

/* ---- Handles ------------------------------------------------------------------------------------------ */

typedef struct nereid_config nereid_config;
typedef struct nereid_device nereid_device;
typedef struct nereid_stream nereid_stream;
typedef struct nereid_tensor nereid_tensor;
typedef struct nereid_module nereid_module;
typedef struct nereid_kernel nereid_kernel;
typedef struct nereid_bound nereid_bound;
typedef struct nereid_bundle nereid_bundle;
typedef struct nereid_code nereid_code;

/* ---- Element types ------------------------------------------------------------------------------------ */

typedef enum nereid_dtype {
	NEREID_INVALID = 0,
	NEREID_BOOL = 1, /* a byte, 0 or 1 */
	NEREID_INT8 = 2,
	NEREID_INT16 = 3,
	NEREID_INT32 = 4,
	NEREID_INT64 = 5,
	NEREID_UINT8 = 6,
	NEREID_UINT16 = 7,
	NEREID_UINT32 = 8,
	NEREID_UINT64 = 9,
	NEREID_FLOAT16 = 10,
	NEREID_BFLOAT16 = 11,
	NEREID_FLOAT32 = 12,
	NEREID_FLOAT64 = 13,
	NEREID_FLOAT8E4NV = 14,
	NEREID_FLOAT8E5 = 15,
	NEREID_FLOAT8E4B8 = 16,
	NEREID_FLOAT8E5B16 = 17,
	NEREID_FLOAT8E4B15 = 18
} nereid_dtype;

/* nereid_dtype_of returns the type of a name, of signatures ("fp16"), triton.language or torch ("float16"),
 * or NEREID_INVALID. */
nereid_dtype nereid_dtype_of(const char *name);
/* nereid_dtype_name returns the name in signatures ("fp16"), a constant, or "". */
const char *nereid_dtype_name(nereid_dtype t);
/* nereid_dtype_size returns the bytes of an element, or 0. */
size_t nereid_dtype_size(nereid_dtype t);

/* ---- Arguments ---------------------------------------------------------------------------------------- */

typedef enum nereid_kind {
	NEREID_ARG_NONE = 0,   /* None */
	NEREID_ARG_BOOL = 1,   /* value.i, 0 or 1 */
	NEREID_ARG_INT = 2,    /* value.i, an int of Python's: i32 or i64 by its value */
	NEREID_ARG_FLOAT = 3,  /* value.f, a float of Python's: fp32 for the kernel, exact as a constexpr */
	NEREID_ARG_SCALAR = 4, /* a number of type dtype: value.i, value.u if unsigned, value.f for floats */
	NEREID_ARG_PTR = 5,    /* value.p, an address on the launch's device; host memory on "cpu" and "interp" */
	NEREID_ARG_HOST = 6,   /* value.p, host memory on any device: a GPU gets a copy, and writes it back */
	NEREID_ARG_TENSOR = 7, /* value.tensor */
	NEREID_ARG_STRING = 8, /* value.s, a constexpr */
	NEREID_ARG_DTYPE = 9,  /* dtype, a constexpr such as tl.float16 */
	NEREID_ARG_FUNC = 10,  /* value.s, a jit function as a constexpr: "name", or "file.py:name" */
	NEREID_ARG_TUPLE = 11, /* value.items, count of them; a named tuple if the items have names */
	NEREID_ARG_DESC = 12   /* value.desc, a tensor descriptor */
} nereid_kind;

/* Flags of an argument. */
#define NEREID_FLAG_CONST 1u /* the value is compiled in although its parameter is no constexpr */
#define NEREID_FLAG_APART 2u /* the caller vouches that the memory of a pointer overlaps no other argument */

typedef struct nereid_arg nereid_arg;
typedef struct nereid_descriptor nereid_descriptor;

/* nereid_arg is an argument of a launch. The functions below make one; unused fields are 0. */
struct nereid_arg {
	uint8_t kind;     /* nereid_kind */
	uint8_t dtype;    /* nereid_dtype of NEREID_ARG_SCALAR, _PTR, _HOST and _DTYPE */
	uint16_t flags;
	uint32_t count;   /* items of NEREID_ARG_TUPLE */
	const char *name; /* the parameter, or the field of a named tuple; NULL means by position */
	union {
		int64_t i;
		uint64_t u;
		double f;
		void *p;
		const char *s;
		nereid_tensor *tensor;
		const nereid_arg *items;
		const nereid_descriptor *desc;
	} value;
	/* size is the number of bytes behind a pointer. 0 means unknown, which NEREID_ARG_PTR allows on GPUs and
	 * the CPU. The CPU runs slower code for memory of unknown size, because it may overlap, unless
	 * NEREID_FLAG_APART is set; launches that check accesses, and the interpreter, need the size. */
	uint64_t size;
};

/* nereid_descriptor describes a tensor to a kernel that loads and stores blocks, like Triton's
 * TensorDescriptor. */
struct nereid_descriptor {
	nereid_arg base;        /* NEREID_ARG_PTR, _HOST or _TENSOR */
	uint32_t ndim;          /* length of the arrays */
	uint32_t nan;           /* not 0: loads outside the tensor give NaN instead of zero */
	const int64_t *shape;   /* in elements */
	const int64_t *strides; /* in elements; NULL means contiguous */
	const int64_t *block;   /* shape of a block */
};

#define NEREID_INLINE static inline __attribute__((unused))

NEREID_INLINE nereid_arg nereid_arg_of(nereid_kind kind, nereid_dtype dtype) {
	nereid_arg a = {0, 0, 0, 0, 0, {0}, 0};
	a.kind = (uint8_t)kind;
	a.dtype = (uint8_t)dtype;
	return a;
}

NEREID_INLINE nereid_arg nereid_none(void) { return nereid_arg_of(NEREID_ARG_NONE, NEREID_INVALID); }

NEREID_INLINE nereid_arg nereid_bool(bool v) {
	nereid_arg a = nereid_arg_of(NEREID_ARG_BOOL, NEREID_INVALID);
	a.value.i = v;
	return a;
}

/* nereid_int and nereid_float are Python's numbers, as a launch from Python passes them. */
NEREID_INLINE nereid_arg nereid_int(int64_t v) {
	nereid_arg a = nereid_arg_of(NEREID_ARG_INT, NEREID_INVALID);
	a.value.i = v;
	return a;
}

NEREID_INLINE nereid_arg nereid_float(double v) {
	nereid_arg a = nereid_arg_of(NEREID_ARG_FLOAT, NEREID_INVALID);
	a.value.f = v;
	return a;
}

/* nereid_int32 and the next ones have that very type in the kernel. */
NEREID_INLINE nereid_arg nereid_int32(int32_t v) {
	nereid_arg a = nereid_arg_of(NEREID_ARG_SCALAR, NEREID_INT32);
	a.value.i = v;
	return a;
}

NEREID_INLINE nereid_arg nereid_uint32(uint32_t v) {
	nereid_arg a = nereid_arg_of(NEREID_ARG_SCALAR, NEREID_UINT32);
	a.value.u = v;
	return a;
}

NEREID_INLINE nereid_arg nereid_int64(int64_t v) {
	nereid_arg a = nereid_arg_of(NEREID_ARG_SCALAR, NEREID_INT64);
	a.value.i = v;
	return a;
}

NEREID_INLINE nereid_arg nereid_uint64(uint64_t v) {
	nereid_arg a = nereid_arg_of(NEREID_ARG_SCALAR, NEREID_UINT64);
	a.value.u = v;
	return a;
}

NEREID_INLINE nereid_arg nereid_float32(float v) {
	nereid_arg a = nereid_arg_of(NEREID_ARG_SCALAR, NEREID_FLOAT32);
	a.value.f = (double)v;
	return a;
}

NEREID_INLINE nereid_arg nereid_float64(double v) {
	nereid_arg a = nereid_arg_of(NEREID_ARG_SCALAR, NEREID_FLOAT64);
	a.value.f = v;
	return a;
}

/* nereid_ptr is memory on the launch's device; bytes may be 0 if unknown (see nereid_arg.size). NULL with 0
 * bytes is a null pointer. */
NEREID_INLINE nereid_arg nereid_ptr(nereid_dtype dtype, const void *p, size_t bytes) {
	nereid_arg a = nereid_arg_of(NEREID_ARG_PTR, dtype);
	a.value.p = (void *)(uintptr_t)p;
	a.size = bytes;
	return a;
}

/* nereid_host is host memory, for any device. */
NEREID_INLINE nereid_arg nereid_host(nereid_dtype dtype, const void *p, size_t bytes) {
	nereid_arg a = nereid_arg_of(NEREID_ARG_HOST, dtype);
	a.value.p = (void *)(uintptr_t)p;
	a.size = bytes;
	return a;
}

NEREID_INLINE nereid_arg nereid_tensor_arg(nereid_tensor *t) {
	nereid_arg a = nereid_arg_of(NEREID_ARG_TENSOR, NEREID_INVALID);
	a.value.tensor = t;
	return a;
}

NEREID_INLINE nereid_arg nereid_string(const char *s) {
	nereid_arg a = nereid_arg_of(NEREID_ARG_STRING, NEREID_INVALID);
	a.value.s = s;
	return a;
}

NEREID_INLINE nereid_arg nereid_type(nereid_dtype t) { return nereid_arg_of(NEREID_ARG_DTYPE, t); }

NEREID_INLINE nereid_arg nereid_func(const char *name) {
	nereid_arg a = nereid_arg_of(NEREID_ARG_FUNC, NEREID_INVALID);
	a.value.s = name;
	return a;
}

NEREID_INLINE nereid_arg nereid_tuple(const nereid_arg *items, uint32_t count) {
	nereid_arg a = nereid_arg_of(NEREID_ARG_TUPLE, NEREID_INVALID);
	a.value.items = items;
	a.count = count;
	return a;
}

NEREID_INLINE nereid_arg nereid_desc(const nereid_descriptor *d) {
	nereid_arg a = nereid_arg_of(NEREID_ARG_DESC, NEREID_INVALID);
	a.value.desc = d;
	return a;
}

/* nereid_named is the argument for the parameter of a name. */
NEREID_INLINE nereid_arg nereid_named(const char *name, nereid_arg a) {
	a.name = name;
	return a;
}

/* nereid_const is a value that is compiled in although its parameter is no constexpr: tl.constexpr(v). */
NEREID_INLINE nereid_arg nereid_const(nereid_arg a) {
	a.flags |= NEREID_FLAG_CONST;
	return a;
}

/* ---- Options and grids -------------------------------------------------------------------------------- */

/* Bits of nereid_options.flags, as Triton's options of these names. */
#define NEREID_OPT_DEBUG 1u                  /* debug=True */
#define NEREID_OPT_NO_DEBUG 2u               /* debug=False, which undoes @triton.jit(debug=True) */
#define NEREID_OPT_NO_SANITIZE_OVERFLOW 4u   /* sanitize_overflow=False */
#define NEREID_OPT_COOPERATIVE 8u            /* launch_cooperative_grid=True */
#define NEREID_OPT_PDL 16u                   /* launch_pdl=True */
#define NEREID_OPT_NO_FP_FUSION 32u          /* enable_fp_fusion=False */
#define NEREID_OPT_OVERLAP 64u               /* code that allows overlapping arguments; launches set it */
#define NEREID_OPT_CHECK 128u                /* accesses outside of an argument are errors */
#define NEREID_OPT_CERTIFY 256u              /* floats are elements of a ring: nereid_certify_prepare */

/* nereid_options are the options of a compilation. 0 and NULL mean Triton's defaults; a NULL nereid_options
 * means all of them. */
typedef struct nereid_options {
	uint32_t size; /* sizeof(nereid_options), or 0 for the fields of version 1 */
	uint32_t flags;
	int32_t num_warps;
	int32_t num_stages;
	int32_t num_ctas;
	int32_t maxnreg;
	const char *extra;       /* of back ends from outside: "name=value,name=value" */
	const char *extern_libs; /* "name=path,name=path" */
} nereid_options;

/* nereid_meta gives a grid function the arguments of the launch by name: constexprs, values that decorators
 * chose, options, and the caller's arguments. It is valid until the function returns. */
typedef struct nereid_meta nereid_meta;
#ifndef NEREID_RUN
/* nereid_meta_int writes an integer argument and reports whether there is one of that name. */
bool nereid_meta_int(const nereid_meta *m, const char *name, int64_t *out);
#endif

/* nereid_grid_fn writes the grid of a launch. A result other than 0 ends it with NEREID_ERR_CANCELLED. */
typedef int (*nereid_grid_fn)(void *user, const nereid_meta *m, uint32_t grid[3]);

/* nereid_grid is the number of programs in each dimension, where 0 for y and z means 1, and a
 * launch with 0 for x runs nothing; or, with fn, a function that computes it. */
typedef struct nereid_grid {
	uint32_t x, y, z;
	uint32_t reserved;
	nereid_grid_fn fn;
	void *user;
} nereid_grid;

NEREID_INLINE nereid_grid nereid_grid_of(uint32_t x, uint32_t y, uint32_t z) {
	nereid_grid g = {x, y, z, 0, 0, 0};
	return g;
}

NEREID_INLINE nereid_grid nereid_grid_by(nereid_grid_fn fn, void *user) {
	nereid_grid g = {0, 0, 0, 0, fn, user};
	return g;
}

/* ---- Devices ------------------------------------------------------------------------------------------ */

/* nereid_device_open returns the device of a name: "cuda", "cuda:1", "hip:0", "cpu", "interp". "" or NULL
 * means NEREID_DEVICE of the environment, or else the best of this machine. */
nereid_status nereid_device_open(const char *name, nereid_device **out, nereid_error **err);
/* nereid_device_from_context returns the GPU of a CUcontext that the caller owns and keeps while the device
 * and anything made with it is in use. NULL means the calling thread's current context. Primary contexts are
 * allowed. */
nereid_status nereid_device_from_context(void *cucontext, nereid_device **out, nereid_error **err);
/* nereid_device_list calls f for each device of this machine, the best first, then, with why not NULL, for
 * each kind that is absent. */
nereid_status nereid_device_list(void (*f)(void *user, const char *name, const char *info, const char *why),
	void *user, nereid_error **err);
char *nereid_device_name(nereid_device *d); /* "cuda:0" */
char *nereid_device_info(nereid_device *d); /* a line about the device */
/* nereid_device_stages returns the names of the forms that a kernel takes on its way to the device, separated
 * by commas: "source,ttir,ttgir,llir,ptx,cubin". */
char *nereid_device_stages(nereid_device *d);
/* nereid_device_target returns what nereid_compile takes to compile for the device: "cuda:90", "cpu". */
char *nereid_device_target(nereid_device *d);
void nereid_device_close(nereid_device *d);

/* nereid_stream_new returns a queue of launches of its own. */
nereid_status nereid_stream_new(nereid_device *d, nereid_stream **out, nereid_error **err);
/* nereid_stream_external returns a stream for a CUstream, or on AMD's GPUs a hipStream_t, that the caller
 * owns; NULL is the default stream. On devices without such streams it must be NULL. */
nereid_status nereid_stream_external(nereid_device *d, void *custream, nereid_stream **out,
	nereid_error **err);
/* nereid_stream_sync waits for everything launched so far and returns its first error. */
nereid_status nereid_stream_sync(nereid_stream *s, nereid_error **err);
/* nereid_stream_cancel ends compilations, tunings and, except on GPUs, kernels of the stream's launches with
 * NEREID_ERR_CANCELLED, now and in the future. */
void nereid_stream_cancel(nereid_stream *s);
void nereid_stream_close(nereid_stream *s);

/* nereid_tensor_new returns zeroed memory on a device, for programs that have no allocator for it. */
nereid_status nereid_tensor_new(nereid_device *d, nereid_dtype dtype, const int64_t *shape, size_t ndim,
	nereid_tensor **out, nereid_error **err);
/* Bytes from the tensor's first element on. Both wait for the work that they depend on. */
nereid_status nereid_tensor_read(nereid_tensor *t, void *into, size_t bytes, nereid_error **err);
nereid_status nereid_tensor_write(nereid_tensor *t, const void *from, size_t bytes, nereid_error **err);
/* nereid_tensor_address returns the address on the device, for other libraries and NEREID_ARG_PTR. */
uint64_t nereid_tensor_address(nereid_tensor *t);
void nereid_tensor_close(nereid_tensor *t);

#ifndef NEREID_RUN /* what compiles, up to nereid_compile */

/* ---- Configuration ------------------------------------------------------------------------------------ */

/* nereid_config_new returns the configuration of the environment (env) or an empty one: compiled kernels are
 * then kept in memory only. Modules loaded with NULL use the environment's. */
nereid_status nereid_config_new(bool env, nereid_config **out, nereid_error **err);
/*
 * nereid_config_set changes a setting. Values are text: "1" and "0" for yes and no, milliseconds for times,
 * bytes for sizes. An unknown key is an error that lists all.
 *
 *   cache               a folder for compiled kernels; "" for memory only, "env" for the environment's
 *   cache_readonly, cache_limit, cache_redis, cache_key, cache_wait_ms
 *                       set before cache, which opens it
 *   strict              a launch that would have to compile or tune fails
 *   record              a manifest file that receives each launched variant
 *   tune_dir, tune_readonly, tune_warmup_ms, tune_rep_ms, tune_budget_ms, tune_again, tune_verify,
 *   tune_journal
 *                       how kernels under @triton.autotune are tuned
 *   tune_store          a JSON file of tunings that processes share
 *   root                a folder in which imports are searched; may be set several times
 *   env.NAME            a variable that the file's module-level code sees
 *   debug, check, always_compile, no_lines, verify, dump, override, reproducers
 *                       as the fields of the Go API's Config
 *   budget_source, budget_ops, budget_time_ms, budget_memory
 *                       bounds of a compilation
 */
nereid_status nereid_config_set(nereid_config *c, const char *key, const char *value, nereid_error **err);

/* Levels of a log record: those of syslog's names with slog's numbers. */
typedef enum nereid_level {
	NEREID_LOG_DEBUG = -4,
	NEREID_LOG_INFO = 0,
	NEREID_LOG_WARN = 4,
	NEREID_LOG_ERROR = 8
} nereid_level;

/* nereid_log_fn receives compilations, tunings, output of tl.static_print, and problems that are no errors:
 * one line at a time, without a newline, from any thread. */
typedef void (*nereid_log_fn)(void *user, int level, const char *text);
/* nereid_config_log sets the log. Records below least are dropped. A NULL fn drops all. */
nereid_status nereid_config_log(nereid_config *c, nereid_log_fn fn, void *user, int least,
	nereid_error **err);

/* nereid_variant names a specialization for hooks. Strings live until the hook returns. */
typedef struct nereid_variant {
	const char *file;
	const char *kernel;
	const char *signature; /* as nereid_compile takes it */
	const char *device;    /* "" if the hook is about no device */
	nereid_options options;
} nereid_variant;

/* nereid_hooks are functions called around compilations and launches, by the thread that compiles or
 * launches; a compilation may have a thread of the library's. Any may be NULL. Launches of modules with
 * launch hooks take the long way. */
typedef struct nereid_hooks {
	uint32_t size; /* sizeof(nereid_hooks) */
	uint32_t reserved;
	void *user;
	/* A result other than 0 refuses the compilation: the launch fails with NEREID_ERR_CANCELLED. */
	int (*before_compile)(void *user, const nereid_variant *v);
	/* found: the cache had the kernel; failed: the text of its error, or NULL. */
	void (*after_compile)(void *user, const nereid_variant *v, uint64_t ns, bool found, const char *failed);
	/* text may be NULL. */
	void (*stage)(void *user, const nereid_variant *v, const char *name, uint64_t ns, const void *text,
		size_t bytes);
	void (*before_launch)(void *user, const nereid_variant *v, const uint32_t grid[3]);
	/* Called when the work is queued, which may be before it is done. */
	void (*after_launch)(void *user, const nereid_variant *v, const uint32_t grid[3], const char *failed);
} nereid_hooks;

nereid_status nereid_config_hooks(nereid_config *c, const nereid_hooks *h, nereid_error **err);
void nereid_config_close(nereid_config *c);

/* ---- Modules and kernels ------------------------------------------------------------------------------ */

/* nereid_module_load reads a file. config may be NULL; later changes of it do not matter. */
nereid_status nereid_module_load(const char *path, nereid_config *config, nereid_module **out,
	nereid_error **err);
/* nereid_module_parse reads text of n bytes; name appears in messages. No file is read unless config has
 * roots. */
nereid_status nereid_module_parse(const char *name, const char *text, size_t n, nereid_config *config,
	nereid_module **out, nereid_error **err);
/* nereid_module_ir reads the text of a module of Triton IR with one public function, before any pass, which
 * another front end made: Triton's own, say. Launches pass an argument for each parameter of the function,
 * numbers of its very type; a tensor descriptor, with its shape and strides, is one. What the IR says of its
 * arguments (tt.divisibility) must hold: launches do not check it. */
nereid_status nereid_module_ir(const char *name, const char *text, size_t n, nereid_config *config,
	nereid_module **out, nereid_error **err);
/* nereid_module_kernels returns the names of the file's jit functions, in order, separated by newlines. */
char *nereid_module_kernels(nereid_module *m);
nereid_status nereid_module_kernel(nereid_module *m, const char *name, nereid_kernel **out,
	nereid_error **err);
/* nereid_progress_fn is called after each variant of a warm-up, from any thread, one at a time; failed is the
 * text of its error, or NULL. */
typedef void (*nereid_progress_fn)(void *user, size_t done, size_t total, const nereid_variant *v,
	const char *failed);
/* nereid_module_warmup compiles the module's variants of a manifest file, so that launches find them, also in
 * strict mode. d may be NULL for the best device. */
nereid_status nereid_module_warmup(nereid_module *m, nereid_device *d, const char *manifest,
	nereid_progress_fn progress, void *user, nereid_error **err);
void nereid_module_close(nereid_module *m);

#define NEREID_PARAM_CONSTEXPR 1u     /* known at compile time */
#define NEREID_PARAM_OPTIONAL 2u      /* has a default */
#define NEREID_PARAM_NO_SPECIALIZE 4u /* do_not_specialize: neither 1 nor divisibility matters */
#define NEREID_PARAM_NO_ALIGN 8u      /* do_not_specialize_on_alignment */

const char *nereid_kernel_name(nereid_kernel *k);
size_t nereid_kernel_params(nereid_kernel *k);
/* nereid_kernel_param returns the name of parameter i, or NULL, and writes its flags if flags is not NULL. */
const char *nereid_kernel_param(nereid_kernel *k, size_t i, uint32_t *flags);
/* nereid_kernel_signature writes the signature, as nereid_compile takes it, of the specialization that a
 * launch with these arguments runs. */
nereid_status nereid_kernel_signature(nereid_kernel *k, const nereid_arg *args, size_t n, char **out,
	nereid_error **err);
/* nereid_kernel_build compiles the specialization of a signature for a device, also in strict mode, so that
 * launches with such arguments find it. */
nereid_status nereid_kernel_build(nereid_kernel *k, nereid_device *d, const char *signature,
	const nereid_options *options, nereid_error **err);
void nereid_kernel_close(nereid_kernel *k);

/* ---- Launching ---------------------------------------------------------------------------------------- */

/* nereid_launch runs a kernel once for each program of the grid: compiled at the first launch of a
 * specialization, found again at later ones. On a GPU it returns when the work is queued, elsewhere when the
 * kernel has run. A NULL stream means one of the best device, which the call waits for. */
nereid_status nereid_launch(nereid_kernel *k, nereid_stream *s, nereid_grid grid, const nereid_arg *args,
	size_t n, const nereid_options *options, nereid_error **err);
/* nereid_launch_on is nereid_launch on a CUstream, or a hipStream_t, of the caller: NULL is the default
 * stream, and the only stream of devices without such streams. */
nereid_status nereid_launch_on(nereid_kernel *k, nereid_device *d, void *custream, nereid_grid grid,
	const nereid_arg *args, size_t n, const nereid_options *options, nereid_error **err);
/* nereid_call is a launch in one piece of memory, for languages whose calls cost by the argument, as Python's
 * do. Its n arguments follow it. */
typedef struct nereid_call {
	nereid_kernel *kernel;
	nereid_device *device;
	void *custream;
	const nereid_options *options;
	uint32_t x, y, z; /* the grid */
	uint32_t n;
} nereid_call;
/* nereid_launch_call is nereid_launch_on. It returns NULL, or the error. */
nereid_error *nereid_launch_call(const nereid_call *call);
/* nereid_prepare does everything of a launch but the launch: it tunes and compiles, also in strict mode. A
 * kernel under @triton.autotune is launched to be measured. */
nereid_status nereid_prepare(nereid_kernel *k, nereid_stream *s, nereid_grid grid, const nereid_arg *args,
	size_t n, const nereid_options *options, nereid_error **err);

/* nereid_bind freezes the specialization of arguments on a device: the quick call for a program that knows
 * what it launches. A kernel with decorators must have been launched or prepared with such arguments. It
 * never changes, so threads may share it. */
nereid_status nereid_bind(nereid_kernel *k, nereid_device *d, const nereid_arg *args, size_t n,
	const nereid_options *options, nereid_bound **out, nereid_error **err);
/* nereid_bind_signature freezes a specialization by its signature: "*fp32:16, *fp32:16, i32, 1024". */
nereid_status nereid_bind_signature(nereid_kernel *k, nereid_device *d, const char *signature,
	const nereid_options *options, nereid_bound **out, nereid_error **err);
/* nereid_bound_params returns how many parameters a launch takes: those that are not compiled in. */
size_t nereid_bound_params(nereid_bound *b);
/* nereid_bound_param returns the name of one, or NULL, and writes its type if type is not NULL: "*fp32",
 * "i32". */
const char *nereid_bound_param(nereid_bound *b, size_t i, const char **type);
/* nereid_bound_launch launches with parameters as cuLaunchKernel takes them: params[i] is the address of the
 * value of parameter i, whose type is nereid_bound_param's (pointers are 8 bytes, i1 is a byte). A value that
 * the code was not compiled for (alignment, divisibility by 16) is NEREID_ERR_ARGUMENT. */
nereid_status nereid_bound_launch(nereid_bound *b, void *custream, uint32_t x, uint32_t y, uint32_t z,
	void *const *params, size_t n, nereid_error **err);
void nereid_bound_close(nereid_bound *b);

/* ---- Compiling without launching ---------------------------------------------------------------------- */

/* nereid_compile compiles for a target that this machine may not have ("cuda:90", "cpu", "hip:gfx942"), up to
 * a stage; NULL or "" means all. */
nereid_status nereid_compile(nereid_kernel *k, const char *target, const char *signature,
	const nereid_options *options, const char *until, nereid_code **out, nereid_error **err);

#endif /* NEREID_RUN */

/* ---- Compiled code ------------------------------------------------------------------------------------ */

/* nereid_code_stages returns the names of the stages, separated by commas. */
char *nereid_code_stages(nereid_code *c);
/* nereid_code_stage returns the text, or the bytes, of a stage with a zero byte behind, and writes their
 * number if bytes is not NULL; NULL if there is none. */
char *nereid_code_stage(nereid_code *c, const char *stage, size_t *bytes);
/* nereid_code_info returns everything that a launcher must know, as JSON (docs/LAUNCHERS.md). */
nereid_status nereid_code_info(nereid_code *c, char **json, nereid_error **err);
/* nereid_code_save returns bytes that nereid_code_load loads in another process, without a compiler. */
nereid_status nereid_code_save(nereid_code *c, void **data, size_t *bytes, nereid_error **err);
/* nereid_code_load loads machine code on a device: load only what you trust. */
nereid_status nereid_code_load(nereid_device *d, const void *data, size_t bytes, nereid_code **out,
	nereid_error **err);
/* nereid_code_launch launches code that was loaded, or compiled for the stream's device. Arguments are those
 * that are not compiled in. */
nereid_status nereid_code_launch(nereid_code *c, nereid_stream *s, nereid_grid grid,
	const nereid_arg *args, size_t n, nereid_error **err);
void nereid_code_close(nereid_code *c);

/* ---- Bundles ------------------------------------------------------------------------------------------ */

/* nereid_bundle_open opens a bundle of `nereid aot` (docs/AOT.md): load only what you trust. */
nereid_status nereid_bundle_open(const char *path, nereid_bundle **out, nereid_error **err);
/* nereid_bundle_variants returns the variants as a JSON list: name, group, kernel, signature, constants,
 * targets. */
char *nereid_bundle_variants(nereid_bundle *b);
/* nereid_bundle_code loads a variant on a device, for nereid_code_launch. Closing the bundle ends it. */
nereid_status nereid_bundle_code(nereid_bundle *b, const char *name, nereid_device *d, nereid_code **out,
	nereid_error **err);
void nereid_bundle_close(nereid_bundle *b);

#ifndef NEREID_RUN

/* ---- Comparing code with its source ------------------------------------------------------------------- */

/* With NEREID_OPT_CERTIFY the interpreter and the simulators compute with elements of a finite ring, in which
 * sums and products are exact in every order: what the code of a simulator leaves in memory must be, bit for
 * bit, what the interpreter leaves. nereid_certify_prepare makes memory fit for such launches. */
nereid_status nereid_certify_prepare(nereid_dtype t, void *data, size_t bytes, nereid_error **err);
/* nereid_certify_compare compares memory after a launch of the source with that after one of the code; both
 * began with before. It writes how many elements the source changed to numbers, and where both differ, "" if
 * they do not. */
nereid_status nereid_certify_compare(nereid_dtype t, const void *before, const void *source, const void *code,
	size_t bytes, size_t *changed, char **differ, nereid_error **err);

#endif /* NEREID_RUN */

#ifdef __cplusplus
}
#endif

#endif /* NEREID_H */
