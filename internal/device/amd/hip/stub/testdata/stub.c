// A HIP runtime without a GPU, for tests: memory is the host's, kernels are loaded and launched and do
// nothing. NEREID_STUB_LOG names a file that gets a line for each call; a launch's has the grid, the threads,
// the shared memory and the argument buffer. With NEREID_STUB_STRICT=n a launch takes some time, and a
// stream, code, graph or memory that it uses must be alive at its end as at its beginning. Memory is that of
// the first n arguments.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int R;
enum { OK = 0, BADHANDLE = 400, NOMEM = 2, BADIMAGE = 200, NOTFOUND = 500, NOTREADY = 600,
    NOTSUPPORTED = 801 };

static FILE *out;
static int strict;
static __attribute__((constructor)) void start(void) {
  const char *name = getenv("NEREID_STUB_LOG");
  if (name && *name) out = fopen(name, "a");
  if (out) setvbuf(out, 0, _IOLBF, 0);
  const char *n = getenv("NEREID_STUB_STRICT");
  strict = n ? atoi(n) : 0;
}
// What is alive, in strict mode: what was destroyed is not freed, so that no address comes twice, and its
// mark is gone.
struct head { uint64_t mark, pad; };
enum { MARK = 0x6c697665 };
static void *born(size_t n) {
  struct head *h = malloc(sizeof *h + n);
  if (!h) return 0;
  __atomic_store_n(&h->mark, MARK, __ATOMIC_SEQ_CST);
  return h + 1;
}
static int alive(const void *p) {
  return !strict || !p || __atomic_load_n(&((const struct head *)p - 1)->mark, __ATOMIC_SEQ_CST) == MARK;
}
static R dead(void *p) {
  if (!strict) { free(p ? (struct head *)p - 1 : 0); return OK; }
  return __atomic_exchange_n(&((struct head *)p - 1)->mark, 0, __ATOMIC_SEQ_CST) == MARK ? OK : BADHANDLE;
}
static void linger(void) {
  static __thread unsigned seed = 1;
  if (strict && rand_r(&seed) % 4 == 0) usleep(rand_r(&seed) % 100);
}
#define LOG do { if (out) fprintf(out, "%s\n", __func__); } while (0)

// Memory as large as that by which caches are cleared is not written.
static void fill(void *p, int v, size_t n) { if (n < 1 << 28) memset(p, v, n); }

static __thread int device = -1;
static int devices(void) { const char *n = getenv("NEREID_STUB_DEVICES"); return n ? atoi(n) : 2; }

R hipInit(unsigned f) { return OK; }
R hipRuntimeGetVersion(int *v) { *v = 60443483; return OK; }
const char *hipGetErrorName(R r) {
  return r == NOMEM ? "hipErrorOutOfMemory" : r == NOTFOUND ? "hipErrorNotFound" : "hipErrorStub";
}
const char *hipGetErrorString(R r) { return "the stub says no"; }
R hipGetDeviceCount(int *n) { *n = devices(); return *n ? OK : 100; }
R hipGetDeviceProperties(char *p, int d) { return 1; }
R hipGetDevicePropertiesR0600(char *p, int d) {
  memset(p, 0, 1472);
  strcpy(p, "Stub Instinct");
  *(uint64_t *)(p + 288) = 192ull << 30;
  *(int *)(p + 388) = 304;
  strcpy(p + 1160, d ? "gfx90a:sramecc+:xnack-" : "gfx942:sramecc+:xnack-");
  return OK;
}
R hipSetDevice(int d) { device = d; return OK; }
R hipDeviceSynchronize(void) { LOG; return OK; }
R hipMalloc(void **p, size_t n) {
  LOG;
  *p = n > 1ull << 40 ? 0 : born(n);
  if (*p) fill(*p, 0x5a, n);
  return *p ? OK : NOMEM;
}
R hipDeviceGetDefaultMemPool(void **p, int d) {
  const char *n = getenv("NEREID_STUB_POOLS");
  *p = n && !atoi(n) ? 0 : (void *)0x500;
  return *p ? OK : NOTSUPPORTED;
}
R hipMemPoolSetAttribute(void *p, int a, uint64_t *v) { return a == 4 && *v == UINT64_MAX ? OK : 1; }
R hipMallocAsync(void **p, size_t n, void *s) {
  LOG;
  *p = n > 1ull << 40 ? 0 : born(n);
  return *p ? OK : NOMEM;
}
R hipFreeAsync(void *p, void *s) { LOG; return dead(p); }
R hipMemGetInfo(size_t *f, size_t *t) { *f = 1 << 30; *t = 192ull << 30; return OK; }
R hipPointerGetAttribute(int *v, int a, uintptr_t p) { *v = p >> 60; return a == 9 && p > 0xffff ? OK : 1; }
R hipStreamQuery(void *s) { return (uintptr_t)s == 0x999 ? NOTREADY : OK; }
R hipStreamWaitEvent(void *s, void *e, unsigned f) { LOG; return OK; }
R hipEventCreateWithFlags(void **e, unsigned f) { LOG; *e = calloc(1, 8); return OK; }
R hipEventDestroy(void *e) { LOG; free(e); return OK; }
R hipEventRecord(uint64_t *e, void *s) { LOG; static uint64_t clock; *e = ++clock; return OK; }
R hipEventSynchronize(uint64_t *e) { LOG; return *e ? OK : 1; }
R hipEventQuery(uint64_t *e) { return *e ? OK : NOTREADY; }
R hipEventElapsedTime(float *ms, uint64_t *a, uint64_t *b) { *ms = (*b - *a) / 4.0f; return OK; }
R hipFree(void *p) { LOG; return dead(p); }
R hipMemcpyHtoD(void *d, void *s, size_t n) { LOG; memcpy(d, s, n); return OK; }
R hipMemcpyDtoH(void *d, void *s, size_t n) { LOG; memcpy(d, s, n); return OK; }
R hipMemcpyDtoDAsync(void *d, void *s, size_t n, void *q) { LOG; memcpy(d, s, n); return OK; }
R hipMemsetD8Async(void *d, unsigned char v, size_t n, void *q) { LOG; fill(d, v, n); return OK; }
R hipStreamCreateWithFlags(void **s, unsigned f) { LOG; *s = born(16); return OK; }
R hipStreamDestroy(void *s) { LOG; return dead(s); }
R hipStreamSynchronize(void *s) { LOG; linger(); return alive(s) ? OK : BADHANDLE; }
static void *capturing;
R hipStreamBeginCapture(void *s, int m) { LOG; capturing = s; return OK; }
R hipStreamEndCapture(void *s, void **g) { LOG; capturing = 0; *g = (void *)0x200; return OK; }
R hipStreamIsCapturing(void *s, int *v) {
  *v = capturing && capturing == s;
  return alive(s) ? OK : BADHANDLE;
}
R hipGraphInstantiate(void **x, void *g, void *n, char *l, size_t z) { LOG; *x = born(16); return OK; }
R hipGraphLaunch(void *x, void *s) { LOG; linger(); return alive(x) && alive(s) ? OK : BADHANDLE; }
R hipGraphExecDestroy(void *x) { LOG; return dead(x); }
R hipGraphDestroy(void *g) { LOG; return OK; }
R hipModuleLoadData(void **m, const char *image) {
  LOG;
  *m = born(16);
  return memcmp(image, "\177ELF", 4) ? BADIMAGE : OK;
}
R hipModuleUnload(void *m) { LOG; return dead(m); }
struct function { void *module; char name[240]; };
R hipModuleGetFunction(void **f, void *m, const char *name) {
  LOG;
  struct function *x = calloc(1, sizeof *x);
  x->module = m;
  strncpy(x->name, name, sizeof x->name - 1);
  *f = x;
  return strcmp(name, "absent") ? OK : NOTFOUND;
}
static int all_alive(struct function *f, void *s, void **extra) {
  int is = alive(f->module) && alive(s);
  for (int i = 0; i < strict; i++) is = is && alive(((void **)extra[1])[i]);
  return is;
}
R hipModuleLaunchKernel(struct function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
    unsigned bz,
                        unsigned shared, void *s, void **params, void **extra) {
  if (strict) {
    int is = all_alive(f, s, extra);
    linger();
    if (!is || !all_alive(f, s, extra)) return BADHANDLE;
  }
  if (!out) return OK;
  fprintf(out, "launch %s on %d: %u,%u,%u x %u,%u,%u shared %u:", f->name, device, gx, gy, gz, bx, by, bz,
      shared);
  const unsigned char *p = extra[1];
  size_t n = *(size_t *)extra[3];
  for (size_t i = 0; i < n; i++) fprintf(out, "%s%02x", i % 8 ? "" : " ", p[i]);
  fprintf(out, "%s\n", extra[0] == (void *)1 && extra[2] == (void *)2 &&
      extra[4] == (void *)3 ? "" : " bad list");
  return OK;
}
