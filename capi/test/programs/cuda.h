/* cuda.h: the few functions of the CUDA driver that the test programs call, found at run time. */
#ifndef NEREID_TEST_CUDA_H
#define NEREID_TEST_CUDA_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
	int (*init)(unsigned);
	int (*device_get)(int *, int);
	int (*primary_retain)(void **, int);
	int (*ctx_create)(void **, unsigned, int);
	int (*ctx_destroy)(void *);
	int (*set_current)(void *);
	int (*get_current)(void **);
	int (*synchronize)(void);
	int (*stream_create)(void **, unsigned);
	int (*stream_synchronize)(void *);
	int (*alloc)(uint64_t *, size_t);
	int (*mem_free)(uint64_t);
	int (*to_device)(uint64_t, const void *, size_t);
	int (*from_device)(void *, uint64_t, size_t);
	int (*module_load)(void **, const void *);
	int (*get_function)(void **, void *, const char *);
	int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
		void **);
} cuda;

#define CU(call) \
	do { \
		int result_ = (call); \
		if (result_) { \
			fprintf(stderr, "%s:%d: %s: CUDA error %d\n", __FILE__, __LINE__, #call, result_); \
			exit(1); \
		} \
	} while (0)

/* cuda_open opens the driver: NEREID_CUDA of the environment, or the system's. It returns 0 without one. */
static int cuda_open(void) {
	static const struct {
		void *at;
		const char *name;
	} table[] = {
		{&cuda.init, "cuInit"}, {&cuda.device_get, "cuDeviceGet"},
		{&cuda.primary_retain, "cuDevicePrimaryCtxRetain"}, {&cuda.ctx_create, "cuCtxCreate_v2"},
		{&cuda.ctx_destroy, "cuCtxDestroy_v2"}, {&cuda.set_current, "cuCtxSetCurrent"},
		{&cuda.get_current, "cuCtxGetCurrent"}, {&cuda.synchronize, "cuCtxSynchronize"},
		{&cuda.stream_create, "cuStreamCreate"}, {&cuda.stream_synchronize, "cuStreamSynchronize"},
		{&cuda.alloc, "cuMemAlloc_v2"}, {&cuda.mem_free, "cuMemFree_v2"}, {&cuda.to_device, "cuMemcpyHtoD_v2"},
		{&cuda.from_device, "cuMemcpyDtoH_v2"}, {&cuda.module_load, "cuModuleLoadData"},
		{&cuda.get_function, "cuModuleGetFunction"}, {&cuda.launch, "cuLaunchKernel"},
	};
	const char *path = getenv("NEREID_CUDA");
	void *lib = dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW);
	if (!lib) return 0;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		*(void **)table[i].at = dlsym(lib, table[i].name);
		if (!*(void **)table[i].at) {
			fprintf(stderr, "the CUDA driver has no %s\n", table[i].name);
			return 0;
		}
	}
	CU(cuda.init(0));
	return 1;
}

#endif
