/* Launches a kernel z = f(x, y) of n floats that knows nothing of Nereid: launch KERNEL.json
   KERNEL.ptx|KERNEL.cubin N. Everything about the kernel comes from the description. The result is compared
   with x + y, unless there is a fourth argument. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *load(const char *name) {
	FILE *f = fopen(name, "rb");
	char *p = calloc(1, 16 << 20);
	if (!f || !fread(p, 1, (16 << 20) - 1, f)) printf("cannot read %s\n", name), exit(1);
	fclose(f);
	return p;
}

/* after returns the text of a field's value from a place on. */
static char *after(char *from, const char *field) {
	char name[64], *p;
	snprintf(name, sizeof name, "\"%s\":", field);
	if (!(p = strstr(from, name))) printf("no %s\n", field), exit(1);
	p += strlen(name);
	return p + strspn(p, " \n[\"");
}

static void *lib;
#define CALL(name, type, ...) \
	do { \
		int(*fn) type; \
		*(void **)&fn = dlsym(lib, name); \
		int e = fn ? fn(__VA_ARGS__) : -1; \
		if (e) printf("%s: %d\n", name, e), exit(1); \
	} while (0)

int main(int argc, char **argv) {
	char *info, *code, *p, *end, entry[256];
	uint64_t values[64];
	void *params[64], *context, *module, *function;
	uint64_t memory[3];
	int count = 0, tensors = 0, i, n;
	float *data;
	if (argc < 4) return 2;
	info = load(argv[1]), code = load(argv[2]), n = atoi(argv[3]);
	data = malloc(n * sizeof *data);
	lib = dlopen(getenv("NEREID_CUDA") ? getenv("NEREID_CUDA") : "libcuda.so.1", RTLD_NOW);
	if (!lib) return printf("%s\n", dlerror()), 1;
	CALL("cuInit", (unsigned), 0);
	CALL("cuDevicePrimaryCtxRetain", (void **, int), &context, 0);
	CALL("cuCtxSetCurrent", (void *), context);
	CALL("cuModuleLoadData", (void **, const void *), &module, code);
	p = after(info, "entry");
	snprintf(entry, sizeof entry, "%.*s", (int)strcspn(p, "\""), p);
	CALL("cuModuleGetFunction", (void **, void *, const char *), &function, module, entry);
	/* pointers get memory, a scalar is n */
	end = after(info, "argument_bytes");
	for (p = after(info, "arguments"); (p = strstr(p, "\"kind\":")) && p < end; p++) {
		params[count] = &values[count];
		values[count] = (uint64_t)n;
		if (strncmp(after(p, "kind"), "pointer", 7) == 0) {
			for (i = 0; i < n; i++) data[i] = (float)(tensors == 2 ? 0 : i * (tensors + 1));
			CALL("cuMemAlloc_v2", (uint64_t *, size_t), &memory[tensors], n * sizeof *data);
			CALL("cuMemcpyHtoD_v2", (uint64_t, const void *, size_t), memory[tensors], data, n * sizeof *data);
			values[count] = memory[tensors++];
		}
		count++;
	}
	{
		int block = atoi(after(after(info, "constants"), "BLOCK_SIZE")), threads = atoi(after(info, "block"));
		int shared = atoi(after(info, "shared")), cluster = atoi(after(info, "cluster"));
		if (shared > 48 << 10) CALL("cuFuncSetAttribute", (void *, int, int), function, 8, shared);
		CALL("cuLaunchKernel", (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
		    void *, void **, void **),
		     function, (unsigned)((n + block - 1) / block * cluster), 1, 1, (unsigned)threads, 1, 1,
		         (unsigned)shared, 0, params, 0);
	}
	CALL("cuCtxSynchronize", (void), );
	CALL("cuMemcpyDtoH_v2", (void *, uint64_t, size_t), data, memory[2], n * sizeof *data);
	for (i = 0; argc < 5 && i < n; i++)
		if (data[i] != (float)(3 * i)) return printf("element %d is %g\n", i, data[i]), 1;
	printf("%s: %d arguments, ok\n", entry, count);
	return 0;
}
