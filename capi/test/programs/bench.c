/* bench: host time of a warm launch, through the library and by cuLaunchKernel, in one process.
 *
 *     bench [TARGET]      TARGET is what cuda:0 is, "cuda:90"
 *
 * It prints a line for each number of parameters: the median of batches of launches, in nanoseconds, by
 * cuLaunchKernel, by nereid_launch_on and by nereid_bound_launch, and what the latter two add. */
#include "check.h"
#include "cuda.h"

#include <string.h>
#include <time.h>

static const char text[] =
	"import triton\n"
	"import triton.language as tl\n"
	"\n"
	"@triton.jit\n"
	"def five(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):\n"
	"    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
	"    tl.store(out_ptr + at, tl.load(x_ptr + at, at < n) + tl.load(y_ptr + at, at < n), at < n)\n"
	"\n"
	"@triton.jit\n"
	"def seventeen(a_ptr, b_ptr, c_ptr, m, n, k, am, ak, bk, bn, cm, cn, BM: tl.constexpr, BN: tl.constexpr,\n"
	"              BK: tl.constexpr, GROUP: tl.constexpr, ACTIVATION: tl.constexpr):\n"
	"    at = tl.program_id(0) * BM + tl.arange(0, BM)\n"
	"    v = tl.load(a_ptr + at, at < m) + tl.load(b_ptr + at, at < n)\n"
	"    tl.store(c_ptr + at, v + k + am + ak + bk + bn + cm + cn, at < m)\n";

enum { BATCH = 100, BATCHES = 400, WAYS = 3 };

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* number returns the number behind a key of a JSON text. */
static unsigned number(const char *json, const char *key) {
	const char *at = strstr(json, key);
	TRUE(at);
	return (unsigned)strtoul(strpbrk(at + strlen(key), "0123456789"), NULL, 10);
}

struct bench {
	nereid_kernel *k;
	nereid_device *dev;
	nereid_bound *bound;
	void *stream, *function;
	unsigned threads, shared;
	nereid_arg *args;
	size_t n;
	void *params[32];
	size_t words;
};

static void launch(struct bench *b, int way) {
	switch (way) {
	case 0:
		CU(cuda.launch(b->function, 1, 1, 1, b->threads, 1, 1, b->shared, b->stream, b->params, NULL));
		break;
	case 1:
		MUST(nereid_launch_on(b->k, b->dev, b->stream, nereid_grid_of(1, 1, 1), b->args, b->n, NULL, &err));
		break;
	default:
		MUST(nereid_bound_launch(b->bound, b->stream, 1, 1, 1, b->params, b->words, &err));
	}
}

static void run(struct bench *b, const char *name) {
	static double times[WAYS][BATCHES];
	for (int i = -20; i < BATCHES; i++)
		for (int way = 0; way < WAYS; way++) {
			double start = now();
			for (int j = 0; j < BATCH; j++) launch(b, way);
			if (i >= 0) times[way][i] = (now() - start) / BATCH;
			CU(cuda.stream_synchronize(b->stream));
		}
	double median[WAYS];
	for (int way = 0; way < WAYS; way++) {
		qsort(times[way], BATCHES, sizeof(double), compare);
		median[way] = times[way][BATCHES / 2];
	}
	printf("%-10s cuLaunchKernel %7.0f ns  nereid_launch_on %7.0f ns (+%.0f)  "
		"nereid_bound_launch %7.0f ns (+%.0f)\n",
		name, median[0], median[1], median[1] - median[0], median[2], median[2] - median[0]);
}

/* prepare loads the kernel's code a second time, for cuLaunchKernel. */
static void prepare(struct bench *b, nereid_module *m, const char *name, const char *target) {
	MUST(nereid_module_kernel(m, name, &b->k, &err));
	launch(b, 1);
	CU(cuda.stream_synchronize(b->stream));
	MUST(nereid_bind(b->k, b->dev, b->args, b->n, NULL, &b->bound, &err));
	char *signature, *json;
	nereid_code *code;
	MUST(nereid_kernel_signature(b->k, b->args, b->n, &signature, &err));
	MUST(nereid_compile(b->k, target, signature, NULL, "ptx", &code, &err));
	MUST(nereid_code_info(code, &json, &err));
	b->threads = number(json, "\"block\"");
	b->shared = number(json, "\"shared\"");
	char *ptx = nereid_code_stage(code, "ptx", NULL);
	TRUE(ptx);
	void *module;
	CU(cuda.module_load(&module, ptx));
	CU(cuda.get_function(&b->function, module, name));
	b->words = nereid_bound_params(b->bound);
	nereid_free(ptx);
	nereid_free(json);
	nereid_free(signature);
	nereid_code_close(code);
}

int main(int argc, char **argv) {
	const char *target = argc > 1 ? argv[1] : "cuda:90";
	if (!cuda_open()) {
		printf("skipped: no CUDA driver\n");
		return 0;
	}
	void *ctx, *stream;
	int device;
	CU(cuda.device_get(&device, 0));
	CU(cuda.primary_retain(&ctx, device));
	CU(cuda.set_current(ctx));
	CU(cuda.stream_create(&stream, 1));
	uint64_t p[3];
	for (int i = 0; i < 3; i++) CU(cuda.alloc(&p[i], 1 << 16));
	nereid_device *dev;
	nereid_module *m;
	MUST(nereid_device_open("cuda:0", &dev, &err));
	MUST(nereid_module_parse("bench.py", text, strlen(text), NULL, &m, &err));

	int32_t ints[9];
	nereid_arg args[17];
	for (int i = 0; i < 3; i++) args[i] = nereid_ptr(NEREID_FLOAT32, (void *)p[i], 1 << 16);
	struct bench b = {.dev = dev, .stream = stream, .args = args, .n = 5};
	for (int i = 0; i < 3; i++) b.params[i] = &p[i];
	for (int i = 0; i < 9; i++) {
		ints[i] = 100 + i;
		b.params[3 + i] = &ints[i];
	}
	ints[0] = 128;
	args[3] = nereid_int(ints[0]);
	args[4] = nereid_int(128);
	prepare(&b, m, "five", target);
	TRUE(b.words == 4);
	run(&b, "5 params");

	for (int i = 0; i < 9; i++) args[3 + i] = nereid_int(ints[i]);
	for (int i = 0; i < 4; i++) args[12 + i] = nereid_int(128);
	args[16] = nereid_string("leaky_relu");
	b.n = 17;
	prepare(&b, m, "seventeen", target);
	TRUE(b.words == 12);
	run(&b, "17 params");
	return 0;
}
