/* Recorded launches, in the form that cases_test.go writes. */
#include "program.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_ARGS = 64, MAX_STORAGES = 32, ROOM = 1 << 20 };

struct one_case {
	char path[512], kernel[128];
	nereid_grid grid;
	nereid_options options;
	size_t bytes[MAX_STORAGES];
	char *memory[MAX_STORAGES];
	int storages;
	/* Items of tuples, names, texts and descriptors live until the end of the case. */
	void *owned[1024];
	int n_owned;
	nereid_arg args[MAX_ARGS];
	int n;
};

static void *own(struct one_case *c, size_t bytes) {
	TRUE(c->n_owned < 1024);
	void *p = calloc(1, bytes);
	TRUE(p);
	c->owned[c->n_owned++] = p;
	return p;
}

static int64_t integer(FILE *f) {
	int64_t v;
	TRUE(fscanf(f, "%" SCNd64, &v) == 1);
	return v;
}

/* word reads a text without blanks; "-" means none. */
static char *word(struct one_case *c, FILE *f) {
	char buffer[512];
	TRUE(fscanf(f, "%511s", buffer) == 1);
	if (!strcmp(buffer, "-")) return NULL;
	char *copy = (char *)own(c, strlen(buffer) + 1);
	return strcpy(copy, buffer);
}

/* hex reads a text of hexadecimal digits behind an x. */
static char *hex(struct one_case *c, FILE *f) {
	char buffer[512];
	TRUE(fscanf(f, "%511s", buffer) == 1 && buffer[0] == 'x');
	size_t n = strlen(buffer + 1) / 2;
	char *text = (char *)own(c, n + 1);
	for (size_t i = 0; i < n; i++) {
		unsigned byte;
		TRUE(sscanf(buffer + 1 + 2 * i, "%2x", &byte) == 1);
		text[i] = (char)byte;
	}
	return text;
}

static int64_t *integers(struct one_case *c, FILE *f, int n) {
	int64_t *list = (int64_t *)own(c, (size_t)n * sizeof *list);
	for (int i = 0; i < n; i++) list[i] = integer(f);
	return list;
}

/* pointer reads a place in a storage. The kernel may reach as far as the room around it does. */
static nereid_arg pointer(struct one_case *c, FILE *f) {
	nereid_dtype dtype = (nereid_dtype)integer(f);
	int storage = (int)integer(f);
	int64_t offset = integer(f);
	TRUE(storage >= 0 && storage < c->storages);
	size_t element = nereid_dtype_size(dtype);
	size_t bytes = c->bytes[storage] + ROOM - (size_t)offset;
	return nereid_ptr(dtype, c->memory[storage] + offset, bytes / element * element);
}

static nereid_arg read_arg(struct one_case *c, FILE *f);

static nereid_arg descriptor(struct one_case *c, FILE *f) {
	nereid_descriptor *d = (nereid_descriptor *)own(c, sizeof *d);
	d->base = pointer(c, f);
	d->ndim = (uint32_t)integer(f);
	d->shape = integers(c, f, (int)d->ndim);
	d->strides = integers(c, f, (int)d->ndim);
	d->block = integers(c, f, (int)d->ndim);
	d->nan = (uint32_t)integer(f);
	return nereid_desc(d);
}

static nereid_arg tuple(struct one_case *c, FILE *f) {
	int n = (int)integer(f);
	nereid_arg *items = (nereid_arg *)own(c, (size_t)(n + 1) * sizeof *items);
	for (int i = 0; i < n; i++) items[i] = read_arg(c, f);
	return nereid_tuple(items, (uint32_t)n);
}

static nereid_arg float_of(int64_t bits) {
	double v;
	memcpy(&v, &bits, sizeof v);
	return nereid_float(v);
}

static nereid_arg value_of(struct one_case *c, FILE *f, const char *kind) {
	if (!strcmp(kind, "tensor")) return pointer(c, f);
	if (!strcmp(kind, "descriptor")) return descriptor(c, f);
	if (!strcmp(kind, "int")) return nereid_int(integer(f));
	if (!strcmp(kind, "uint")) return nereid_uint64((uint64_t)integer(f));
	if (!strcmp(kind, "float")) return float_of(integer(f));
	if (!strcmp(kind, "bool")) return nereid_bool(integer(f) != 0);
	if (!strcmp(kind, "str")) return nereid_string(hex(c, f));
	if (!strcmp(kind, "function")) return nereid_func(hex(c, f));
	if (!strcmp(kind, "dtype")) return nereid_type((nereid_dtype)integer(f));
	if (!strcmp(kind, "tuple")) return tuple(c, f);
	TRUE(!strcmp(kind, "none"));
	return nereid_none();
}

static nereid_arg read_arg(struct one_case *c, FILE *f) {
	char *kind = word(c, f), *name = word(c, f);
	int is_const = (int)integer(f);
	nereid_arg a = value_of(c, f, kind);
	a.name = name;
	return is_const ? nereid_const(a) : a;
}

/* path_of returns FILE.suffix. */
static char *path_of(struct one_case *c, const char *file, const char *suffix) {
	char *path = (char *)own(c, strlen(file) + strlen(suffix) + 1);
	strcpy(path, file);
	return strcat(path, suffix);
}

static void read_storages(struct where *w, struct one_case *c, FILE *f, const char *file) {
	FILE *data = fopen(path_of(c, file, ".before"), "rb");
	TRUE(data);
	c->storages = (int)integer(f);
	TRUE(c->storages <= MAX_STORAGES);
	for (int i = 0; i < c->storages; i++) {
		c->bytes[i] = (size_t)integer(f);
		void *bytes = malloc(c->bytes[i] + 1);
		TRUE(fread(bytes, 1, c->bytes[i], data) == c->bytes[i]);
		c->memory[i] = where_alloc(w, bytes, c->bytes[i], ROOM);
		free(bytes);
	}
	fclose(data);
}

static void read_case(struct where *w, struct one_case *c, const char *file) {
	FILE *f = fopen(file, "r");
	TRUE(f);
	TRUE(fscanf(f, "%511s %127s", c->path, c->kernel) == 2);
	c->grid.x = (uint32_t)integer(f);
	c->grid.y = (uint32_t)integer(f);
	c->grid.z = (uint32_t)integer(f);
	c->options.size = sizeof c->options;
	c->options.num_warps = (int32_t)integer(f);
	c->options.num_stages = (int32_t)integer(f);
	c->options.num_ctas = (int32_t)integer(f);
	c->options.maxnreg = (int32_t)integer(f);
	c->options.flags = (uint32_t)integer(f);
	read_storages(w, c, f, file);
	c->n = (int)integer(f);
	TRUE(c->n <= MAX_ARGS);
	for (int i = 0; i < c->n; i++) c->args[i] = read_arg(c, f);
	fclose(f);
}

/* write_after writes the storages, and the IR that the launch was compiled from. */
static void write_after(struct where *w, struct one_case *c, nereid_kernel *k, const char *file) {
	FILE *f = fopen(path_of(c, file, ".after"), "wb");
	TRUE(f);
	for (int i = 0; i < c->storages; i++) {
		char *bytes = (char *)malloc(c->bytes[i] + 1);
		where_read(w, bytes, c->memory[i], c->bytes[i]);
		TRUE(fwrite(bytes, 1, c->bytes[i], f) == c->bytes[i]);
		free(bytes);
	}
	fclose(f);
	char *signature;
	nereid_code *code;
	MUST(nereid_kernel_signature(k, c->args, (size_t)c->n, &signature, &err));
	MUST(nereid_compile(k, "cuda:90", signature, &c->options, "ttir", &code, &err));
	size_t n;
	char *ir = nereid_code_stage(code, "ttir", &n);
	TRUE(ir && n > 0 && strlen(ir) == n);
	TRUE((f = fopen(path_of(c, file, ".ir"), "wb")) != NULL);
	fwrite(ir, 1, n, f);
	fclose(f);
	nereid_free(ir);
	nereid_free(signature);
	nereid_code_close(code);
}

void run_case(struct where *w, const char *file, int quiet) {
	struct one_case *c = (struct one_case *)calloc(1, sizeof *c);
	read_case(w, c, file);
	nereid_module *m;
	nereid_kernel *k;
	MUST(nereid_module_load(c->path, NULL, &m, &err));
	MUST(nereid_module_kernel(m, c->kernel, &k, &err));
	nereid_module_close(m); /* the kernel keeps it */
	MUST(nereid_launch_on(k, w->device, w->stream, c->grid, c->args, (size_t)c->n, &c->options, &err));
	where_wait(w);
	if (!quiet) write_after(w, c, k, file);
	nereid_kernel_close(k);
	for (int i = 0; i < c->storages; i++) where_free(w, c->memory[i], ROOM);
	for (int i = 0; i < c->n_owned; i++) free(c->owned[i]);
	free(c);
}
