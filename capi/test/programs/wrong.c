/* Wrong calls: each must give its error code and a text, and none may crash or hang. */
#include "program.h"

#include <string.h>

static const char source[] =
	"import triton\n"
	"import triton.language as tl\n"
	"\n"
	"@triton.jit\n"
	"def add(x_ptr, out_ptr, n, B: tl.constexpr):\n"
	"    at = tl.arange(0, B)\n"
	"    tl.store(out_ptr + at, tl.load(x_ptr + at, at < n), at < n)\n"
	"\n"
	"@triton.jit\n"
	"def check(x_ptr, n):\n"
	"    tl.device_assert(n == 3, 'n is three')\n"
	"    tl.store(x_ptr, n)\n"
	"\n"
	"@triton.jit\n"
	"def pair(x_ptr, p):\n"
	"    tl.store(x_ptr, p[0] + p[1])\n"
	"\n"
	"@triton.jit\n"
	"def refused(x_ptr):\n"
	"    tl.store(x_ptr, tl.load(y_ptr))\n";

static int cases, bad;

/* expect holds a call to a status, and its text to words that must be in it. */
static void expect(const char *what, nereid_status got, nereid_error *err, nereid_status want,
	const char *words) {
	const char *text = nereid_error_text(err);
	cases++;
	if (got != want || nereid_error_status(err) != want || !*text || !strstr(text, words)) {
		bad++;
		fprintf(stderr, "%s: %s with %s \"%s\", want %s with \"%s\"\n", what, nereid_status_name(got),
			nereid_status_name(nereid_error_status(err)), text, nereid_status_name(want), words);
	} else if (getenv("SHOW")) {
		printf("%s: %s: %s\n", what, nereid_status_name(got), text);
	}
	nereid_error_free(err);
}

#define WRONG(what, want, words, call) \
	do { \
		nereid_error *err = NULL; \
		nereid_status got = (call); \
		expect(what, got, err, want, words); \
	} while (0)

struct fixture {
	struct where *w;
	nereid_module *m;
	nereid_kernel *add, *check, *pair, *refused;
	nereid_arg args[4];
	nereid_grid grid;
};

#define LAUNCH(k, list, n, options) \
	nereid_launch_on(k, f->w->device, f->w->stream, f->grid, list, n, options, &err)

/* wrong_argument launches with argument i replaced. */
static void wrong_argument(struct fixture *f, const char *what, size_t i, nereid_arg a, nereid_status want,
	const char *words) {
	nereid_arg args[4];
	memcpy(args, f->args, sizeof args);
	args[i] = a;
	WRONG(what, want, words, LAUNCH(f->add, args, 4, NULL));
}

static void wrong_arguments(struct fixture *f) {
	nereid_arg a = f->args[0];
	nereid_arg null = nereid_ptr(NEREID_FLOAT32, NULL, 16);
	wrong_argument(f, "a NULL pointer", 0, null, NEREID_ERR_ARGUMENT, "NULL");
	wrong_argument(f, "a NULL host pointer", 0, nereid_host(NEREID_FLOAT32, NULL, 16), NEREID_ERR_ARGUMENT,
		"NULL");
	a.dtype = 200;
	wrong_argument(f, "a dtype that is none", 0, a, NEREID_ERR_ARGUMENT, "nereid_dtype");
	a = f->args[0];
	a.kind = 77;
	wrong_argument(f, "a kind that is none", 0, a, NEREID_ERR_ARGUMENT, "nereid_kind");
	a = f->args[0];
	a.size = (uint64_t)1 << 60;
	wrong_argument(f, "a size beyond all memory", 0, a, NEREID_ERR_ARGUMENT, "more than there is memory");
	wrong_argument(f, "an integer for a pointer", 0, nereid_int(5), NEREID_ERR_ARGUMENT, "no tensor");
	wrong_argument(f, "a string for a pointer", 0, nereid_string("x"), NEREID_ERR_ARGUMENT, "no tensor");
	wrong_argument(f, "a NULL string", 3, nereid_string(NULL), NEREID_ERR_ARGUMENT, "NULL");
	wrong_argument(f, "a pointer for a constexpr", 3, f->args[0], NEREID_ERR_ARGUMENT, "compile-time");
	wrong_argument(f, "a constexpr that is no power of two", 3, nereid_int(100), NEREID_ERR_COMPILE,
		"power of 2");
	wrong_argument(f, "a tensor that is no handle", 0, nereid_tensor_arg((nereid_tensor *)(uintptr_t)12345),
		NEREID_ERR_HANDLE, "nereid_tensor");
	wrong_argument(f, "a kernel for a tensor", 0, nereid_tensor_arg((nereid_tensor *)f->add), NEREID_ERR_HANDLE,
		"nereid_kernel");
	wrong_argument(f, "a descriptor that is NULL", 0, nereid_desc(NULL), NEREID_ERR_ARGUMENT, "NULL");
	nereid_descriptor d;
	memset(&d, 0, sizeof d);
	d.base = f->args[0];
	wrong_argument(f, "a descriptor without dimensions", 0, nereid_desc(&d), NEREID_ERR_ARGUMENT, "dimensions");
	wrong_argument(f, "an unknown parameter", 3, nereid_named("BLOK", nereid_int(16)), NEREID_ERR_ARGUMENT,
		"BLOK");
	wrong_argument(f, "a parameter twice", 3, nereid_named("x_ptr", f->args[0]), NEREID_ERR_ARGUMENT, "twice");
}

static void wrong_lists(struct fixture *f) {
	WRONG("too few arguments", NEREID_ERR_ARGUMENT, "missing", LAUNCH(f->add, f->args, 3, NULL));
	nereid_arg five[5];
	memcpy(five, f->args, sizeof f->args);
	five[4] = nereid_int(1);
	WRONG("too many arguments", NEREID_ERR_ARGUMENT, "takes 4 arguments", LAUNCH(f->add, five, 5, NULL));
	WRONG("arguments at NULL", NEREID_ERR_ARGUMENT, "arguments", LAUNCH(f->add, NULL, 4, NULL));
	WRONG("a wild number of arguments", NEREID_ERR_ARGUMENT, "at most", LAUNCH(f->add, f->args, (size_t)-1,
		NULL));
	nereid_arg items[2] = {nereid_int(1), nereid_named("b", nereid_int(2))};
	nereid_arg args[2] = {f->args[0], nereid_tuple(items, 2)};
	WRONG("a tuple with half its names", NEREID_ERR_ARGUMENT, "names", LAUNCH(f->pair, args, 2, NULL));
	args[1] = nereid_tuple(NULL, 2);
	WRONG("a tuple at NULL", NEREID_ERR_ARGUMENT, "NULL", LAUNCH(f->pair, args, 2, NULL));
	args[1] = nereid_tuple(items, 1u << 30);
	WRONG("a wild tuple", NEREID_ERR_ARGUMENT, "items", LAUNCH(f->pair, args, 2, NULL));
	nereid_arg loop = nereid_tuple(NULL, 1);
	loop.value.items = &loop;
	args[1] = loop;
	WRONG("a tuple that contains itself", NEREID_ERR_ARGUMENT, "deep", LAUNCH(f->pair, args, 2, NULL));
}

static void wrong_options(struct fixture *f) {
	nereid_options o;
	memset(&o, 0, sizeof o);
	o.num_warps = 3;
	WRONG("three warps", NEREID_ERR_REFUSED, "num_warps", LAUNCH(f->add, f->args, 4, &o));
	o.num_warps = 4;
	o.flags = 1u << 31;
	WRONG("an unknown option", NEREID_ERR_ARGUMENT, "flags", LAUNCH(f->add, f->args, 4, &o));
	o.flags = 0;
	o.size = 3;
	WRONG("options of another size", NEREID_ERR_ARGUMENT, "size", LAUNCH(f->add, f->args, 4, &o));
	nereid_grid grid = f->grid;
	f->grid = nereid_grid_of(0, 1, 1);
	MUST(LAUNCH(f->add, f->args, 4, NULL)); /* runs nothing */
	WRONG("an empty grid, and too few arguments", NEREID_ERR_ARGUMENT, "argument",
	    LAUNCH(f->add, f->args, 2, NULL));
	f->grid = grid;
	if (!f->w->cuda) {
		void *stream = f->w->stream;
		f->w->stream = &o;
		WRONG("a stream where there are none", NEREID_ERR_ARGUMENT, "NULL", LAUNCH(f->add, f->args, 4, NULL));
		f->w->stream = stream;
	}
	nereid_options check;
	memset(&check, 0, sizeof check);
	check.flags = NEREID_OPT_CHECK;
	nereid_arg args[4];
	memcpy(args, f->args, sizeof args);
	args[0].size = 0;
	if (!f->w->cuda)
		WRONG("checked memory of unknown size", NEREID_ERR_ARGUMENT, "size", LAUNCH(f->add, args, 4, &check));
	if (!f->w->cuda) {
		args[0].size = 4;
		args[2] = nereid_int(16);
		WRONG("an access beyond the memory", NEREID_ERR_FAULT, "x_ptr", LAUNCH(f->add, args, 4, &check));
		nereid_options debug = check;
		debug.flags = NEREID_OPT_DEBUG;
		nereid_arg two[2] = {f->args[1], nereid_int(4)};
		WRONG("a failed assertion", NEREID_ERR_FAULT, "n is three", LAUNCH(f->check, two, 2, &debug));
	}
	WRONG("a name that is not there", NEREID_ERR_COMPILE, "y_ptr", LAUNCH(f->refused, f->args, 1, NULL));
}

/* stale_handles opens kernels where closed ones were: the old handles stay closed, for launches and for
   nereid_kernel_close, and are no way to the new kernels. */
static void stale_handles(struct fixture *f) {
	enum { count = 8 };
	nereid_kernel *old[count], *young[count];
	for (int i = 0; i < count; i++)
		MUST(nereid_module_kernel(f->m, "add", &old[i], &err));
	for (int i = 0; i < count; i++) {
		nereid_error *err = NULL;
		if (LAUNCH(old[i], f->args, 4, NULL) != NEREID_OK)
			bad++;
		nereid_error_free(err);
		nereid_kernel_close(old[i]);
	}
	for (int i = 0; i < count; i++)
		MUST(nereid_module_kernel(f->m, "add", &young[i], &err));
	for (int i = 0; i < count; i++)
		WRONG("a kernel that was closed before another was opened", NEREID_ERR_HANDLE, "closed",
			LAUNCH(old[i], f->args, 4, NULL));
	for (int i = 0; i < count; i++)
		nereid_kernel_close(old[i]);
	for (int i = 0; i < count; i++) {
		nereid_error *err = NULL;
		cases++;
		if (LAUNCH(young[i], f->args, 4, NULL) != NEREID_OK) {
			bad++;
			fprintf(stderr, "a kernel is closed by the handle of another: %s\n", nereid_error_text(err));
		}
		nereid_error_free(err);
		nereid_kernel_close(young[i]);
	}
}

static void wrong_handles(struct fixture *f) {
	nereid_kernel *k;
	nereid_module *m;
	nereid_device *d;
	nereid_stream *s;
	nereid_config *c;
	nereid_bound *b;
	nereid_code *code;
	char *text;
	WRONG("a kernel that is NULL", NEREID_ERR_HANDLE, "NULL", LAUNCH(NULL, f->args, 4, NULL));
	WRONG("a module for a kernel", NEREID_ERR_HANDLE, "nereid_module", LAUNCH((nereid_kernel *)f->m, f->args,
		4, NULL));
	WRONG("a stray number for a kernel", NEREID_ERR_HANDLE, "never was one",
		LAUNCH((nereid_kernel *)(uintptr_t)0xdeadbeefcafe, f->args, 4, NULL));
	WRONG("a device that is NULL", NEREID_ERR_HANDLE, "nereid_device",
		nereid_launch_on(f->add, NULL, NULL, f->grid, f->args, 4, NULL, &err));
	MUST(nereid_module_kernel(f->m, "add", &k, &err));
	nereid_kernel_close(k);
	WRONG("a closed kernel", NEREID_ERR_HANDLE, "closed", LAUNCH(k, f->args, 4, NULL));
	nereid_kernel_close(k);
	nereid_kernel_close(NULL);
	stale_handles(f);
	WRONG("an unknown kernel", NEREID_ERR_COMPILE, "nothing", nereid_module_kernel(f->m, "nothing", &k, &err));
	WRONG("no place for a result", NEREID_ERR_ARGUMENT, "NULL", nereid_module_kernel(f->m, "add", NULL, &err));
	WRONG("a file that is not there", NEREID_ERR_IO, "nowhere.py", nereid_module_load("nowhere.py", NULL, &m,
		&err));
	WRONG("a path that is NULL", NEREID_ERR_ARGUMENT, "NULL", nereid_module_load(NULL, NULL, &m, &err));
	WRONG("a text that is no Python", NEREID_ERR_COMPILE, "x.py:1", nereid_module_parse("x.py", "def (:\n",
		7, NULL, &m, &err));
	WRONG("an unknown device", NEREID_ERR_NO_DEVICE, "tpu", nereid_device_open("tpu", &d, &err));
	WRONG("a stream of no device", NEREID_ERR_HANDLE, "nereid_device", nereid_stream_new(NULL, &s, &err));
	MUST(nereid_config_new(false, &c, &err));
	WRONG("an unknown setting", NEREID_ERR_ARGUMENT, "cache", nereid_config_set(c, "cash", "1", &err));
	WRONG("a setting that is no number", NEREID_ERR_ARGUMENT, "milliseconds",
		nereid_config_set(c, "tune_rep_ms", "soon", &err));
	WRONG("hooks of another size", NEREID_ERR_ARGUMENT, "size", nereid_config_hooks(c, NULL, &err));
	nereid_config_close(c);
	WRONG("a closed configuration", NEREID_ERR_HANDLE, "closed", nereid_config_set(c, "strict", "1", &err));
	WRONG("a signature that is none", NEREID_ERR_ARGUMENT, "", nereid_compile(f->add, "cuda:90", "*fp99",
		NULL, NULL, &code, &err));
	WRONG("a target that is none", NEREID_ERR_ARGUMENT, "tpu:1",
		nereid_compile(f->add, "tpu:1", "*fp32, *fp32, i32, 16", NULL, NULL, &code, &err));
	WRONG("code that is none", NEREID_ERR_ARGUMENT, "", nereid_code_load(f->w->device, "rubbish", 7, &code,
		&err));
	WRONG("a manifest that is not there", NEREID_ERR_IO, "nowhere.json",
		nereid_module_warmup(f->m, f->w->device, "nowhere.json", NULL, NULL, &err));
	WRONG("a signature of too few arguments", NEREID_ERR_ARGUMENT, "missing", nereid_kernel_signature(f->add,
		f->args, 2, &text, &err));
	MUST(nereid_bind(f->add, f->w->device, f->args, 4, NULL, &b, &err));
	void *params[4] = {0};
	WRONG("parameters at NULL", NEREID_ERR_ARGUMENT, "NULL", nereid_bound_launch(b, f->w->stream, 1, 1, 1,
		params, 3, &err));
	WRONG("too few parameters", NEREID_ERR_ARGUMENT, "3 parameters", nereid_bound_launch(b, f->w->stream, 1,
		1, 1, params, 2, &err));
	uint64_t odd = (uint64_t)(uintptr_t)f->args[0].value.p + 4;
	int32_t n = 4;
	params[0] = params[1] = &odd;
	params[2] = &n;
	WRONG("a misaligned pointer", NEREID_ERR_ARGUMENT, "16", nereid_bound_launch(b, f->w->stream, 1, 1, 1,
		params, 3, &err));
	nereid_bound_close(b);
	TRUE(nereid_kernel_name(NULL) == NULL && nereid_device_name(NULL) == NULL && nereid_bound_params(b) == 0);
	TRUE(nereid_launch(NULL, NULL, f->grid, NULL, 0, NULL,
		NULL) == NEREID_ERR_HANDLE); /* nobody wants the error */
}

int cmd_wrong(struct where *w) {
	struct fixture fixture, *f = &fixture;
	float zeros[16] = {0};
	f->w = w;
	f->grid = nereid_grid_of(1, 1, 1);
	MUST(nereid_module_parse("wrong.py", source, strlen(source), NULL, &f->m, &err));
	MUST(nereid_module_kernel(f->m, "add", &f->add, &err));
	MUST(nereid_module_kernel(f->m, "check", &f->check, &err));
	MUST(nereid_module_kernel(f->m, "pair", &f->pair, &err));
	MUST(nereid_module_kernel(f->m, "refused", &f->refused, &err));
	char *x = where_alloc(w, zeros, sizeof zeros, 0), *out = where_alloc(w, zeros, sizeof zeros, 0);
	f->args[0] = nereid_ptr(NEREID_FLOAT32, x, sizeof zeros);
	f->args[1] = nereid_ptr(NEREID_FLOAT32, out, sizeof zeros);
	f->args[2] = nereid_int(4);
	f->args[3] = nereid_int(16);
	for (int i = 0; i < 2; i++) { /* a second time after a launch that is right, which leaves short cuts */
		wrong_arguments(f);
		wrong_lists(f);
		wrong_options(f);
		wrong_handles(f);
		MUST(LAUNCH(f->add, f->args, 4, NULL));
		MUST(LAUNCH(f->add, f->args, 4, NULL));
		where_wait(w);
	}
	where_free(w, x, 0);
	where_free(w, out, 0);
	nereid_kernel_close(f->add);
	nereid_kernel_close(f->check);
	nereid_kernel_close(f->pair);
	nereid_kernel_close(f->refused);
	nereid_module_close(f->m);
	printf("%d wrong calls, %d answered badly\n", cases, bad);
	return bad != 0;
}
