/* Measures launches on a GPU, in nanoseconds of the host's time: cuLaunchKernel alone, and through the
   library, by a variant's function, by a group's, and by words.
     launches LIBRARY CUBIN5 CUBIN17
   The two files hold the code of five_128 and seventeen_128 for cuLaunchKernel. The program checks the
   results of the library, unless NEREID_STUB_LOG says that kernels do nothing. */
#include "launches.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 100, BATCH = 200, ROUNDS = 301, WAYS = 4 };

static int (*launch_kernel)(
	void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
static int (*synchronize)(void);
static void *driver, *library, *stream;

static struct {
	__typeof__(&launches_five_128) five;
	__typeof__(&launches_five) five_group;
	__typeof__(&launches_seventeen_128) seventeen;
	__typeof__(&launches_seventeen) seventeen_group;
	__typeof__(&launches_launch) launch;
	__typeof__(&launches_find) find;
	__typeof__(&launches_error) error;
} lib;

static void *symbol(void *from, const char *name) {
	void *p = dlsym(from, name);
	if (!p) printf("there is no %s\n", name), exit(1);
	return p;
}

static void call(int e, const char *what) {
	if (e) printf("%s: %d %s\n", what, e, lib.error ? lib.error() : ""), exit(1);
}

static char *file(const char *name) {
	enum { most = 1 << 20 };
	FILE *f = fopen(name, "rb");
	char *p = calloc(1, most);
	if (!f || !fread(p, 1, most - 1, f)) printf("cannot read %s\n", name), exit(1);
	fclose(f);
	return p;
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int less(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static uint64_t x, y, out;
static int n = N, twelve[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static float scale = 2;

/* batch launches a kernel of 5 or 17 arguments many times in one of the ways. */
static double batch(int way, int many, void *function, const launches_variant *v) {
	launches_place gpu = {1, stream, 0};
	uint64_t words[17] = {x, y, out, (uint64_t)n};
	void *params[17] = {&x, &y, &out, &n, &scale}, *px = (void *)x, *py = (void *)y, *po = (void *)out;
	int i, e = 0, *t = twelve;
	double start;
	memcpy(&words[4], &scale, sizeof scale);
	for (i = 0; i < 12; i++) params[5 + i] = &twelve[i], words[5 + i] = (uint64_t)twelve[i];
	call(synchronize(), "cuCtxSynchronize");
	start = now();
	for (i = 0; i < BATCH && !e; i++) switch (way) {
		case 0: e = launch_kernel(function, 1, 1, 1, 32, 1, 1, 0, stream, params, 0); break;
		case 1:
			if (!many) e = lib.five(&gpu, 1, 1, 1, px, py, po, n, scale);
			else
				e = lib.seventeen(&gpu, 1, 1, 1, px, py, po, n, scale, t[0], t[1], t[2], t[3], t[4], t[5],
					t[6], t[7], t[8], t[9], t[10], t[11]);
			break;
		case 2:
			if (!many) e = lib.five_group(&gpu, px, py, po, n, scale);
			else
				e = lib.seventeen_group(&gpu, px, py, po, n, scale, t[0], t[1], t[2], t[3], t[4], t[5],
					t[6], t[7], t[8], t[9], t[10], t[11]);
			break;
		case 3: e = lib.launch(v, &gpu, 1, 1, 1, words);
		}
	start = now() - start;
	call(e, "launch");
	return start / BATCH;
}

static void measure(int many, const char *cubin) {
	static const char *const ways[WAYS] = {"cuLaunchKernel", "variant", "group", "words"};
	static double took[WAYS][ROUNDS];
	const char *name = many ? "seventeen_128" : "five_128";
	void *module, *function;
	int i, way;
	const launches_variant *v = lib.find(name);
	int (*load)(void **, const void *);
	int (*get)(void **, void *, const char *);
	*(void **)&load = symbol(driver, "cuModuleLoadData");
	*(void **)&get = symbol(driver, "cuModuleGetFunction");
	call(load(&module, file(cubin)), "cuModuleLoadData");
	call(get(&function, module, many ? "seventeen" : "five"), "cuModuleGetFunction");
	for (i = 0; i < ROUNDS; i++)
		for (way = 0; way < WAYS; way++) took[way][i] = batch(way, many, function, v);
	for (way = 0; way < WAYS; way++) qsort(took[way], ROUNDS, sizeof(double), less);
	for (way = 0; way < WAYS; way++)
		printf("%d arguments, %s: median %.0f ns, best %.0f, over cuLaunchKernel %+.0f\n", many ? 17 : 5,
			ways[way], took[way][ROUNDS / 2], took[way][0], took[way][ROUNDS / 2] - took[0][ROUNDS / 2]);
}

static void setup(const char *name) {
	const char *cuda = getenv("NEREID_CUDA");
	void *context;
	if (!(driver = dlopen(cuda ? cuda : "libcuda.so.1", RTLD_NOW))) printf("%s\n", dlerror()), exit(1);
	if (!(library = dlopen(name, RTLD_NOW))) printf("%s\n", dlerror()), exit(1);
	*(void **)&lib.five = symbol(library, "launches_five_128");
	*(void **)&lib.five_group = symbol(library, "launches_five");
	*(void **)&lib.seventeen = symbol(library, "launches_seventeen_128");
	*(void **)&lib.seventeen_group = symbol(library, "launches_seventeen");
	*(void **)&lib.launch = symbol(library, "launches_launch");
	*(void **)&lib.find = symbol(library, "launches_find");
	*(void **)&lib.error = symbol(library, "launches_error");
	*(void **)&launch_kernel = symbol(driver, "cuLaunchKernel");
	*(void **)&synchronize = symbol(driver, "cuCtxSynchronize");
	call(((int (*)(unsigned))symbol(driver, "cuInit"))(0), "cuInit");
	call(((int (*)(void **, int))symbol(driver, "cuDevicePrimaryCtxRetain"))(&context, 0),
		"cuDevicePrimaryCtxRetain");
	call(((int (*)(void *))symbol(driver, "cuCtxSetCurrent"))(context), "cuCtxSetCurrent");
	call(((int (*)(void **, unsigned))symbol(driver, "cuStreamCreate"))(&stream, 1), "cuStreamCreate");
}

/* results checks what the kernels compute, through the group's functions. */
static int results(void) {
	float data[N];
	int i, *t = twelve, bad = 0;
	launches_place gpu = {1, stream, 0};
	int (*to_device)(uint64_t, const void *, size_t);
	int (*to_host)(void *, uint64_t, size_t);
	*(void **)&to_device = symbol(driver, "cuMemcpyHtoD_v2");
	*(void **)&to_host = symbol(driver, "cuMemcpyDtoH_v2");
	for (i = 0; i < N; i++) data[i] = (float)i;
	call(to_device(x, data, sizeof data) || to_device(y, data, sizeof data), "cuMemcpyHtoD");
	call(lib.five_group(&gpu, (void *)x, (void *)y, (void *)out, n, scale), "five");
	call(synchronize() || to_host(data, out, sizeof data), "cuMemcpyDtoH");
	for (i = 0; i < N; i++) bad += data[i] != (float)(3 * i);
	call(lib.seventeen_group(&gpu, (void *)x, (void *)y, (void *)out, n, scale, t[0], t[1], t[2], t[3],
			 t[4], t[5], t[6], t[7], t[8], t[9], t[10], t[11]),
		"seventeen");
	call(synchronize() || to_host(data, out, sizeof data), "cuMemcpyDtoH");
	for (i = 0; i < N; i++) bad += data[i] != (float)(3 * i + 78);
	printf("%d of %d results are wrong\n", bad, 2 * N);
	return bad != 0;
}

int main(int argc, char **argv) {
	int (*mem_alloc)(uint64_t *, size_t);
	if (argc < 4) return 2;
	setup(argv[1]);
	*(void **)&mem_alloc = symbol(driver, "cuMemAlloc_v2");
	call(mem_alloc(&x, 4096) || mem_alloc(&y, 4096) || mem_alloc(&out, 4096), "cuMemAlloc");
	if (!getenv("NEREID_STUB_LOG") && results()) return 1;
	measure(0, argv[2]);
	measure(1, argv[3]);
	return 0;
}
