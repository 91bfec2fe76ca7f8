/* Plays the part of ONNX Runtime for a library of operators: gives it a table of functions, creates its
   kernels and hands them tensors, in host memory or, as the CUDA provider does, in a GPU's with a stream.
     provider LIBRARY cpu     results of all operators against plain loops, and calls that must fail
     provider LIBRARY cuda    the same on a GPU
     provider LIBRARY hip     the same on AMD's
     provider LIBRARY launch  launches alone, for a driver whose kernels do nothing */
#include "gpu.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLOAT = 1, SLOTS = 300, MAX_DIMS = 40 };

typedef struct {
	int code;
	char text[600];
} status;
typedef struct {
	int type;
	size_t rank;
	int64_t dims[MAX_DIMS];
	const char *symbols[MAX_DIMS];
	void *data;
	float *host;
} value;
typedef struct {
	const char *names[4];
	double numbers[4];
} attributes;
typedef struct {
	value *inputs[4], outputs[4];
	size_t count;
	void *stream;
} node;

enum { CPU, CUDA, HIP };
static const char *const providers[] = {
	"CPUExecutionProvider", "CUDAExecutionProvider", "ROCMExecutionProvider"};
static int gpu, wrong, checked;
static void *stream;

/* ---- what ONNX Runtime does, at its places in the table */

static status *make_status(int code, const char *text) {
	status *s = calloc(1, sizeof *s);
	s->code = code;
	snprintf(s->text, sizeof s->text, "%s", text);
	return s;
}
static void free_any(void *p) { free(p); }

static const void *operators[64];
static int operator_count, domain_count, added;
static status *create_domain(const char *name, void **out) {
	if (strcmp(name, "nereid") != 0) wrong++, printf("FAIL the domain is %s\n", name);
	return domain_count++, *out = (void *)name, NULL;
}
static status *add_operator(void *domain, const void *op) {
	return (void)domain, operators[operator_count++] = op, NULL;
}
static status *add_domain(void *options, void *domain) {
	return (void)options, (void)domain, added++, NULL;
}

static status *data_of(value *v, void **out) { return *out = v->data, NULL; }
static status *create_info(value **out) { return *out = calloc(1, sizeof **out), NULL; }
static status *set_type(value *v, int type) { return v->type = type, NULL; }
static status *set_dims(value *v, const int64_t *dims, size_t n) {
	return v->rank = n, memcpy(v->dims, dims, n * sizeof *dims), NULL;
}
static status *type_of(const value *v, int *type) { return *type = v->type, NULL; }
static status *rank_of(const value *v, size_t *rank) { return *rank = v->rank, NULL; }
static status *dims_of(const value *v, int64_t *dims, size_t n) {
	return memcpy(dims, v->dims, n * sizeof *dims), NULL;
}
static status *symbols_of(const value *v, const char **names, size_t n) {
	return memcpy(names, v->symbols, n * sizeof *names), NULL;
}
static status *set_symbols(value *v, const char **names, size_t n) {
	return memcpy(v->symbols, names, n * sizeof *names), NULL;
}
static status *info_of(const value *v, value **out) {
	return *out = malloc(sizeof **out), **out = *v, NULL;
}

static status *attribute(const attributes *a, const char *name, double *out) {
	int i;
	for (i = 0; i < 4 && a && a->names[i]; i++)
		if (strcmp(a->names[i], name) == 0) return *out = a->numbers[i], NULL;
	return make_status(1, "no such attribute");
}
static status *attribute_float(const attributes *a, const char *name, float *out) {
	double d = 0;
	status *e = attribute(a, name, &d);
	return *out = (float)d, e;
}
static status *attribute_int(const attributes *a, const char *name, int64_t *out) {
	double d = 0;
	status *e = attribute(a, name, &d);
	return *out = (int64_t)d, e;
}

static size_t elements(const value *v) {
	size_t n = 1, i;
	for (i = 0; i < v->rank; i++) n *= (size_t)v->dims[i];
	return n;
}
static void *device(const float *host, size_t n) {
	uint64_t p = 0;
	if (!gpu) return (void *)host;
	if (mem_alloc(&p, n * 4 + 16) || to_device(p, host, n * 4)) printf("no memory\n"), exit(1);
	return (void *)p;
}

static status *input(node *n, size_t i, const value **out) {
	return *out = i < n->count ? n->inputs[i] : NULL, NULL;
}
static status *output(node *n, size_t i, const int64_t *dims, size_t rank, value **out) {
	value *v = &n->outputs[i];
	v->type = FLOAT, set_dims(v, dims, rank);
	v->host = calloc(elements(v) + 1, 4);
	v->data = device(v->host, elements(v));
	return *out = v, NULL;
}
static status *stream_of(node *n, void **out) { return *out = n->stream, NULL; }
static status *infer_input(node *n, size_t i, value **out) { return *out = n->inputs[i], NULL; }
static status *infer_output(node *n, size_t i, const value *v) { return n->outputs[i] = *v, NULL; }
static status *parallel(
	void *context, void (*work)(void *, size_t), size_t total, size_t batch, void *arg) {
	size_t i;
	(void)context, (void)batch;
	for (i = 0; i < total; i++) work(arg, i);
	return NULL;
}

static const void *table[SLOTS];
static const void *get_api(uint32_t version) { return version > 17 ? NULL : (const void *)table; }
static const void *get_old_api(uint32_t version) { return version > 16 ? NULL : (const void *)table; }
static const char *get_version(void) { return "1.16.3"; }

static void fill(void) {
	table[0] = make_status, table[26] = create_domain, table[27] = add_operator, table[28] = add_domain;
	table[51] = data_of, table[57] = create_info, table[58] = set_type, table[59] = set_dims,
	table[60] = type_of;
	table[61] = rank_of, table[62] = dims_of, table[63] = symbols_of, table[65] = info_of;
	table[85] = attribute_float, table[86] = attribute_int, table[90] = input, table[91] = output;
	table[93] = free_any, table[99] = free_any, table[193] = stream_of, table[268] = infer_input;
	table[270] = infer_output, table[271] = set_symbols, table[274] = parallel;
}

/* ---- operators, as ONNX Runtime sees them: a version, then functions at these places */

enum {
	NAME = 2,
	PROVIDER = 3,
	INPUT_TYPE = 4,
	INPUTS = 5,
	OUTPUTS = 7,
	DESTROY = 9,
	CREATE = 17,
	COMPUTE = 18,
	INFER = 19
};
typedef struct {
	uint32_t version;
	void *functions[30];
} operator;
#define FN(op, place, type) ((type)((const operator *)(op))->functions[(place) - 1])

static const void *find(const char *name) {
	int i;
	for (i = 0; i < operator_count; i++) {
		const void *op = operators[i];
		const char *provider = FN(op, PROVIDER, const char *(*)(const void *))(op);
		if (strcmp(FN(op, NAME, const char *(*)(const void *))(op), name) != 0) continue;
		if (FN(op, INPUT_TYPE, int (*)(const void *, size_t))(op, 0) != FLOAT) continue;
		if (strcmp(provider, providers[gpu]) == 0) return op;
	}
	printf("there is no %s\n", name), exit(1);
}

/* compute runs a node. */
static status *compute(const char *name, const attributes *a, node *n) {
	const void *op = find(name);
	void *kernel = NULL;
	status *e = FN(op, CREATE, status * (*)(const void *, const void *, const attributes *, void **))(
		op, table, a, &kernel);
	n->stream = stream;
	if (e) return e;
	e = FN(op, COMPUTE, status * (*)(void *, node *))(kernel, n);
	FN(op, DESTROY, void (*)(void *))(kernel);
	return e;
}

static value *make(int seed, size_t rank, const int64_t *dims) {
	value *v = calloc(1, sizeof *v);
	size_t i;
	v->type = FLOAT, set_dims(v, dims, rank);
	v->host = malloc(elements(v) * 4 + 4);
	for (i = 0; i < elements(v); i++) v->host[i] = (float)((i * 37 + (size_t)seed * 11) % 101) / 40 - 1.2f;
	v->data = device(v->host, elements(v));
	return v;
}
#define T(seed, ...) make(seed, sizeof((int64_t[]){__VA_ARGS__}) / 8, (int64_t[]){__VA_ARGS__})

static void softmax_row(const float *x, float *y, int64_t n) {
	double sum = 0;
	int64_t i;
	for (i = 0; i < n; i++) sum += exp(x[i]);
	for (i = 0; i < n; i++) y[i] = (float)(exp(x[i]) / sum);
}

static void rms_row(const float *x, const float *w, float *y, int64_t n, double eps) {
	double sum = 0;
	int64_t i;
	for (i = 0; i < n; i++) sum += (double)x[i] * x[i];
	for (i = 0; i < n; i++) y[i] = (float)(x[i] * w[i] / sqrt(sum / (double)n + eps));
}

static void attention_head(const float *q, const float *k, const float *v, float *y, int64_t n, int64_t d,
	double scale, int causal) {
	double *p = malloc((size_t)n * sizeof *p), sum;
	int64_t i, j, c, last;
	for (i = 0; i < n; i++) {
		for (j = 0, sum = 0, last = causal ? i + 1 : n; j < last; j++) {
			for (c = 0, p[j] = 0; c < d; c++) p[j] += (double)q[i * d + c] * k[j * d + c];
			p[j] = exp(p[j] * scale), sum += p[j];
		}
		for (c = 0; c < d; c++) {
			double s = 0;
			for (j = 0; j < last; j++) s += p[j] / sum * v[j * d + c];
			y[i * d + c] = (float)s;
		}
	}
	free(p);
}

static int launch_only;

/* compare checks the first output of a node. */
static void compare(const char *what, status *e, node *n, const float *want, double allowed) {
	value *v = &n->outputs[0];
	double worst = 0;
	size_t i;
	checked++;
	if (e) {
		wrong++, printf("FAIL %s: %s\n", what, e->text);
		return;
	}
	if (launch_only) return;
	if (gpu && (synchronize() || to_host(v->host, (uint64_t)v->data, elements(v) * 4))) worst = 1e9;
	for (i = 0; i < elements(v); i++)
		if (!(fabs(v->host[i] - want[i]) <= worst)) worst = fabs(v->host[i] - want[i]);
	if (!(worst <= allowed)) wrong++;
	printf("%s %s: off by %.1e\n", worst <= allowed ? "ok" : "FAIL", what, worst);
}

static void results(double allowed) {
	static float want[400000];
	int64_t i;
	node a = {{T(1, 2, 3, 100)}, {{0}}, 1, 0}, b = {{T(2, 40, 300), T(3, 300)}, {{0}}, 2, 0},
		 wide = {{T(4, 3, 5000)}, {{0}}, 1, 0};
	attributes eps = {{"eps"}, {0.25}};
	for (i = 0; i < 6; i++) softmax_row(a.inputs[0]->host + 100 * i, want + 100 * i, 100);
	compare("Softmax 2x3x100", compute("Softmax", NULL, &a), &a, want, 1e-6);
	for (i = 0; i < 3; i++) softmax_row(wide.inputs[0]->host + 5000 * i, want + 5000 * i, 5000);
	compare("Softmax 3x5000", compute("Softmax", NULL, &wide), &wide, want, 1e-6);
	for (i = 0; i < 40; i++)
		rms_row(b.inputs[0]->host + 300 * i, b.inputs[1]->host, want + 300 * i, 300, 0.25);
	compare("RMSNorm 40x300", compute("RMSNorm", &eps, &b), &b, want, 1e-5);
	for (i = 0; i < 4; i++) {
		int causal = i & 1, d = i & 2 ? 64 : 32, h;
		node c = {{T(5, 1, 2, 70, d), T(6, 1, 2, 70, d), T(7, 1, 2, 70, d)}, {{0}}, 3, 0};
		attributes at = {{"causal", "scale"}, {causal, 0.5}};
		char name[64];
		if (!causal) at.names[1] = NULL; /* the default scale */
		snprintf(name, sizeof name, "Attention 1x2x70x%d%s", d, causal ? " causal" : "");
		for (h = 0; h < 2; h++)
			attention_head(c.inputs[0]->host + h * 70 * d, c.inputs[1]->host + h * 70 * d,
				c.inputs[2]->host + h * 70 * d, want + h * 70 * d, 70, d, causal ? 0.5 : 1 / sqrt(d),
				causal);
		compare(name, compute("Attention", &at, &c), &c, want, allowed);
	}
}

/* refused checks that a node fails with a text. */
static void refused(const char *name, const attributes *a, node n, const char *text) {
	status *e = compute(name, a, &n);
	checked++;
	if (e && strstr(e->text, text)) {
		free(e);
		return;
	}
	wrong++, printf("FAIL %s: \"%s\", want \"%s\"\n", name, e ? e->text : "no error", text);
}

static void refusals(void) {
	attributes odd = {{"causal"}, {7}};
	node none = {{NULL}, {{0}}, 0, 0}, empty = {{T(1, 0, 10)}, {{0}}, 1, 0};
	value *deep = T(1, 1);
	status *e;
	deep->rank = 33;
	refused("Softmax", NULL, none, "x is missing");
	refused("RMSNorm", NULL, (node){{T(1, 4, 8), T(2, 9)}, {{0}}, 2, 0},
		"dimension 0 of weight is 9, and must be 8");
	refused("RMSNorm", NULL, (node){{T(1, 4, 8), T(2, 1, 8)}, {{0}}, 2, 0},
		"weight has 2 dimensions, and must have 1");
	refused("Softmax", NULL, (node){{T(1, 2, 20000)}, {{0}}, 1, 0}, "takes these sizes");
	refused("Softmax", NULL, (node){{deep}, {{0}}, 1, 0}, "33 dimensions");
	refused("Attention", NULL, (node){{T(1, 2, 3, 4)}, {{0}}, 1, 0}, "q has 3 dimensions, and must have 4");
	refused("Attention", NULL, (node){{T(1, 1, 1, 9, 32), T(1, 1, 1, 8, 32)}, {{0}}, 2, 0},
		"dimension 2 of k is 8, and must be 9");
	refused("Attention", NULL,
		(node){{T(1, 1, 1, 9, 33), T(1, 1, 1, 9, 33), T(1, 1, 1, 9, 33)}, {{0}}, 3, 0},
		"takes these sizes");
	refused("Attention", &odd,
		(node){{T(1, 1, 1, 9, 32), T(1, 1, 1, 9, 32), T(1, 1, 1, 9, 32)}, {{0}}, 3, 0},
		"takes these sizes");
	checked++;
	if ((e = compute("Softmax", NULL, &empty)) != NULL || empty.outputs[0].rank != 2 ||
		empty.outputs[0].dims[1] != 10)
		wrong++, printf("FAIL empty: %s\n", e ? e->text : "wrong shape");
}

/* shapes checks what a model is told before it runs. */
static void shapes(void) {
	const void *op = find("Attention");
	value *q = T(1, 1, 2, 7, 32);
	node n = {{q, T(2, 1, 2, 7, 32), T(3, 1, 2, 7, 32)}, {{0}}, 3, 0};
	status *e;
	q->dims[0] = n.inputs[1]->dims[0] = n.inputs[2]->dims[0] = -1;
	q->symbols[0] = "batch";
	e = FN(op, INFER, status * (*)(const void *, node *))(op, &n);
	checked++;
	if (e || n.outputs[0].rank != 4 || n.outputs[0].dims[2] != 7 || !n.outputs[0].symbols[0] ||
		strcmp(n.outputs[0].symbols[0], "batch") != 0 || n.outputs[1].rank != 3 ||
		n.outputs[1].type != FLOAT)
		wrong++, printf("FAIL shapes\n");
}

/* open_stream makes the stream of the provider that is played. */
static void open_stream(void) {
	const char *name = getenv(gpu == HIP ? "NEREID_HIP" : "NEREID_CUDA");
	int (*create)(void **, unsigned) = NULL;
	void *lib = NULL;
	if (!name) name = gpu == HIP ? "libamdhip64.so" : "libcuda.so.1";
	if (gpu == HIP ? !open_hip() : !open_gpu()) lib = dlopen(name, RTLD_NOW);
	if (lib) *(void **)&create = dlsym(lib, gpu == HIP ? "hipStreamCreateWithFlags" : "cuStreamCreate");
	if (!create || create(&stream, 1)) printf("no GPU\n"), exit(1);
}

int main(int argc, char **argv) {
	struct {
		const void *(*api)(uint32_t);
		const char *(*version)(void);
	} base = {get_api, get_version}, old = {get_old_api, get_version};
	status *(*registration)(void *, const void *), *e;
	void *lib = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int round;
	if (!lib) return printf("%s\n", argc > 2 ? dlerror() : "usage: provider LIBRARY cpu|cuda|hip|launch"), 2;
	gpu = argv[2][0] == 'h' ? HIP : argv[2][1] != 'p' ? CUDA : CPU, launch_only = argv[2][0] == 'l';
	if (gpu) open_stream();
	fill();
	*(void **)&registration = dlsym(lib, "RegisterCustomOps");
	if ((e = registration(NULL, &old)) == NULL || !strstr(e->text, "1.17 or later, and this is 1.16.3"))
		wrong++, printf("FAIL an old version\n");
	for (round = 0; round < 2; round++) /* sessions share the operators */
		if ((e = registration(NULL, &base)) != NULL) return printf("%s\n", e->text), 1;
	if (domain_count != 1 || added != 2)
		wrong++, printf("FAIL %d domains, added %d times\n", domain_count, added);
	results(gpu ? 5e-3 : 1e-5);
	refusals();
	shapes();
	printf("%d operators, %d checks, %d wrong\n", operator_count, checked, wrong);
	return wrong != 0;
}
