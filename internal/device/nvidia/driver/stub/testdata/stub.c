// A CUDA driver without a GPU, for tests and for measuring what a launch costs on our side of the call.
// Memory is the host's, kernels are loaded and launched and do nothing. NEREID_STUB_LOG names a file that
// gets a line for each call but launches; with NEREID_STUB_PARAMS=n in the environment for launches too: the
// function, the grid and the first n parameters as words of 8 bytes; with NEREID_STUB_BLOCKS the threads of a
// block in a line before it.
//
// With NEREID_STUB_STRICT=n a launch takes some time, and a stream, code, graph or memory that it uses must
// be alive at its end as at its beginning: launches, copies and fills of what was destroyed fail. Memory is
// that of the first n parameters.
//
// Build: gcc -O2 -shared -fPIC stub.c -o libcuda.so.1
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int R;
typedef uint64_t P;
typedef void *H;
enum { OK = 0, INVALID = 1, NOMEM = 2, NOCONTEXT = 201, BADHANDLE = 400, NOTFOUND = 500 };

static FILE *out;
static int params_shown, blocks_shown, strict;
static __attribute__((constructor)) void start(void) {
  const char *n = getenv("NEREID_STUB_PARAMS");
  if (n) params_shown = atoi(n);
  blocks_shown = getenv("NEREID_STUB_BLOCKS") != 0;
  strict = (n = getenv("NEREID_STUB_STRICT")) ? atoi(n) : 0;
  const char *name = getenv("NEREID_STUB_LOG");
  if (name && *name) out = fopen(name, "a");
  if (out) setvbuf(out, 0, _IOLBF, 0);
}
static void say(const char *call) { if (out) fprintf(out, "%s\n", call); }
#define CALL(name, ...) R name(__VA_ARGS__)
#define LOG say(__func__)

// What is alive, in strict mode: a table of addresses. What is destroyed is not freed, so that no address
// comes twice.
enum { PLACES = 1 << 22 };
static P places[PLACES];
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static P *place(P p) {
  unsigned i = (unsigned)((p >> 4) * 0x9e3779b1u) % PLACES;
  while (places[i] && (places[i] & ~1ull) != p) i = (i + 1) % PLACES;
  return &places[i];
}
static H born(H h) {
  if (!strict) return h;
  pthread_mutex_lock(&mu);
  *place((P)h) = (P)h;
  pthread_mutex_unlock(&mu);
  return h;
}
static void dead(H h) {
  if (!strict) { free(h); return; }
  pthread_mutex_lock(&mu);
  *place((P)h) = (P)h | 1; // addresses are even
  pthread_mutex_unlock(&mu);
}
static int alive(H h) {
  if (!strict || !h) return 1;
  pthread_mutex_lock(&mu);
  int is = *place((P)h) == (P)h;
  pthread_mutex_unlock(&mu);
  return is;
}
static void linger(void) {
  static __thread unsigned seed = 1;
  if (strict && rand_r(&seed) % 4 == 0) usleep(rand_r(&seed) % 100);
}

static __thread H current;
static H primary;
static uint64_t launched;
static H capturing; // the stream
static int recorded, instantiated;

CALL(cuInit, unsigned f) { LOG; return OK; }
CALL(cuDriverGetVersion, int *v) { LOG; *v = 13000; return OK; }
CALL(cuGetErrorName, R r, const char **s) {
  *s = r == NOCONTEXT ? "CUDA_ERROR_INVALID_CONTEXT" : "CUDA_ERROR_STUB";
  return OK;
}
CALL(cuGetErrorString, R r, const char **s) { *s = "the stub says no"; return OK; }
CALL(cuDeviceGetCount, int *n) { LOG; *n = 1; return OK; }
CALL(cuDeviceGet, int *d, int i) { LOG; *d = i; return OK; }
CALL(cuDeviceGetName, char *s, int n, int d) { LOG; snprintf(s, n, "Stub"); return OK; }
CALL(cuDeviceTotalMem_v2, uint64_t *n, int d) { LOG; *n = 1ull << 34; return OK; }
CALL(cuDeviceGetUuid, char *u, int d) { LOG; memset(u, 7, 16); return OK; }
CALL(cuDeviceGetAttribute, int *v, int a, int d) {
  static const int values[][2] = {{1, 1024}, {8, 48 << 10}, {10, 32}, {12, 65536}, {13, 1980000}, {16, 132},
    {36, 3201000}, {37, 6144}, {38, 50 << 20}, {39, 2048}, {75, 9}, {76, 0}, {81, 228 << 10}, {82, 65536},
    {95, 1}, {97, 227 << 10}, {111, 1024}, {115, 1}, {120, 1}};
  LOG;
  for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
    if (values[i][0] == a) {
      *v = values[i][1];
      return OK;
    }
  return INVALID;
}
CALL(cuDeviceGetDefaultMemPool, H *p, int d) { LOG; *p = (H)1; return OK; }
CALL(cuMemPoolSetAttribute, H p, int a, uint64_t *v) { LOG; return OK; }
CALL(cuDevicePrimaryCtxRetain, H *c, int d) { LOG; *c = primary = (H)0x77; return OK; }
CALL(cuDevicePrimaryCtxRelease_v2, int d) { LOG; return OK; }
CALL(cuDevicePrimaryCtxGetState, int d, unsigned *f, int *on) { LOG; *f = 0, *on = primary != 0; return OK; }
CALL(cuCtxCreate_v2, H *c, unsigned f, int d) { LOG; current = *c = malloc(8); return OK; }
CALL(cuCtxDestroy_v2, H c) { LOG; if (current == c) current = 0; free(c); return OK; }
CALL(cuCtxSetCurrent, H c) { current = c; return OK; }
CALL(cuCtxGetCurrent, H *c) { *c = current; return OK; }
CALL(cuCtxGetDevice, int *d) { *d = 0; return OK; }
CALL(cuCtxSynchronize, void) { LOG; return capturing ? 900 : OK; } // it would spoil the capture
CALL(cuCtxSetLimit, int l, size_t v) { LOG; return OK; }

CALL(cuStreamCreateWithPriority, H *s, unsigned f, int p) { LOG; *s = born(malloc(16)); return OK; }
CALL(cuStreamDestroy_v2, H s) { LOG; if (!alive(s)) return BADHANDLE; dead(s); return OK; }
CALL(cuStreamSynchronize, H s) { LOG; linger(); return alive(s) ? OK : BADHANDLE; }
CALL(cuStreamQuery, H s) { LOG; return alive(s) ? OK : BADHANDLE; }
CALL(cuStreamWaitEvent, H s, H e, unsigned f) { LOG; return OK; }
CALL(cuStreamBeginCapture_v2, H s, int mode) { LOG; capturing = s; recorded = 0; return OK; }
CALL(cuStreamEndCapture, H s, H *g) { LOG; capturing = 0; *g = malloc(8); return OK; }
CALL(cuStreamIsCapturing, H s, int *status) {
  *status = capturing && capturing == s;
  return alive(s) ? OK : BADHANDLE;
}

// The device's clock, in milliseconds: a kernel takes 50 µs, memory is filled at 3 TB/s.
static double device_clock;
CALL(cuEventCreate, H *e, unsigned f) { *e = calloc(1, sizeof(double)); return OK; }
CALL(cuEventDestroy_v2, H e) { free(e); return OK; }
CALL(cuEventRecord, H e, H s) { *(double *)e = device_clock; return OK; }
CALL(cuEventSynchronize, H e) { return OK; }
CALL(cuEventQuery, H e) { return OK; }
CALL(cuEventElapsedTime, float *ms, H a, H b) { *ms = (float)(*(double *)b - *(double *)a); return OK; }

CALL(cuGraphInstantiateWithFlags, H *x, H g, uint64_t f) {
  LOG;
  instantiated = recorded;
  *x = born(malloc(16));
  return OK;
}
CALL(cuGraphLaunch, H x, H s) {
  linger();
  if (!alive(x) || !alive(s)) return BADHANDLE;
  launched += instantiated;
  device_clock += 0.05 * instantiated;
  return OK;
}
CALL(cuGraphGetNodes, H g, H *nodes, size_t *n) { *n = recorded; return OK; }
CALL(cuGraphExecDestroy, H x) { LOG; dead(x); return OK; }
CALL(cuGraphDestroy, H g) { LOG; free(g); return OK; }

CALL(cuMemAlloc_v2, P *p, size_t n) {
  LOG;
  if (!current) return NOCONTEXT;
  void *m = aligned_alloc(512, (n + 511) & ~511ul);
  *p = (P)born(m);
  return m ? OK : NOMEM;
}
CALL(cuMemFree_v2, P p) { LOG; if (!alive((H)p)) return INVALID; dead((H)p); return OK; }
CALL(cuMemAllocAsync, P *p, size_t n, H s) { LOG; return cuMemAlloc_v2(p, n); }
CALL(cuMemFreeAsync, P p, H s) { LOG; return cuMemFree_v2(p); }
CALL(cuMemGetInfo_v2, size_t *f, size_t *t) { *f = *t = 1ul << 34; return OK; }
CALL(cuMemHostAlloc, void **p, size_t n, unsigned f) { LOG; *p = malloc(n); return *p ? OK : NOMEM; }
CALL(cuMemFreeHost, void *p) { LOG; free(p); return OK; }
CALL(cuMemcpyHtoD_v2, P d, const void *s, size_t n) { LOG; memcpy((void *)d, s, n); return OK; }
CALL(cuMemcpyDtoH_v2, void *d, P s, size_t n) { LOG; memcpy(d, (void *)s, n); return OK; }
CALL(cuMemcpyDtoD_v2, P d, P s, size_t n) { LOG; memmove((void *)d, (void *)s, n); return OK; }
CALL(cuMemcpyHtoDAsync_v2, P d, const void *s, size_t n, H q) { return cuMemcpyHtoD_v2(d, s, n); }
CALL(cuMemcpyDtoHAsync_v2, void *d, P s, size_t n, H q) { return cuMemcpyDtoH_v2(d, s, n); }
CALL(cuMemcpyDtoDAsync_v2, P d, P s, size_t n, H q) { return cuMemcpyDtoD_v2(d, s, n); }
CALL(cuMemsetD8Async, P p, uint8_t v, size_t n, H s) { // large ones are there to clear caches
  LOG;
  device_clock += n / 3e9;
  if (n < 100 << 20) memset((void *)p, v, n);
  return OK;
}
CALL(cuMemsetD16Async, P p, uint16_t v, size_t n, H s) {
  LOG;
  for (size_t i = 0; i < n; i++) ((uint16_t *)p)[i] = v;
  return OK;
}
CALL(cuMemsetD32Async, P p, uint32_t v, size_t n, H s) {
  LOG;
  for (size_t i = 0; i < n; i++) ((uint32_t *)p)[i] = v;
  return OK;
}
CALL(cuPointerGetAttribute, void *v, int a, P p) { LOG; *(int *)v = 0; return OK; }

// Modules.
CALL(cuModuleLoadData, H *m, const void *image) { LOG; *m = born(malloc(16)); *(H *)*m = current; return OK; }
CALL(cuModuleLoadDataEx, H *m, const void *image, unsigned n, int *o, void **v) {
  LOG;
  *m = born(malloc(16));
  *(H *)*m = current;
  return OK;
}
CALL(cuModuleUnload, H m) { LOG; if (!alive(m)) return BADHANDLE; dead(m); return OK; }
CALL(cuModuleGetFunction, H *f, H m, const char *name) { LOG; *f = m; return OK; }
CALL(cuModuleGetGlobal_v2, P *p, size_t *n, H m, const char *name) { LOG; return NOTFOUND; }
CALL(cuFuncGetAttribute, int *v, int a, H f) {
  LOG;
  const char *registers = getenv("NEREID_STUB_REGISTERS");
  *v = a == 0 ? 1024 /* threads of a block */ : a == 4 ? (registers ? atoi(registers) : 24) : 0;
  return OK;
}
CALL(cuFuncSetAttribute, H f, int a, int v) { LOG; return OK; }
CALL(cuFuncSetCacheConfig, H f, int c) { LOG; return OK; }
CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *n, H f, int threads, size_t shared) {
  *n = 4;
  return OK;
}
CALL(cuOccupancyMaxActiveClusters, int *n, H f, void *c) { *n = 16; return OK; }

// A tensor map: a mark, then what it was made of. The log shows all 16 words of it.
struct map {
  char mark[4];
  uint8_t type, rank, swizzle, fill;
  P addr;
  uint32_t box[5], pad;
  uint64_t dims[5], strides[4];
};
CALL(cuTensorMapEncodeTiled, struct map *m, int type, unsigned rank, P addr, const uint64_t *dims,
    const uint64_t *strides, const uint32_t *box,
     const uint32_t *steps, int interleave, int swizzle, int promotion, int fill) {
  LOG;
  if ((P)m % 64 || addr % 16 || rank < 1 || rank > 5 || interleave || promotion != 2 ||
      sizeof *m > 128)
    return INVALID;
  memset(m, 0, 128);
  memcpy(m->mark, "NMAP", 4);
  m->type = type, m->rank = rank, m->swizzle = swizzle, m->fill = fill, m->addr = addr;
  for (unsigned i = 0; i < rank; i++) {
    if (steps[i] != 1 || (i && strides[i - 1] % 16)) return INVALID;
    m->box[i] = box[i], m->dims[i] = dims[i];
    if (i) m->strides[i - 1] = strides[i - 1];
  }
  return OK;
}

static int all_alive(H f, H s, void **params) {
  int is = alive(f) && alive(s);
  for (int i = 0; i < strict; i++) is = is && alive(*(H *)params[i]);
  return is;
}
static R launch(H f, H s) {
  if (!current) return NOCONTEXT;
  if (*(H *)f != current) return BADHANDLE; // a function belongs to a context
  if (capturing && capturing == s) recorded++; else { launched++; device_clock += 0.05; }
  return OK;
}
CALL(cuLaunchKernel, H f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
    unsigned shared, H s, void **params, void **extra) {
  if (blocks_shown && out) fprintf(out, "block:%u\n", bx * by * bz);
  if (params_shown && current) {
    char line[8192];
    int n = snprintf(line, sizeof line, "launch:%p:%u:%u:%u", f, gx, gy, gz);
    for (int i = 0; i < params_shown && n < 4000; i++) {
      int words = memcmp(params[i], "NMAP", 4) ? 1 : 16;
      for (int w = 0; w < words; w++)
        n += snprintf(line + n, sizeof line - n, ":%llx", ((unsigned long long *)params[i])[w]);
    }
    say(line);
  }
  if (strict && current) {
    if (!all_alive(f, s, params)) return INVALID;
    linger();
    if (!all_alive(f, s, params)) return INVALID;
  }
  return launch(f, s);
}
CALL(cuLaunchKernelEx, unsigned *config, H f, void **params, void **extra) {
  if (params_shown && out && current)
    fprintf(out, "cuLaunchKernelEx:%u:%u:%u:%u\n", config[0], config[1], config[2], config[3]);
  return launch(f, *(H *)(config + 8));
}

// For programs that are linked against it, peer/launch_limit.c.
CALL(cuStreamCreate, H *s, unsigned f) { return cuStreamCreateWithPriority(s, f, 0); }
