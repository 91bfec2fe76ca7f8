/* Opens the shared library of the softmax table, LIBRARY, and tries it:
     library LIBRARY check   results of all variants, threads at once, a fork, unloading
     library LIBRARY bad     wrong calls, each of which has to return a status with a text
     library LIBRARY first   the time from dlopen to the first result, in microseconds */
#define _GNU_SOURCE
#include "softmax.h"
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 37, COLS = 1000 };

static struct {
	void *handle;
	__typeof__(&softmax_launch) launch;
	__typeof__(&softmax_find) find;
	__typeof__(&softmax_choose) choose;
	__typeof__(&softmax_runs) runs;
	__typeof__(&softmax_error) error;
	__typeof__(&softmax_status) status;
	__typeof__(&softmax_softmax_fp32_1024) kernel;
	__typeof__(&softmax_softmax_fp32) group;
	__typeof__(&softmax_chosen) chosen;
	__typeof__(&softmax_name) name;
} lib;

static void open_library(const char *name) {
	if (!(lib.handle = dlopen(name, RTLD_NOW | RTLD_LOCAL))) printf("%s\n", dlerror()), exit(1);
	*(void **)&lib.launch = dlsym(lib.handle, "softmax_launch");
	*(void **)&lib.find = dlsym(lib.handle, "softmax_find");
	*(void **)&lib.choose = dlsym(lib.handle, "softmax_choose");
	*(void **)&lib.runs = dlsym(lib.handle, "softmax_runs");
	*(void **)&lib.error = dlsym(lib.handle, "softmax_error");
	*(void **)&lib.status = dlsym(lib.handle, "softmax_status");
	*(void **)&lib.kernel = dlsym(lib.handle, "softmax_softmax_fp32_1024");
	*(void **)&lib.group = dlsym(lib.handle, "softmax_softmax_fp32");
	*(void **)&lib.chosen = dlsym(lib.handle, "softmax_chosen");
	*(void **)&lib.name = dlsym(lib.handle, "softmax_name");
	if (!lib.kernel) printf("no softmax_softmax_fp32_1024\n"), exit(1);
}

/* softmax launches a softmax by the function of the group, or with no variant's name by that of a variant,
   and returns how many elements are wrong. */
static int softmax(const softmax_place *where, int rows, int cols, const char *variant) {
	float *x = malloc(sizeof *x * rows * cols), *y = malloc(sizeof *y * rows * cols);
	int r, i, bad = 0, status;
	for (i = 0; i < rows * cols; i++) x[i] = (float)(i * 7 % 33) / 8 - 2, y[i] = -1;
	if (variant) status = lib.group(where, rows, y, x, cols, cols, cols);
	else status = lib.kernel(where, rows, 1, 1, y, x, cols, cols, cols);
	if (status) return printf("%s\n", lib.error()), 1;
	if (variant && strcmp(lib.name(lib.chosen()), variant) != 0)
		bad++, printf("FAIL %s for %d columns, want %s\n", lib.name(lib.chosen()), cols, variant);
	for (r = 0; r < rows; r++) {
		double sum = 0;
		for (i = 0; i < cols; i++) sum += exp(x[r * cols + i]);
		for (i = 0; i < cols; i++) bad += !(fabs(y[r * cols + i] - exp(x[r * cols + i]) / sum) < 1e-6);
	}
	free(x), free(y);
	return bad;
}

static int try(const softmax_place *where, int rows) { return softmax(where, rows, COLS, 0); }

static void *many(void *arg) {
	softmax_place where = {0, 0, 4};
	int i, *bad = arg;
	for (i = 0; i < 6; i++) *bad += try(&where, 3 * ROWS);
	return 0;
}

static int check(const char *name) {
	enum { THREADS = 16 };
	pthread_t threads[THREADS];
	int counts[THREADS] = {0}, bad = 0, i, status;
	bad += try(0, ROWS);
	bad += softmax(0, 3, 10, "softmax_fp32_1024") + softmax(0, 3, 1024, "softmax_fp32_1024");
	bad += softmax(0, 3, 1025, "softmax_fp32_2048") + softmax(0, 3, 16384, "softmax_fp32_16384");
	for (i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, many, &counts[i]);
	for (i = 0; i < THREADS; i++) pthread_join(threads[i], 0), bad += counts[i];
	if (fork() == 0) { /* a child has none of the threads */
		softmax_place where = {0, 0, 4};
		_exit(try(&where, 50 * ROWS) != 0);
	}
	if (wait(&status) < 0 || status != 0) bad++, printf("FAIL after fork: %d\n", status);
	for (i = 0; i < 3; i++) { /* unloading ends the threads */
		dlclose(lib.handle);
		open_library(name);
		bad += try(0, 50 * ROWS);
	}
	printf("%d bad\n", bad);
	return bad != 0;
}

static int calls, wrong;

static void expect(int got, int want, const char *text) {
	calls++;
	if (got == want && strstr(lib.error(), text) && strcmp(lib.status(got), "ok") != 0) return;
	wrong++;
	printf("FAIL %d: %d (%s), want %d with \"%s\"\n", calls, got, lib.error(), want, text);
}

static int bad(void) {
	float x[16] __attribute__((aligned(64))) = {0}, y[16];
	uint64_t words[5] = {(uintptr_t)y, (uintptr_t)x, 16, 16, 16};
	softmax_place gpu = {1, 0, 0};
	const softmax_variant *v = lib.find("softmax_fp32_1024");
	const char *odd[] = {"BLOCK_SIZE", 0};
	expect(lib.launch(0, 0, 1, 1, 1, words), softmax_NOT_FOUND, "no such variant");
	expect(
		lib.launch(lib.find("softmax_fp32_1023"), 0, 1, 1, 1, words), softmax_NOT_FOUND, "no such variant");
	expect(lib.launch(v, 0, 1, 1, 1, 0), softmax_BAD_ARGUMENT, "no arguments");
	expect(lib.kernel(0, 1, 1, 1, 0, x, 16, 16, 16), softmax_BAD_ARGUMENT, "out_ptr is a null pointer");
	expect(lib.kernel(0, 1, 1, 1, y, 0, 16, 16, 16), softmax_BAD_ARGUMENT, "in_ptr is a null pointer");
	expect(lib.kernel(0, 0xffffffff, 0xffffffff, 0xffffffff, y, x, 16, 16, 16), softmax_BAD_ARGUMENT,
		"too large");
	expect(lib.kernel(&gpu, 1, 1, 1, y, x, 16, 16, 16), softmax_NO_DEVICE, "no CUDA driver");
	expect(lib.runs(v, &gpu) ? 0 : softmax_NO_DEVICE, softmax_NO_DEVICE, "no CUDA driver");
	expect(lib.find("nothing") ? 0 : softmax_NOT_FOUND, softmax_NOT_FOUND, "no variant nothing");
	expect(lib.find(0) ? 0 : softmax_NOT_FOUND, softmax_NOT_FOUND, "without a name");
	expect(lib.choose(0, 0, 0, 0) ? 0 : softmax_NOT_FOUND, softmax_NOT_FOUND, "without a name");
	expect(lib.choose("softmax_fp32", odd, 0, 0) ? 0 : softmax_NOT_FOUND, softmax_NOT_FOUND, "fits");
	expect(lib.group(0, 1, y, x, 16, 16, 16385), softmax_NOT_FOUND, "softmax_fp32 takes these sizes");
	expect(lib.group(0, -1, y, x, 16, 16, 16), softmax_BAD_ARGUMENT, "a grid has no size of -1");
	expect(lib.group(0, 1, y, 0, 16, 16, 16), softmax_BAD_ARGUMENT,
		"softmax_fp32_1024: in_ptr is a null pointer");
	expect(lib.group(0, 1, y, 0, 16, 16, 2000), softmax_BAD_ARGUMENT,
		"softmax_fp32_2048: in_ptr is a null pointer");
	if (lib.group(0, 1, y, x, 16, 16, 2) || *lib.error()) wrong++, printf("FAIL %s\n", lib.error());
	if (lib.kernel(0, 1, 1, 1, y, x, 16, 16, 16) || *lib.error()) wrong++, printf("FAIL %s\n", lib.error());
	if (lib.launch(v, 0, 0, 1, 1, words)) wrong++, printf("FAIL an empty grid\n");
	printf("%d calls, %d wrong\n", calls, wrong);
	return wrong != 0;
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

int main(int argc, char **argv) {
	double start = now();
	if (argc < 3) return 2;
	open_library(argv[1]);
	switch (argv[2][0]) {
	case 'c': return check(argv[1]);
	case 'b': return bad();
	}
	{
		static float x[COLS], y[COLS];
		if (lib.kernel(0, 1, 1, 1, y, x, COLS, COLS, COLS) || fabs(y[0] - 1.0 / COLS) > 1e-6)
			return printf("%s\n", lib.error()), 1;
	}
	printf("%.0f\n", now() - start);
	return 0;
}
