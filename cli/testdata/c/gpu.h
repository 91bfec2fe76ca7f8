/* The first GPU, for programs of tests: its memory, through the driver that a launch opens as well. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int (*mem_alloc)(uint64_t *, size_t), (*synchronize)(void);
static int (*to_device)(uint64_t, const void *, size_t), (*to_host)(void *, uint64_t, size_t);

/* open_hip is open_gpu for AMD's runtime. */
static inline int open_hip(void) {
	void *lib = dlopen(getenv("NEREID_HIP") ? getenv("NEREID_HIP") : "libamdhip64.so", RTLD_NOW);
	int (*init)(unsigned);
	if (!lib) return printf("no runtime: %s\n", dlerror()), 1;
	*(void **)&init = dlsym(lib, "hipInit");
	*(void **)&mem_alloc = dlsym(lib, "hipMalloc");
	*(void **)&to_device = dlsym(lib, "hipMemcpyHtoD");
	*(void **)&to_host = dlsym(lib, "hipMemcpyDtoH");
	*(void **)&synchronize = dlsym(lib, "hipDeviceSynchronize");
	return init(0);
}

static inline int open_gpu(void) {
	void *lib = dlopen(getenv("NEREID_CUDA") ? getenv("NEREID_CUDA") : "libcuda.so.1", RTLD_NOW), *context;
	int (*init)(unsigned), (*retain)(void **, int), (*set)(void *);
	if (!lib) return printf("no driver: %s\n", dlerror()), 1;
	*(void **)&init = dlsym(lib, "cuInit");
	*(void **)&retain = dlsym(lib, "cuDevicePrimaryCtxRetain");
	*(void **)&set = dlsym(lib, "cuCtxSetCurrent");
	*(void **)&mem_alloc = dlsym(lib, "cuMemAlloc_v2");
	*(void **)&to_device = dlsym(lib, "cuMemcpyHtoD_v2");
	*(void **)&to_host = dlsym(lib, "cuMemcpyDtoH_v2");
	*(void **)&synchronize = dlsym(lib, "cuCtxSynchronize");
	return init(0) || retain(&context, 0) || set(context);
}
