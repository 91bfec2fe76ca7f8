/* AMD's runtime whose kernels run in the emulator (sim.h), as simdriver.c is for CUDA. */
#include <elf.h>

enum { UNITS = 304 };

int hipInit(unsigned f) { return (void)f, open_sim(); }
int hipGetDevice(int *d) { return *d = 0, OK; }
int hipGetDevicePropertiesR0600(char *p, int d) {
	const char *chip = getenv("NEREID_SIM_CHIP");
	int units = UNITS;
	memset(p, 0, 1472);
	memcpy(p + 388, &units, sizeof units);
	strcpy(p + 1160, chip ? chip : "gfx942:sramecc+:xnack-");
	return d == 0 ? OK : INVALID;
}
/* The library nereid asks for more than code that was compiled to C does. */
int hipRuntimeGetVersion(int *v) { return *v = 60443483, OK; }
int hipGetDeviceCount(int *n) { return *n = 1, OK; }
int hipGetDeviceProperties(char *p, int d) { return (void)p, (void)d, INVALID; } /* ROCm 5's */
int hipSetDevice(int d) { return d == 0 ? OK : INVALID; }
const char *hipGetErrorName(int e) {
	return e == OK ? "hipSuccess" : e == NOMEM ? "hipErrorOutOfMemory" : "hipError";
}
const char *hipGetErrorString(int e) { return hipGetErrorName(e); }
int hipDeviceSynchronize(void) { return OK; }
int hipStreamIsCapturing(H s, int *is) { return (void)s, *is = 0, OK; }
int hipStreamCreateWithFlags(H *s, unsigned f) { return (void)f, *s = malloc(16), OK; }
int hipStreamDestroy(H s) { return free(s), OK; }
int hipStreamQuery(H s) { return (void)s, OK; }
int hipStreamWaitEvent(H s, H e, unsigned f) { return (void)s, (void)e, (void)f, OK; }
int hipStreamBeginCapture(H s, int mode) { return (void)s, (void)mode, INVALID; } /* there are no graphs */
int hipStreamEndCapture(H s, H *g) { return (void)s, (void)g, INVALID; }
int hipGraphInstantiate(H *x, H g, H n, char *log, size_t size) {
	return (void)x, (void)g, (void)n, (void)log, (void)size, INVALID;
}
int hipGraphLaunch(H x, H s) { return (void)x, (void)s, INVALID; }
int hipGraphExecDestroy(H x) { return (void)x, INVALID; }
int hipGraphDestroy(H g) { return (void)g, INVALID; }
int hipStreamSynchronize(H s) { return (void)s, OK; }

/* A kernel takes as many microseconds as it has workgroups. */
static double device_clock;
int hipEventCreateWithFlags(H *e, unsigned f) { return (void)f, *e = calloc(1, sizeof(double)), OK; }
int hipEventDestroy(H e) { return free(e), OK; }
int hipEventRecord(H e, H s) { return (void)s, *(double *)e = device_clock, OK; }
int hipEventQuery(H e) { return (void)e, OK; }
int hipEventSynchronize(H e) { return (void)e, OK; }
int hipEventElapsedTime(float *ms, H a, H b) { return *ms = (float)(*(double *)b - *(double *)a), OK; }

int hipMalloc(P *p, size_t n) {
	int e = open_sim();
	if (e) return e;
	pthread_mutex_lock(&mu);
	*p = BASE + used;
	used += (n + 1023) / 512 * 512;
	e = used > ROOM ? NOMEM : OK;
	pthread_mutex_unlock(&mu);
	return e;
}
int hipFree(P p) { return (void)p, OK; } /* there is room for all that a test allocates */
int hipMemGetInfo(size_t *left, size_t *all) { return *left = ROOM - used, *all = ROOM, OK; }
int hipMemsetD8Async(P p, unsigned char v, size_t n, H s) {
	return (void)s, memset(memory + (p - BASE), v, n), OK;
}
int hipMemcpyDtoDAsync(P d, P from, size_t n, H s) {
	return (void)s, memmove(memory + (d - BASE), memory + (from - BASE), n), OK;
}
int hipMemcpyHtoD(P d, const void *s, size_t n) { return memcpy(memory + (d - BASE), s, n), OK; }
int hipMemcpyDtoH(void *d, P s, size_t n) { return memcpy(d, memory + (s - BASE), n), OK; }

int hipModuleLoadData(H *m, const void *image) {
	static int count;
	const Elf64_Ehdr *head = image;
	char line[64];
	FILE *f;
	int e;
	if (memcmp(image, ELFMAG, SELFMAG)) return BADIMAGE;
	pthread_mutex_lock(&mu);
	snprintf(line, sizeof line, "module-%d", count++);
	if ((e = open_sim()) == OK && (f = pipe_to(line, "w")) != 0) {
		/* the table of sections comes last */
		fwrite(image, 1, head->e_shoff + (size_t)head->e_shnum * head->e_shentsize, f), fclose(f);
		*m = strdup(line);
		snprintf(line, sizeof line, "load %s", (char *)*m);
		e = request(line);
	}
	pthread_mutex_unlock(&mu);
	return e;
}

int hipModuleUnload(H m) { return (void)m, OK; } /* functions keep its name */

typedef struct {
	char module[32], name[500];
} function;

int hipModuleGetFunction(H *out, H m, const char *name) {
	function *f = calloc(1, sizeof *f);
	snprintf(f->module, sizeof f->module, "%s", (char *)m);
	snprintf(f->name, sizeof f->name, "%s", name);
	return *out = f, OK;
}

int hipModuleLaunchKernel(H fn, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
	unsigned shared, H s, void **params, void **extra) {
	static char line[1 << 13];
	const function *f = fn;
	size_t i, size;
	int n, e;
	(void)s;
	if (params || !extra || extra[0] != (void *)1 || extra[2] != (void *)2 ||
	    extra[4] != (void *)3) return INVALID;
	if (by != 1 || bz != 1 || (size = *(size_t *)extra[3]) > 2048) return INVALID;
	pthread_mutex_lock(&mu);
	n = snprintf(line, sizeof line, "launch %s %s %u %u %u %u %u ", f->module, f->name, gx, gy, gz, bx, shared);
	for (i = 0; i < size; i++)
		n += snprintf(line + n, sizeof line - (size_t)n, "%02x", ((unsigned char *)extra[1])[i]);
	e = request(line) ? FAULT : OK;
	device_clock += 1e-3 * gx * gy * gz;
	pthread_mutex_unlock(&mu);
	return e;
}
