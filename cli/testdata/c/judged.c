/* Calls groups of variants of which some compute something else, and prints which were chosen and what was
   measured. The arguments are the library, and "cpu" or "cuda". */
#include "judged.h"
#include "gpu.h"
#include <string.h>

enum { N = 1000 };
static float x[N], y[N];
static uint64_t dx, dy;

#define FIND(name) *(void **)&name = dlsym(lib, "judged_" #name)

int main(int argc, char **argv) {
	void *lib = argc > 2 ? dlopen(argv[1], RTLD_NOW) : 0;
	__typeof__(&judged_later) later, first, groups[2];
	__typeof__(&judged_chosen) chosen;
	__typeof__(&judged_name) name;
	__typeof__(&judged_error) error;
	__typeof__(&judged_measured) measured;
	judged_place where = {0, 0, 0};
	int i, k;
	if (!lib) return printf("%s\n", dlerror()), 1;
	FIND(later), FIND(first), FIND(chosen), FIND(name), FIND(error), FIND(measured);
	groups[0] = later, groups[1] = first;
	for (i = 0; i < N; i++) x[i] = (float)i;
	dx = (uint64_t)(uintptr_t)x, dy = (uint64_t)(uintptr_t)y;
	if ((where.gpu = !strcmp(argv[2], "cuda")) &&
		(open_gpu() || mem_alloc(&dx, sizeof x) || mem_alloc(&dy, sizeof y) || to_device(dx, x, sizeof x)))
		return printf("no GPU\n"), 1;
	for (k = 0; k < 2; k++) {
		/* what is there is the answer already: a variant that does nothing must not pass for it */
		for (i = 0; i < N; i++) y[i] = (float)(2 * i);
		if (where.gpu && to_device(dy, y, sizeof y)) return 1;
		if (groups[k](&where, (void *)dy, (void *)dx, N)) return printf("%s\n", error()), 1;
		if (where.gpu && (synchronize() || to_host(y, dy, sizeof y))) return 1;
		for (i = 0; i < N; i++)
			if (y[i] != (float)(2 * i)) return printf("element %d is %g\n", i, y[i]), 1;
		printf("%s \n%s\n", name(chosen()), measured());
	}
	return 0;
}
