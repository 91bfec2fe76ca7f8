/* Launches the variants of forms.toml with arguments for which they choose different forms of code, and with
   some for which only the general form is right, and compares the results: on the first GPU, through the
   group's functions and those of variants. */
#include "forms.h"
#include "gpu.h"
#include <string.h>

enum { SIZE = 1 << 16 };
static float x[SIZE], y[SIZE], z[SIZE];
static uint64_t dx, dy, dz;
static forms_place gpu = {1, 0, 0};
static int bad, all;

static void begin(void) {
	int i;
	for (i = 0; i < SIZE; i++) x[i] = (float)(i * 7 % 11), z[i] = (float)(i * 5 % 13), y[i] = -1;
	if (to_device(dx, x, sizeof x) || to_device(dy, y, sizeof y) || to_device(dz, z, sizeof z)) exit(1);
}

/* end counts a launch as bad whose first n results are others, or that wrote more. */
static void end(const char *name, int first, int second, int status, int n, float (*want)(int, int, int)) {
	int i, wrong = 0;
	all++;
	if (status || synchronize() || to_host(y, dy, sizeof y)) {
		bad++, printf("FAIL %s %d %d: %s\n", name, first, second, forms_error());
		return;
	}
	for (i = 0; i < SIZE; i++) {
		float w = i < n ? want(i, first, second) : -1;
		if (y[i] != w && wrong++ < 3) printf("%s %d %d: %d is %g, not %g\n", name, first, second, i, y[i], w);
	}
	bad += wrong != 0;
}

static float want_rows(int i, int s, int unused) {
	int r = i / 32, c = i % 32;
	return (void)unused, x[r * s + c] + x[(32 + r) * s + c] + x[(64 + r) * s + c];
}
static float want_stored(int i, int s, int unused) { return (void)unused, x[i / 32 * s + i % 32] + 1; }
static float want_add(int i, int a, int b) { return (void)a, (void)b, x[i] + 1; }
static float want_strided(int i, int a, int s) { return (void)a, x[i * s] + 1; }
static int programs;
static float want_divide(int i, int m, int wide) {
	return (float)(i % m * 64 + i / m + i / wide + i % wide + programs % m);
}
static float want_mm(int i, int n, int k) {
	float sum = 0;
	int j;
	for (j = 0; j < k; j++) sum += x[i / n * k + j] * z[j * n + i % n];
	return sum;
}

static void try_rows(int s) {
	begin();
	end("rows", s, 0, forms_rows(&gpu, 1, 1, 1, (void *)dx, (void *)dy, s), 32 * 32, want_rows);
	begin();
	end("stored", s, 0, forms_stored(&gpu, 1, 1, 1, (void *)dx, (void *)dy, s), 96 * 32, want_stored);
}

static void try_add(int count) {
	begin();
	end("add", count, 0, forms_add(&gpu, (unsigned)count, 1, 1, (void *)dx, (void *)dy, count * 64 - 3),
		count * 64 - 3, want_add);
}

static void try_strided(int count, int s) {
	begin();
	end("strided", count, s,
		forms_strided(&gpu, (unsigned)count, 1, 1, (void *)dx, (void *)dy, s, count * 64 - 3), count * 64 - 3,
		want_strided);
}

static void try_divide(int count, int m, int wide) {
	begin();
	programs = count;
	end("divide", m, wide,
		forms_divide(&gpu, (unsigned)count, 1, 1, (void *)dx, (void *)dy, count * 64, m, wide), count * 64,
		want_divide);
}

static void try_mm(int m, int n, int k, int moved) {
	begin();
	if (moved && to_device(dx + 16, x, sizeof x - 16)) exit(1); /* another place, aligned as well */
	end("mm", n, k,
		forms_mm(&gpu, (unsigned)(((m + 63) / 64) * ((n + 63) / 64)), 1, 1,
			(void *)(dx + (moved ? 16 : 0)), (void *)dz, (void *)dy, m, n, k, k, n, n),
		m * n, want_mm);
}

int main(void) {
	if (open_gpu() || mem_alloc(&dx, sizeof x) || mem_alloc(&dy, sizeof y) || mem_alloc(&dz, sizeof z))
		return printf("no GPU\n"), 1;
	try_rows(32), try_rows(0), try_rows(48);
	try_add(8), try_add(7), try_add(4), try_add(1), try_add(1000);
	try_strided(8, 1), try_strided(8, 3), try_strided(5, 1), try_strided(5, 2);
	try_divide(3, 7, 5), try_divide(3, 1, 1), try_divide(3, 64, 1 << 30), try_divide(5, 13, 100);
	try_mm(64, 64, 32, 0), try_mm(128, 128, 64, 0), try_mm(128, 192, 96, 1), try_mm(80, 112, 48, 0);
	printf("%d launches, %d bad\n", all, bad);
	return bad != 0;
}
