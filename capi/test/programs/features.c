/* The rest of nereid.h: grids by a function, hooks and logs, strict mode and warm-up, descriptors and tuples,
 * frozen kernels, code that is saved and loaded, tensors of the library, cancelled streams. */
#include "program.h"

#include <string.h>

static const char source[] =
	"import triton\n"
	"import triton.language as tl\n"
	"\n"
	"@triton.jit\n"
	"def scale(x_ptr, n, factor, flag, B: tl.constexpr, eps=0.5):\n"
	"    tl.static_print('B is', B)\n"
	"    at = tl.program_id(0) * B + tl.arange(0, B)\n"
	"    v = tl.load(x_ptr + at, at < n) * factor + eps\n"
	"    tl.store(x_ptr + at, tl.where(flag, v, -v), at < n)\n"
	"\n"
	"@triton.jit\n"
	"def twice(v):\n"
	"    return 2 * v\n"
	"\n"
	"@triton.jit\n"
	"def mixed(x_ptr, opt_ptr, pair, op: tl.constexpr, kind: tl.constexpr, mode: tl.constexpr,\n"
	"          sizes: tl.constexpr):\n"
	"    v = op(pair.a + pair.b + sizes[1]).to(kind)\n"
	"    if opt_ptr is not None:\n"
	"        v += tl.load(opt_ptr)\n"
	"    if mode == 'minus':\n"
	"        v = -v\n"
	"    tl.store(x_ptr, v)\n"
	"\n"
	"@triton.jit\n"
	"def tiles(desc, out_ptr, B: tl.constexpr):\n"
	"    t = desc.load([0, B])\n"
	"    tl.store(out_ptr + tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :], t)\n"
	"\n"
	"@triton.jit\n"
	"def typed(i_ptr, f_ptr, i, f):\n"
	"    tl.store(i_ptr, i * i)\n"
	"    tl.store(f_ptr, f * f)\n"
	"\n"
	"@triton.autotune(configs=[triton.Config({'B': 64}), triton.Config({'B': 128})], key=['n'])\n"
	"@triton.jit\n"
	"def tuned(x_ptr, n, B: tl.constexpr):\n"
	"    at = tl.program_id(0) * B + tl.arange(0, B)\n"
	"    tl.store(x_ptr + at, at, at < n)\n";

enum { N = 256 };

static int grids, records, prints, compiles, stages, launches, refuse_compiles;

static int grid(void *user, const nereid_meta *m, uint32_t out[3]) {
	int64_t b, n;
	(void)user;
	grids++;
	if (!nereid_meta_int(m, "B", &b) || !nereid_meta_int(m, "n", &n)) return 1;
	out[0] = (uint32_t)((n + b - 1) / b);
	return 0;
}

static int no_grid(void *user, const nereid_meta *m, uint32_t out[3]) {
	(void)user, (void)m, (void)out;
	return 7;
}

static void record(void *user, int level, const char *text) {
	(void)user, (void)level;
	records++;
	if (strstr(text, "B is")) prints++;
	TRUE(!strchr(text, '\n'));
}

static int before_compile(void *user, const nereid_variant *v) {
	TRUE(user == &compiles && *v->kernel && *v->signature && v->options.num_warps > 0);
	compiles++;
	return refuse_compiles;
}

static void after_compile(void *user, const nereid_variant *v, uint64_t ns, bool found, const char *failed) {
	(void)user, (void)ns;
	TRUE(!found && (failed != NULL) == (refuse_compiles != 0) && *v->file);
}

static void stage(void *user, const nereid_variant *v, const char *name, uint64_t ns, const void *text,
	size_t bytes) {
	(void)user, (void)v, (void)ns, (void)text, (void)bytes;
	TRUE(*name);
	stages++;
}

static void before_launch(void *user, const nereid_variant *v, const uint32_t g[3]) {
	(void)user;
	TRUE(*v->device && g[0] > 0 && g[1] == 1);
	launches++;
}

static void after_launch(void *user, const nereid_variant *v, const uint32_t g[3], const char *failed) {
	(void)user, (void)v, (void)g;
	TRUE(!failed);
	launches++;
}

static void progress(void *user, size_t done, size_t total, const nereid_variant *v, const char *failed) {
	TRUE(done <= total && *v->kernel && !failed);
	++*(int *)user;
}

static nereid_module *parse(nereid_config *c) {
	nereid_module *m;
	MUST(nereid_module_parse("features.py", source, strlen(source), c, &m, &err));
	return m;
}

static nereid_kernel *kernel_of(nereid_module *m, const char *name) {
	nereid_kernel *k;
	MUST(nereid_module_kernel(m, name, &k, &err));
	return k;
}

/* at returns a float of memory. */
static float at(struct where *w, const char *p, size_t i) {
	float v;
	where_wait(w);
	where_read(w, &v, p + i * sizeof v, sizeof v);
	return v;
}
#define IS(p, i, want) TRUE(!w->results || at(w, p, i) == (want))

static char *ones(struct where *w) {
	float host[N];
	for (int i = 0; i < N; i++) host[i] = 1;
	return where_alloc(w, host, sizeof host, 0);
}

static void scales(struct where *w, nereid_module *m) {
	nereid_kernel *k = kernel_of(m, "scale");
	TRUE(!strcmp(nereid_kernel_name(k), "scale") && nereid_kernel_params(k) == 6);
	uint32_t flags = 0;
	TRUE(!strcmp(nereid_kernel_param(k, 4, &flags), "B") && flags == NEREID_PARAM_CONSTEXPR);
	TRUE(!strcmp(nereid_kernel_param(k, 5, &flags), "eps") && flags == NEREID_PARAM_OPTIONAL);
	TRUE(!nereid_kernel_param(k, 6, NULL));
	for (int i = 0; i < 3; i++) { /* compiled, then by short cuts; unknown sizes too */
		char *x = ones(w);
		nereid_arg args[] = {nereid_ptr(NEREID_FLOAT32, x, i == 1 ? 0 : N * sizeof(float)), nereid_int(N),
			nereid_float(3), nereid_bool(i == 0), nereid_named("B", nereid_int(128)), nereid_none()};
		MUST(nereid_launch_on(k, w->device, w->stream, nereid_grid_by(grid, NULL), args, 5, NULL, &err));
		IS(x, N - 1, i == 0 ? 3.5f : -3.5f);
		args[5] = nereid_named("eps", nereid_float(1));
		MUST(nereid_launch_on(k, w->device, w->stream, nereid_grid_of(2, 0, 0), args, 6, NULL, &err));
		IS(x, 0, i == 0 ? 11.5f : 9.5f);
		args[2] = nereid_int(1); /* an integer where a float was: another specialization, folded */
		MUST(nereid_launch_on(k, w->device, w->stream, nereid_grid_of(2, 0, 0), args, 6, NULL, &err));
		IS(x, 0, i == 0 ? 12.5f : -10.5f);
		where_free(w, x, 0);
	}
	TRUE(grids == 3);
	char *x = ones(w);
	nereid_error *e = NULL;
	nereid_arg args[] = {nereid_ptr(NEREID_FLOAT32, x, 4 * N), nereid_int(N), nereid_float(3), nereid_bool(true),
		nereid_int(128)};
	TRUE(nereid_launch_on(k, w->device, w->stream, nereid_grid_by(no_grid, NULL), args, 5, NULL, &e) ==
		NEREID_ERR_CANCELLED);
	nereid_error_free(e);
	where_free(w, x, 0);
	nereid_kernel_close(k);
}

static void mixes(struct where *w, nereid_module *m) {
	nereid_kernel *k = kernel_of(m, "mixed");
	char *x = ones(w);
	nereid_arg pair[] = {nereid_named("a", nereid_int(5)), nereid_named("b", nereid_const(nereid_int(7)))};
	nereid_arg sizes[] = {nereid_int(1), nereid_int(2)};
	nereid_arg args[] = {nereid_ptr(NEREID_FLOAT32, x, 4 * N), nereid_none(), nereid_tuple(pair, 2),
		nereid_func("twice"), nereid_type(NEREID_FLOAT32), nereid_string("plus"), nereid_tuple(sizes, 2)};
	for (int i = 0; i < 2; i++) {
		args[5] = nereid_string("plus");
		MUST(nereid_launch_on(k, w->device, w->stream, nereid_grid_of(1, 1, 1), args, 7, NULL, &err));
		IS(x, 0, 28);
		args[5] = nereid_string("minus");
		MUST(nereid_launch_on(k, w->device, w->stream, nereid_grid_of(1, 1, 1), args, 7, NULL, &err));
		IS(x, 0, -28);
	}
	where_free(w, x, 0);
	nereid_kernel_close(k);

	enum { B = 16 };
	float host[4 * B * B];
	for (int i = 0; i < 4 * B * B; i++) host[i] = (float)i;
	char *from = where_alloc(w, host, sizeof host, 0), *to = where_alloc(w, host, sizeof host, 0);
	int64_t shape[] = {2 * B, 2 * B}, block[] = {B, B};
	nereid_descriptor d;
	memset(&d, 0, sizeof d);
	d.base = nereid_ptr(NEREID_FLOAT32, from, sizeof host);
	d.ndim = 2;
	d.shape = shape;
	d.block = block;
	nereid_arg tile[] = {nereid_desc(&d), nereid_ptr(NEREID_FLOAT32, to, sizeof host), nereid_int(B)};
	k = kernel_of(m, "tiles");
	for (int i = 0; i < 2; i++) {
		MUST(nereid_launch_on(k, w->device, w->stream, nereid_grid_of(1, 1, 1), tile, 3, NULL, &err));
		IS(to, 0, B);
		IS(to, B, 3 * B);
	}
	where_free(w, from, 0);
	where_free(w, to, 0);
	nereid_kernel_close(k);
}

/* types launches with numbers that have types of their own. */
static void types(struct where *w, nereid_module *m) {
	nereid_kernel *k = kernel_of(m, "typed");
	char *ints = ones(w), *floats = ones(w);
	nereid_arg args[] = {nereid_ptr(NEREID_INT64, ints, 4 * N), nereid_ptr(NEREID_FLOAT64, floats, 4 * N),
		nereid_int64(1 << 20), nereid_float64(0.1)};
	char *signature;
	MUST(nereid_kernel_signature(k, args, 4, &signature, &err));
	TRUE(!strcmp(signature, "*i64:16, *fp64:16, i64:16, fp64"));
	nereid_free(signature);
	for (int i = 0; i < 3 && w->results; i++) {
		int64_t square;
		double root = 0.1 + i, got;
		args[2] = nereid_int64((1 << 20) + 16 * i);
		args[3] = nereid_float64(root);
		MUST(nereid_launch_on(k, w->device, w->stream, nereid_grid_of(1, 1, 1), args, 4, NULL, &err));
		where_wait(w);
		where_read(w, &square, ints, sizeof square);
		where_read(w, &got, floats, sizeof got);
		int64_t side = (1 << 20) + 16 * i;
		TRUE(square == side * side && got == root * root);
	}
	where_free(w, ints, 0);
	where_free(w, floats, 0);
	nereid_kernel_close(k);
}

static void frozen(struct where *w, nereid_module *m) {
	nereid_kernel *k = kernel_of(m, "scale");
	nereid_bound *b;
	MUST(nereid_bind_signature(k, w->device, "*fp32:16, i32, fp32, i1, 128, fp32", NULL, &b, &err));
	const char *type;
	TRUE(nereid_bound_params(b) == 5);
	TRUE(!strcmp(nereid_bound_param(b, 0, &type), "x_ptr") && !strcmp(type, "*fp32"));
	TRUE(!strcmp(nereid_bound_param(b, 3, &type), "flag") && !strcmp(type, "i1"));
	TRUE(!nereid_bound_param(b, 5, NULL));
	char *x = ones(w);
	int32_t n = N;
	float factor = 4, eps = 0.25f;
	bool flag = true;
	void *params[] = {&x, &n, &factor, &flag, &eps};
	MUST(nereid_bound_launch(b, w->stream, 2, 1, 1, params, 5, &err));
	IS(x, N - 1, 4.25f);
	flag = false;
	MUST(nereid_bound_launch(b, w->stream, 2, 1, 1, params, 5, &err));
	IS(x, 0, -17.25f);
	where_free(w, x, 0);
	nereid_bound_close(b);
	nereid_kernel_close(k);
}

/* saved compiles without a launch, and loads the code as another process would. */
static void saved(struct where *w, nereid_module *m) {
	nereid_kernel *k = kernel_of(m, "scale");
	nereid_code *code, *loaded;
	char *name = nereid_device_name(w->device), *json, *names;
	const char *target = w->cuda ? "cuda:90" : name;
	void *data;
	size_t n;
	if (!strcmp(name, "interp")) { /* it has no machine code */
		nereid_free(name);
		nereid_kernel_close(k);
		return;
	}
	MUST(nereid_compile(k, target, "*fp32:16, i32, fp32, i1, 128, fp32", NULL, NULL, &code, &err));
	names = nereid_code_stages(code);
	TRUE(names && strstr(names, "ttir"));
	char *ttir = nereid_code_stage(code, "ttir", &n);
	TRUE(ttir && strstr(ttir, "tt.func") && !nereid_code_stage(code, "nonsense", NULL));
	MUST(nereid_code_info(code, &json, &err));
	TRUE(strstr(json, "\"scale\""));
	MUST(nereid_code_save(code, &data, &n, &err));
	MUST(nereid_code_load(w->device, data, n, &loaded, &err));
	nereid_stream *s;
	MUST(nereid_stream_external(w->device, w->stream, &s, &err));
	char *x = ones(w);
	nereid_arg args[] = {nereid_ptr(NEREID_FLOAT32, x, 4 * N), nereid_int(N), nereid_float(2), nereid_bool(true),
		nereid_float(0.25)};
	MUST(nereid_code_launch(loaded, s, nereid_grid_of(2, 1, 1), args, 5, &err));
	MUST(nereid_stream_sync(s, &err));
	IS(x, 1, 2.25f);
	where_free(w, x, 0);
	nereid_free(ttir);
	nereid_free(names);
	nereid_free(json);
	nereid_free(data);
	nereid_free(name);
	nereid_stream_close(s);
	nereid_code_close(loaded);
	nereid_code_close(code);
	nereid_kernel_close(k);
}

/* certified compares memory, and opens a bundle that is not there. */
static void certified(void) {
	int32_t was[] = {0, 0}, right[] = {1, 2}, wrong[] = {1, 3};
	size_t changed = 0;
	char *differ = NULL;
	MUST(nereid_certify_prepare(NEREID_INT32, was, sizeof was, &err));
	MUST(nereid_certify_compare(NEREID_INT32, was, right, right, sizeof was, &changed, &differ, &err));
	TRUE(changed == 2 && !*differ);
	nereid_free(differ);
	MUST(nereid_certify_compare(NEREID_INT32, was, right, wrong, sizeof was, &changed, &differ, &err));
	TRUE(strstr(differ, "1 of 2 elements differ, first 1: source 2, code 3"));
	nereid_free(differ);
	nereid_bundle *b = NULL;
	nereid_error *e = NULL;
	TRUE(nereid_bundle_open("/nowhere.nrb", &b, &e) == NEREID_ERR_IO && !b);
	nereid_error_free(e);
	TRUE(!nereid_bundle_variants(b));
	nereid_bundle_close(b);
}

/* in_one_piece is refused as a nereid_call what nereid_launch_on refuses, and launches what it launches: with
 * no elements, so that the memory stays as it is. */
static void in_one_piece(struct where *w, nereid_kernel *k, const nereid_arg *args) {
	struct {
		nereid_call head;
		nereid_arg args[5];
	} c = {{k, w->device, w->stream, NULL, 4, 1, 1, 5}, {args[0], args[1], args[2], args[3], args[4]}};
	nereid_error *e = nereid_launch_call(&c.head);
	TRUE(nereid_error_status(e) == NEREID_ERR_NOT_COMPILED && strstr(nereid_error_text(e), "64"));
	nereid_error_free(e);
	c.args[1] = nereid_int(-N); /* specialized as N is */
	c.args[4] = nereid_int(128);
	TRUE(!nereid_launch_call(&c.head));
}

/* strict records a variant, warms a strict module up with it, and is refused another. */
static void strict(struct where *w, const char *dir) {
	char manifest[600], cache[600];
	snprintf(manifest, sizeof manifest, "%s/manifest.json", dir);
	snprintf(cache, sizeof cache, "%s/cache", dir);
	nereid_config *c;
	MUST(nereid_config_new(false, &c, &err));
	MUST(nereid_config_set(c, "record", manifest, &err));
	nereid_module *m = parse(c);
	nereid_kernel *k = kernel_of(m, "scale");
	char *x = ones(w);
	nereid_arg args[] = {nereid_ptr(NEREID_FLOAT32, x, 4 * N), nereid_int(N), nereid_float(2), nereid_bool(true),
		nereid_int(128)};
	MUST(nereid_launch_on(k, w->device, w->stream, nereid_grid_of(2, 1, 1), args, 5, NULL, &err));
	nereid_kernel_close(k);
	nereid_module_close(m);
	nereid_config_close(c);

	MUST(nereid_config_new(false, &c, &err));
	MUST(nereid_config_set(c, "strict", "1", &err));
	MUST(nereid_config_set(c, "cache", cache, &err));
	m = parse(c);
	nereid_config_close(c);
	int warmed = 0;
	MUST(nereid_module_warmup(m, w->device, manifest, progress, &warmed, &err));
	TRUE(warmed == 1);
	k = kernel_of(m, "scale");
	MUST(nereid_launch_on(k, w->device, w->stream, nereid_grid_of(2, 1, 1), args, 5, NULL, &err));
	IS(x, 5, 5.5f); /* 1 * 2 + 0.5, then once more */
	args[4] = nereid_int(64);
	nereid_error *e = NULL;
	TRUE(nereid_launch_on(k, w->device, w->stream, nereid_grid_of(4, 1, 1), args, 5, NULL, &e) ==
		NEREID_ERR_NOT_COMPILED);
	TRUE(strstr(nereid_error_text(e), "64"));
	nereid_error_free(e);
	in_one_piece(w, k, args);
	nereid_stream *s;
	MUST(nereid_stream_external(w->device, w->stream, &s, &err));
	MUST(nereid_prepare(k, s, nereid_grid_of(4, 1, 1), args, 5, NULL, &err));
	MUST(nereid_launch(k, s, nereid_grid_of(4, 1, 1), args, 5, NULL, &err));
	MUST(nereid_stream_sync(s, &err));
	nereid_stream_close(s);
	where_free(w, x, 0);
	nereid_kernel_close(k);
	nereid_module_close(m);
}

/* silent sets a log and drops it again: nothing of a compilation or of a kernel's print reaches it. */
static void silent(struct where *w) {
	nereid_config *c;
	MUST(nereid_config_new(false, &c, &err));
	MUST(nereid_config_log(c, record, NULL, NEREID_LOG_DEBUG, &err));
	MUST(nereid_config_log(c, NULL, NULL, NEREID_LOG_DEBUG, &err));
	nereid_module *m = parse(c);
	nereid_config_close(c);
	nereid_kernel *k = kernel_of(m, "scale");
	char *x = ones(w);
	nereid_arg args[] = {nereid_ptr(NEREID_FLOAT32, x, 4 * N), nereid_int(N), nereid_float(2), nereid_bool(true),
		nereid_int(128)};
	int before = records;
	MUST(nereid_launch_on(k, w->device, w->stream, nereid_grid_of(2, 1, 1), args, 5, NULL, &err));
	TRUE(records == before);
	where_wait(w);
	where_free(w, x, 0);
	nereid_kernel_close(k);
	nereid_module_close(m);
}

static void hooked(struct where *w) {
	nereid_config *c;
	nereid_hooks h;
	memset(&h, 0, sizeof h);
	h.size = sizeof h;
	h.user = &compiles;
	h.before_compile = before_compile;
	h.after_compile = after_compile;
	h.stage = stage;
	h.before_launch = before_launch;
	h.after_launch = after_launch;
	MUST(nereid_config_new(false, &c, &err));
	MUST(nereid_config_log(c, record, NULL, NEREID_LOG_DEBUG, &err));
	MUST(nereid_config_hooks(c, &h, &err));
	nereid_module *m = parse(c);
	nereid_config_close(c);
	nereid_kernel *k = kernel_of(m, "scale");
	char *x = ones(w);
	nereid_arg args[] = {nereid_ptr(NEREID_FLOAT32, x, 4 * N), nereid_int(N), nereid_float(2), nereid_bool(true),
		nereid_int(128)};
	for (int i = 0; i < 3; i++)
		MUST(nereid_launch_on(k, w->device, w->stream, nereid_grid_of(2, 1, 1), args, 5, NULL, &err));
	TRUE(compiles == 1 && stages > 2 && launches == 6 && records > 0 && prints == 1);
	refuse_compiles = 1;
	args[4] = nereid_int(64);
	nereid_error *e = NULL;
	TRUE(nereid_launch_on(k, w->device, w->stream, nereid_grid_of(4, 1, 1), args, 5, NULL, &e) ==
		NEREID_ERR_CANCELLED);
	nereid_error_free(e);
	refuse_compiles = 0;
	where_wait(w);
	where_free(w, x, 0);
	nereid_kernel_close(k);
	nereid_module_close(m);
}

/* tensors uses memory of the library's and streams of its own. */
static void tensors(struct where *w, nereid_module *m) {
	nereid_stream *s;
	nereid_tensor *t;
	nereid_kernel *k = kernel_of(m, "tuned");
	int64_t shape[] = {4, N / 4};
	float host[N];
	MUST(nereid_stream_new(w->device, &s, &err));
	MUST(nereid_tensor_new(w->device, NEREID_FLOAT32, shape, 2, &t, &err));
	TRUE(nereid_tensor_address(t) != 0);
	nereid_arg args[] = {nereid_tensor_arg(t), nereid_int(N)};
	for (int i = 0; i < 3; i++) {
		MUST(nereid_launch(k, s, nereid_grid_by(grid, NULL), args, 2, NULL, &err));
		MUST(nereid_stream_sync(s, &err));
	}
	MUST(nereid_tensor_read(t, host, sizeof host, &err));
	if (w->results)
		for (int i = 0; i < N; i++) TRUE(host[i] == (float)i);
	host[0] = 42;
	MUST(nereid_tensor_write(t, host, sizeof host, &err));
	host[0] = 0;
	MUST(nereid_tensor_read(t, host, sizeof host, &err));
	TRUE(host[0] == 42);
	nereid_error *e = NULL;
	TRUE(nereid_tensor_read(t, host, 1u << 30, &e) != NEREID_OK);
	nereid_error_free(e);
	e = NULL;
	TRUE(nereid_tensor_read(t, host, (size_t)-1, &e) == NEREID_ERR_ARGUMENT);
	nereid_error_free(e);
	nereid_tensor_close(t);
	e = NULL;
	TRUE(nereid_launch(k, s, nereid_grid_of(4, 1, 1), args, 2, NULL, &e) == NEREID_ERR_HANDLE);
	nereid_error_free(e);
	nereid_kernel_close(k);

	k = kernel_of(m, "scale");
	nereid_stream_cancel(s);
	nereid_arg more[] = {nereid_host(NEREID_FLOAT32, host, sizeof host), nereid_int(N), nereid_float(9),
		nereid_bool(true), nereid_int(32)};
	e = NULL;
	TRUE(nereid_launch(k, s, nereid_grid_of(8, 1, 1), more, 5, NULL, &e) == NEREID_ERR_CANCELLED);
	nereid_error_free(e);
	nereid_stream_close(s);
	/* Host memory for any device: a GPU gets a copy, which the call waits for. */
	for (int i = 0; i < 2; i++)
		MUST(nereid_launch_on(k, w->device, w->stream, nereid_grid_of(8, 1, 1), more, 5, NULL, &err));
	if (w->results) TRUE(host[1] == (1.0f * 9 + 0.5f) * 9 + 0.5f);
	nereid_kernel_close(k);
}

static void seen(void *user, const char *name, const char *info, const char *why) {
	TRUE(*name && (info != NULL) != (why != NULL));
	++*(int *)user;
}

int cmd_features(struct where *w, const char *dir) {
	int devices = 0;
	MUST(nereid_device_list(seen, &devices, &err));
	TRUE(devices >= 3 && *nereid_version());
	char *info = nereid_device_info(w->device), *names = nereid_device_stages(w->device);
	TRUE(info && *info && names && strstr(names, "ttir"));
	nereid_free(info);
	nereid_free(names);
	TRUE(nereid_dtype_of("float16") == NEREID_FLOAT16 && nereid_dtype_of("x") == NEREID_INVALID);
	TRUE(!strcmp(nereid_dtype_name(NEREID_BFLOAT16), "bf16") && nereid_dtype_size(NEREID_INT64) == 8);
	nereid_module *m = parse(NULL);
	names = nereid_module_kernels(m);
	TRUE(names && !strncmp(names, "scale\ntwice\n", 12));
	nereid_free(names);
	scales(w, m);
	mixes(w, m);
	types(w, m);
	frozen(w, m);
	saved(w, m);
	tensors(w, m);
	strict(w, dir);
	certified();
	silent(w);
	hooked(w);
	nereid_module_close(m);
	return 0;
}
