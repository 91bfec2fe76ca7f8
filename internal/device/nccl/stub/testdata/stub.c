// NCCL without GPUs, for tests. The declarations are written as in nccl.h, so that the compiler places
// arguments and fields as it does for the real library; enum values and sizes are checked at run time. Every
// call writes a line with its arguments to the file that NEREID_STUB_NCCL_LOG names.
//
// NEREID_STUB_NCCL_FAIL=CALL makes a call fail; with the name "async" the communicator has an error after its
// first operation. NEREID_STUB_NCCL_SLOW=n makes the state of a communicator "in progress" for n polls after
// each call; with n < 0 for good. With NEREID_STUB_NCCL_HANG it is so for good after the first operation.
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ncclComm {
  int ranks, rank, blocking, slow, used, dead;
} *ncclComm_t;
typedef struct { char internal[128]; } ncclUniqueId;
typedef enum {
  ncclSuccess = 0, ncclInvalidArgument = 4, ncclInvalidUsage = 5, ncclRemoteError = 6, ncclInProgress = 7
} ncclResult_t;
typedef enum { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3, ncclAvg = 4 } ncclRedOp_t;
typedef enum {
  ncclInt8 = 0, ncclUint8 = 1, ncclInt32 = 2, ncclUint32 = 3, ncclInt64 = 4, ncclUint64 = 5, ncclFloat16 = 6,
  ncclFloat32 = 7, ncclFloat64 = 8, ncclBfloat16 = 9, ncclFloat8e4m3 = 10, ncclFloat8e5m2 = 11
} ncclDataType_t;
typedef void *cudaStream_t;
typedef struct {
  size_t size;
  unsigned int magic, version;
  int blocking, cgaClusterSize, minCTAs, maxCTAs;
  const char *netName;
  int splitShare, trafficClass;
  const char *commName;
} ncclConfig_t;

static FILE *out;
static const char *fail;
static int slow, hang;
static __attribute__((constructor)) void start(void) {
  const char *name = getenv("NEREID_STUB_NCCL_LOG");
  if (name && *name) out = fopen(name, "a");
  if (out) setvbuf(out, 0, _IOLBF, 0);
  fail = getenv("NEREID_STUB_NCCL_FAIL");
  if (!fail) fail = "";
  if ((name = getenv("NEREID_STUB_NCCL_SLOW"))) slow = atoi(name);
  hang = getenv("NEREID_STUB_NCCL_HANG") != 0;
}
#define SAY(...) do { if (out) fprintf(out, __VA_ARGS__); } while (0)
#define FAILS if (!strcmp(fail, __func__)) return ncclInvalidUsage

static const int sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
static __thread int depth;
static __thread ncclComm_t last; // of the group

ncclResult_t ncclGetVersion(int *v) { *v = 22809; return ncclSuccess; }
const char *ncclGetErrorString(ncclResult_t r) {
  if (r == ncclInvalidUsage) return "invalid usage";
  return r == ncclRemoteError ? "remote process exited" : "invalid argument";
}
const char *ncclGetLastError(ncclComm_t c) { return "the stub says no"; }
ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  FAILS;
  for (int i = 0; i < 128; i++) id->internal[i] = (char)(i * 7 + 1);
  return ncclSuccess;
}
ncclResult_t ncclCommInitRankConfig(ncclComm_t *c, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t *config) {
  FAILS;
  for (int i = 0; i < 128; i++) if (id.internal[i] != (char)(i * 7 + 1)) return ncclInvalidArgument;
  if (config->magic != 0xcafebeef || config->size < offsetof(ncclConfig_t, trafficClass) ||
      config->size > sizeof *config)
    return ncclInvalidArgument;
  if (config->version < 21700 || config->version > 22500 || config->netName) return ncclInvalidArgument;
  if (config->cgaClusterSize != INT_MIN || config->minCTAs != INT_MIN || config->maxCTAs != INT_MIN ||
      config->splitShare != INT_MIN)
    return ncclInvalidArgument;
  if (rank < 0 || rank >= ranks) return ncclInvalidArgument;
  SAY("init ranks=%d rank=%d blocking=%d\n", ranks, rank, config->blocking);
  *c = calloc(1, sizeof **c);
  (*c)->ranks = ranks, (*c)->rank = rank, (*c)->blocking = config->blocking, (*c)->slow = slow;
  return config->blocking ? ncclSuccess : ncclInProgress;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t c, ncclResult_t *state) {
  if (c->dead) abort();
  *state = c->slow ? ncclInProgress : c->used && !strcmp(fail, "async") ? ncclRemoteError : ncclSuccess;
  if (c->slow > 0) c->slow--;
  return ncclSuccess;
}
ncclResult_t ncclCommFinalize(ncclComm_t c) {
  if (c->dead) abort();
  SAY("finalize\n");
  FAILS;
  if (c->blocking) return ncclSuccess;
  c->slow = slow; /* what is queued is done first */
  return ncclInProgress;
}
ncclResult_t ncclCommDestroy(ncclComm_t c) {
  if (c->dead || c->slow) abort();
  SAY("destroy\n");
  c->dead = 1;
  FAILS;
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t c) {
  if (c->dead) abort();
  SAY("abort\n");
  c->dead = 1;
  return ncclSuccess;
}
ncclResult_t ncclGroupStart(void) { SAY("group start\n"); depth++; return ncclSuccess; }
ncclResult_t ncclGroupEnd(void) {
  SAY("group end\n");
  if (depth-- <= 0) return ncclInvalidUsage;
  FAILS;
  if (last) last->slow = slow;
  last = 0;
  return slow ? ncclInProgress : ncclSuccess;
}

static ncclResult_t done(ncclComm_t c, const void *from, void *to, size_t n, ncclDataType_t t) {
  if (c->dead) abort();
  if (c->slow || t > ncclFloat8e5m2) return ncclInvalidUsage; // the call before is not done
  if (from && to && from != to) memmove(to, from, n * sizes[t]);
  c->used = 1;
  if (depth) { last = c; return ncclSuccess; } // queued when the group ends
  c->slow = hang ? -1 : slow;
  return c->slow ? ncclInProgress : ncclSuccess;
}
ncclResult_t ncclAllReduce(const void *from, void *to, size_t n, ncclDataType_t t, ncclRedOp_t o,
                           ncclComm_t c, cudaStream_t s) {
  SAY("all_reduce n=%zu type=%d op=%d stream=%d\n", n, t, o, s != 0);
  FAILS;
  return done(c, from, to, n, t);
}
ncclResult_t ncclReduce(const void *from, void *to, size_t n, ncclDataType_t t, ncclRedOp_t o, int root,
                        ncclComm_t c, cudaStream_t s) {
  SAY("reduce n=%zu type=%d op=%d root=%d stream=%d\n", n, t, o, root, s != 0);
  FAILS;
  return done(c, from, to, n, t);
}
ncclResult_t ncclReduceScatter(const void *from, void *to, size_t n, ncclDataType_t t, ncclRedOp_t o,
                               ncclComm_t c, cudaStream_t s) {
  SAY("reduce_scatter n=%zu type=%d op=%d stream=%d\n", n, t, o, s != 0);
  FAILS;
  return done(c, from, to, n, t);
}
ncclResult_t ncclAllGather(const void *from, void *to, size_t n, ncclDataType_t t, ncclComm_t c,
                           cudaStream_t s) {
  SAY("all_gather n=%zu type=%d stream=%d\n", n, t, s != 0);
  FAILS;
  return done(c, from, to, n, t);
}
ncclResult_t ncclBroadcast(const void *from, void *to, size_t n, ncclDataType_t t, int root, ncclComm_t c,
                           cudaStream_t s) {
  SAY("broadcast n=%zu type=%d root=%d stream=%d\n", n, t, root, s != 0);
  FAILS;
  return done(c, from, to, n, t);
}
ncclResult_t ncclSend(const void *from, size_t n, ncclDataType_t t, int peer, ncclComm_t c, cudaStream_t s) {
  SAY("send n=%zu type=%d peer=%d stream=%d\n", n, t, peer, s != 0);
  FAILS;
  return done(c, from, 0, n, t);
}
ncclResult_t ncclRecv(void *to, size_t n, ncclDataType_t t, int peer, ncclComm_t c, cudaStream_t s) {
  SAY("recv n=%zu type=%d peer=%d stream=%d\n", n, t, peer, s != 0);
  FAILS;
  return done(c, 0, to, n, t);
}
