package nccl

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/txtest"
)

func address(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(&b[0]))) }

// TestHeader compares numbers and declarations with a nccl.h that NEREID_NCCL_HEADER names.
func TestHeader(t *testing.T) {
	name := txtest.LongForm(t, "NEREID_NCCL_HEADER", "the path of nccl.h of the PyPI package nvidia-nccl-cu13")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(string(data), " ")
	text = regexp.MustCompile(`\s+`).ReplaceAllString(text, " ")
	for word, n := range map[string]any{
		"ncclInt8": Int8, "ncclUint8": Uint8, "ncclInt32": Int32, "ncclUint32": Uint32, "ncclInt64": Int64,
		"ncclUint64": Uint64, "ncclFloat16": Float16, "ncclFloat32": Float32, "ncclFloat64": Float64,
		"ncclBfloat16": BFloat16, "ncclFloat8e4m3": Float8E4M3, "ncclFloat8e5m2": Float8E5M2,
		"ncclSum": Sum, "ncclProd": Prod, "ncclMax": Max, "ncclMin": Min, "ncclAvg": Avg,
		"ncclSuccess": success, "ncclInProgress": inProgress,
	} {
		if !regexp.MustCompile(fmt.Sprintf(`\b%s = %d\b`, word, n)).MatchString(text) {
			t.Errorf("%s is not %d", word, n)
		}
	}
	for _, want := range []string{
		"#define NCCL_UNIQUE_ID_BYTES 128", "#define NCCL_API_MAGIC 0xcafebeef",
		"#define NCCL_CONFIG_UNDEF_INT INT_MIN",
		"size_t size; unsigned int magic; unsigned int version; int blocking; " +
			"int cgaClusterSize; int minCTAs; int maxCTAs; const char *netName; int splitShare;",
		"ncclCommInitRankConfig(ncclComm_t* comm, int nranks, ncclUniqueId commId, int rank, " +
			"ncclConfig_t* config);",
		"ncclCommFinalize(ncclComm_t comm);", "ncclCommDestroy(ncclComm_t comm);",
		"ncclCommAbort(ncclComm_t comm);",
		"ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *asyncError);",
		"ncclAllReduce(const void* sendbuff, void* recvbuff, size_t count, ncclDataType_t datatype, " +
			"ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream);",
		"ncclReduce(const void* sendbuff, void* recvbuff, size_t count, ncclDataType_t datatype, ncclRedOp_t op, " +
			"int root, ncclComm_t comm, cudaStream_t stream);",
		"ncclReduceScatter(const void* sendbuff, void* recvbuff, size_t recvcount, " +
			"ncclDataType_t datatype, ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream);",
		"ncclAllGather(const void* sendbuff, void* recvbuff, size_t sendcount, ncclDataType_t datatype, " +
			"ncclComm_t comm, cudaStream_t stream);",
		"ncclBroadcast(const void* sendbuff, void* recvbuff, size_t count, ncclDataType_t datatype, int root, " +
			"ncclComm_t comm, cudaStream_t stream);",
		"ncclSend(const void* sendbuff, size_t count, ncclDataType_t datatype, int peer, ncclComm_t comm, " +
			"cudaStream_t stream);",
		"ncclRecv(void* recvbuff, size_t count, ncclDataType_t datatype, int peer, ncclComm_t comm, " +
			"cudaStream_t stream);",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the header does not have %s", want)
		}
	}
}
