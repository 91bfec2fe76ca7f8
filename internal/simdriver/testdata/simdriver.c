/* A CUDA driver whose kernels run in the simulator (sim.h), for tests of C code on GPUs. */
#include <stdarg.h>

enum { SMS = 2, MAX_PARAMS = 300 };

static __thread H current;

typedef struct {
	int params, sizes[MAX_PARAMS];
	char module[32], name[500];
} function;

int cuInit(unsigned f) { return (void)f, open_sim(); }
int cuDeviceGetAttribute(int *v, int a, int d) {
	return (void)d, *v = a == 75 ? 9 : a == 76 ? 0 : a == 16 ? SMS : 0, OK;
}
int cuDevicePrimaryCtxRetain(H *c, int d) { return (void)d, *c = (H)0x77, OK; }
int cuCtxSetCurrent(H c) { return current = c, OK; }
int cuCtxGetCurrent(H *c) { return *c = current, OK; }
int cuCtxGetDevice(int *d) { return *d = 0, OK; }
int cuCtxSynchronize(void) { return OK; }
int cuStreamIsCapturing(H s, int *is) { return (void)s, *is = 0, OK; }
int cuStreamCreate(H *s, unsigned f) { return (void)f, *s = malloc(16), OK; }
int cuStreamSynchronize(H s) { return (void)s, OK; }

/* A kernel takes as many microseconds as it has blocks. */
static double device_clock;
int cuEventCreate(H *e, unsigned f) { return (void)f, *e = calloc(1, sizeof(double)), OK; }
int cuEventDestroy_v2(H e) { return free(e), OK; }
int cuEventRecord(H e, H s) { return (void)s, *(double *)e = device_clock, OK; }
int cuEventSynchronize(H e) { return (void)e, OK; }
int cuEventElapsedTime(float *ms, H a, H b) { return *ms = (float)(*(double *)b - *(double *)a), OK; }

int cuMemAlloc_v2(P *p, size_t n) {
	int e = open_sim();
	if (e) return e;
	pthread_mutex_lock(&mu);
	*p = BASE + used;
	used += (n + 1023) / 512 * 512;
	e = used > ROOM ? NOMEM : OK;
	pthread_mutex_unlock(&mu);
	return e;
}
int cuMemFree_v2(P p) { return (void)p, OK; }
int cuMemAllocAsync(P *p, size_t n, H s) { return (void)s, cuMemAlloc_v2(p, n); }
int cuMemFreeAsync(P p, H s) { return (void)p, (void)s, OK; }
int cuMemcpyHtoD_v2(P d, const void *s, size_t n) { return memcpy(memory + (d - BASE), s, n), OK; }
int cuMemcpyDtoH_v2(void *d, P s, size_t n) { return memcpy(d, memory + (s - BASE), n), OK; }
int cuMemcpyDtoD_v2(P d, P s, size_t n) {
	return memmove(memory + (d - BASE), memory + (s - BASE), n), OK;
}
int cuMemcpyDtoDAsync_v2(P d, P s, size_t n, H q) { return (void)q, cuMemcpyDtoD_v2(d, s, n); }
int cuMemcpyDtoHAsync_v2(void *d, P s, size_t n, H q) { return (void)q, cuMemcpyDtoH_v2(d, s, n); }
int cuMemsetD8Async(P d, uint8_t v, size_t n, H q) { return (void)q, memset(memory + (d - BASE), v, n), OK; }

int cuModuleLoadData(H *m, const void *image) {
	static int count;
	char line[64];
	FILE *f;
	int e;
	pthread_mutex_lock(&mu);
	snprintf(line, sizeof line, "module-%d", count++);
	if ((e = open_sim()) == OK && (f = pipe_to(line, "w")) != 0) {
		fwrite(image, 1, strlen(image), f), fclose(f);
		*m = strdup(line);
		snprintf(line, sizeof line, "load %s", (char *)*m);
		e = request(line);
	}
	pthread_mutex_unlock(&mu);
	return e;
}

int cuModuleGetFunction(H *out, H m, const char *name) {
	function *f = calloc(1, sizeof *f);
	char line[1000], *at = answer + 2, *end;
	int e;
	snprintf(f->module, sizeof f->module, "%s", (char *)m);
	snprintf(f->name, sizeof f->name, "%s", name);
	snprintf(line, sizeof line, "params %s %s", f->module, f->name);
	pthread_mutex_lock(&mu);
	e = request(line);
	for (; !e && f->params < MAX_PARAMS; at = end, f->params++)
		if ((f->sizes[f->params] = (int)strtol(at, &end, 10)), end == at) break;
	pthread_mutex_unlock(&mu);
	return *out = f, e;
}

int cuFuncSetAttribute(H f, int a, int v) { return (void)f, (void)a, (void)v, OK; }
int cuFuncGetAttribute(int *v, int a, H f) { return (void)f, (void)a, *v = 0, OK; }

static int add(char *line, size_t size, int n, const char *format, ...) {
	va_list list;
	va_start(list, format);
	n += vsnprintf(line + n, size - (size_t)n, format, list);
	va_end(list);
	return n;
}

static int launch(function *f, const unsigned grid[3], unsigned cluster, unsigned shared, void **params) {
	static char line[1 << 17];
	int i, k, n, e;
	pthread_mutex_lock(&mu);
	n = add(line, sizeof line, 0, "launch %s %s %u %u %u %u %u", f->module, f->name, grid[0], grid[1], grid[2],
		cluster, shared);
	for (i = 0; i < f->params; i++) {
		line[n++] = ' ';
		for (k = 0; k < f->sizes[i]; k++)
			n = add(line, sizeof line, n, "%02x", ((unsigned char *)params[i])[k]);
	}
	line[n] = 0;
	e = request(line) ? FAULT : OK;
	device_clock += 1e-3 * grid[0] * grid[1] * grid[2];
	pthread_mutex_unlock(&mu);
	return e;
}

int cuLaunchKernel(H f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
	unsigned shared, H s, void **params, void **extra) {
	unsigned grid[3] = {gx, gy, gz};
	(void)bx, (void)by, (void)bz, (void)s, (void)extra;
	return launch(f, grid, 1, shared, params);
}

int cuLaunchKernelEx(const unsigned *config, H f, void **params, void **extra) {
	const unsigned *attributes = *(unsigned *const *)(config + 10);
	unsigned i, cluster = 1;
	(void)extra;
	for (i = 0; i < config[12]; i++)
		if (attributes[18 * i] == 4) cluster = attributes[18 * i + 2];
	return launch(f, config, cluster, config[6], params);
}

int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, P addr, const uint64_t *dims,
	const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave, int swizzle,
	int promotion, int fill) {
	char line[1000], byte[3] = {0};
	unsigned i;
	int n, e;
	(void)steps, (void)interleave, (void)promotion;
	n = add(line, sizeof line, 0, "encode %d %u %llu %d %d", type, rank, (unsigned long long)addr, swizzle,
	    fill);
	for (i = 0; i < rank; i++)
		n = add(line, sizeof line, n, " %llu %llu %u", (unsigned long long)dims[i],
			i ? (unsigned long long)strides[i - 1] : 0, box[i]);
	pthread_mutex_lock(&mu);
	e = request(line);
	for (i = 0; !e && i < 128; i++)
		memcpy(byte, answer + 3 + 2 * i, 2), ((unsigned char *)map)[i] = (unsigned char)strtol(byte, 0, 16);
	pthread_mutex_unlock(&mu);
	return e;
}
