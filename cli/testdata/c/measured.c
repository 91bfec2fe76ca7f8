/* Calls a group of two variants that compute the same, of which the second is much faster: the first call
   measures. The argument is the library. */
#include "measured.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
	enum { N = 5000 };
	static float x[N], y[N];
	void *lib = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
	__typeof__(&measured_twice) twice;
	__typeof__(&measured_once) once;
	__typeof__(&measured_turned) turned;
	__typeof__(&measured_chosen) chosen;
	__typeof__(&measured_name) name;
	__typeof__(&measured_error) error;
	int i, round;
	if (!lib) return printf("%s\n", dlerror()), 1;
	*(void **)&twice = dlsym(lib, "measured_twice");
	*(void **)&once = dlsym(lib, "measured_once");
	*(void **)&turned = dlsym(lib, "measured_turned");
	*(void **)&chosen = dlsym(lib, "measured_chosen");
	*(void **)&name = dlsym(lib, "measured_name");
	*(void **)&error = dlsym(lib, "measured_error");
	for (i = 0; i < N; i++) x[i] = (float)i;
	for (round = 0; round < 3; round++) {
		memset(y, 0, sizeof y);
		if (twice(0, y, x, N - 3 * round)) return printf("%s\n", error()), 1;
		for (i = 0; i < N - 3 * round; i++)
			if (y[i] != (float)(2 * i)) return printf("element %d is %g\n", i, y[i]), 1;
		printf("%s ", name(chosen()));
	}
	if (once(0, y, x, N)) return printf("%s\n", error()), 1; /* its launches are not repeated */
	printf("%s\n", name(chosen()));
	/* in place: an element is read before it is written, or another is */
	if (once(0, x, x, N) || x[N - 1] == N - 1) return printf("in place: %s\n", error()), 1;
	if (turned(0, 5, 1, 1, x, x, N) != measured_BAD_ARGUMENT ||
		!strstr(error(), "y_ptr and x_ptr are the same memory"))
		return printf("turned in place: %s\n", error()), 1;
	return 0;
}
