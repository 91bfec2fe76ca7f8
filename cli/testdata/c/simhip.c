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
int hipDeviceSynchronize(void) { return OK; }
int hipStreamIsCapturing(H s, int *is) { return (void)s, *is = 0, OK; }
int hipStreamCreateWithFlags(H *s, unsigned f) { return (void)f, *s = malloc(16), OK; }
int hipStreamSynchronize(H s) { return (void)s, OK; }

/* A kernel takes as many microseconds as it has workgroups. */
static double device_clock;
int hipEventCreateWithFlags(H *e, unsigned f) { return (void)f, *e = calloc(1, sizeof(double)), OK; }
int hipEventDestroy(H e) { return free(e), OK; }
int hipEventRecord(H e, H s) { return (void)s, *(double *)e = device_clock, OK; }
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
	if (params || !extra || extra[0] != (void *)1 || extra[2] != (void *)2 || extra[4] != (void *)3) return INVALID;
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
