/* Runs the variants of maps.py, which take tensor descriptors, on the CPU, or with the argument "cuda" on the
   GPU, and compares the results. "launch" instead launches only: for a driver whose kernels do nothing. */
#include "gpu.h"
#include "maps.h"
#include <string.h>

enum { ROWS = 100, COLS = 72, STRIDE = 80 };

/* describe writes the words of a descriptor, and its sizes and strides once more. */
static int describe(uint64_t *words, uint64_t address) {
	uint64_t list[] = {address, ROWS, COLS, STRIDE, 1, 0, ROWS, COLS, STRIDE, 1};
	unsigned i;
	for (i = 0; i < sizeof list / sizeof *list; i++) words[i] = list[i];
	return (int)i;
}

static int check(const maps_variant *v, const maps_place *where, int compare) {
	int rows = atoi(maps_constant(v, "ROWS")), cols = atoi(maps_constant(v, "COLS")), i, n, bad = 0;
	size_t bytes = sizeof(float) * ROWS * STRIDE;
	float *x = calloc(1, bytes), *y = calloc(1, bytes), scale = 3;
	uint64_t words[21] = {0}, dx = (uint64_t)(uintptr_t)x, dy = (uint64_t)(uintptr_t)y;
	for (i = 0; i < ROWS * STRIDE; i++) x[i] = (float)i;
	if (where->gpu && (mem_alloc(&dx, bytes) || mem_alloc(&dy, bytes) || to_device(dx, x, bytes) ||
		to_device(dy, y, bytes)))
		return 1;
	n = describe(words, dx);
	n += describe(words + n, dy);
	memcpy(words + n, &scale, sizeof scale);
	if (maps_launch(v, where, (unsigned)(1 + (ROWS - 1) / rows), (unsigned)(1 + (COLS - 1) / cols), 1, words))
		return printf("%s\n", maps_error()), 1;
	if (where->gpu && (synchronize() || to_host(y, dy, bytes))) return 1;
	for (i = 0; compare && i < ROWS * STRIDE; i++) bad += y[i] != (i % STRIDE < COLS ? 3 * (float)i : 0);
	words[0] += 4; /* no address for the hardware */
	if (where->gpu && maps_launch(v, where, 1, 1, 1, words) != maps_BAD_ARGUMENT) bad++;
	free(x), free(y);
	return bad;
}

int main(int argc, char **argv) {
	maps_place where = {argc > 1, 0, 2};
	int i, bad = 0, compare = argc < 2 || argv[1][0] == 'c';
	if (where.gpu && open_gpu()) return 1;
	for (i = 0; i < maps_count; i++) {
		int wrong = check(maps_variants[i], &where, compare);
		printf("%s %s %d\n", wrong ? "FAIL" : "ok", maps_name(maps_variants[i]), wrong);
		bad += wrong != 0;
	}
	printf("%d variants, %d bad\n", maps_count, bad);
	return bad != 0;
}
