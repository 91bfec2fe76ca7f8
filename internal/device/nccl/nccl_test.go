package nccl

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/device/nccl/stub"
	"github.com/nereid-lang/nereid/internal/dl"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// started returns the stub and a function that returns the calls since the last time.
func started(t *testing.T) (*Library, func() string) {
	t.Helper()
	lib, log := stub.Build(t)
	t.Setenv("NEREID_STUB_NCCL_LOG", log)
	l, err := open("NCCL", hint, []dl.Candidate{dl.Candidate(lib)})
	if err != nil {
		t.Fatal(err)
	}
	if l.Version() != 22809 || l.Path() != lib {
		t.Errorf("version %d of %s", l.Version(), l.Path())
	}
	news := txtest.Appended(t, log)
	return l, func() string { return strings.ReplaceAll(strings.TrimSpace(news()), "\n", "; ") }
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestCalls: arguments arrive in their places. The stub is compiled from declarations like those of nccl.h,
// and checks the ID, which is passed by value, and the fields of the configuration.
func TestCalls(t *testing.T) {
	l, calls := started(t)
	id, err := l.NewID()
	ok(t, err)
	c, err := l.Init(3, 2, id, false)
	ok(t, err)
	if done, err := c.Poll(); !done || err != nil {
		t.Errorf("Poll: %v, %v", done, err)
	}
	from, to := []byte("abcdefgh"), make([]byte, 8)
	p, q := address(from), address(to)
	ok(t, l.GroupStart())
	ok(t, c.AllReduce(p, q, 2, Float32, Avg, 1))
	ok(t, c.Reduce(p, q, 1, Float64, Min, 2, 0))
	ok(t, c.ReduceScatter(p, q, 4, BFloat16, Max, 1))
	ok(t, c.AllGather(p, q, 8, Float8E5M2, 1))
	ok(t, c.Broadcast(p, q, 4, Float16, 1, 1))
	ok(t, c.Send(p, 8, Int8, 1, 1))
	ok(t, c.Recv(q, 1, Uint64, 0, 1))
	ok(t, l.GroupEnd())
	if string(to) != string(from) {
		t.Errorf("the stub has copied %q", to)
	}
	ok(t, c.Finalize())
	ok(t, c.Destroy())
	const want = "init ranks=3 rank=2 blocking=0; group start; all_reduce n=2 type=7 op=4 stream=1; " +
		"reduce n=1 type=8 op=3 root=2 stream=0; reduce_scatter n=4 type=9 op=2 stream=1; " +
		"all_gather n=8 type=11 stream=1; broadcast n=4 type=6 root=1 stream=1; send n=8 type=0 peer=1 stream=1; " +
		"recv n=1 type=5 peer=0 stream=1; group end; finalize; destroy"
	if got := calls(); got != want {
		t.Errorf("calls %s\nwant  %s", got, want)
	}
	c, err = l.Init(1, 0, id, true)
	ok(t, err)
	ok(t, c.Abort())
	if got, want := calls(), "init ranks=1 rank=0 blocking=1; abort"; got != want {
		t.Errorf("calls %s\nwant  %s", got, want)
	}
}

// TestErrors: results become errors with the library's text.
func TestErrors(t *testing.T) {
	t.Setenv("NEREID_STUB_NCCL_FAIL", "ncclAllReduce")
	l, _ := started(t)
	id, err := l.NewID()
	ok(t, err)
	if _, err := l.Init(2, 5, id, true); err == nil ||
		err.Error() != "ncclCommInitRankConfig: invalid argument (the stub says no)" {
		t.Errorf("rank 5 of 2: %v", err)
	}
	c, err := l.Init(1, 0, id, true)
	ok(t, err)
	var e *Error
	if err := c.AllReduce(0, 0, 0, Float32, Sum, 0); !errors.As(err, &e) || e.Result != 5 ||
		err.Error() != "ncclAllReduce: invalid usage (the stub says no)" {
		t.Errorf("a call that fails: %v", err)
	}
	if err := l.GroupEnd(); err == nil {
		t.Error("a group ended that had not begun")
	}
}

// TestSearch: the library is found where pip puts it; where it is not, the error says what to do.
func TestSearch(t *testing.T) {
	if dl.Static {
		txtest.NotHere(t, "the program opens no libraries")
	}
	lib, _ := stub.Build(t)
	env := t.TempDir()
	folder := filepath.Join(env, "lib", "python3.12", "site-packages", "nvidia", "nccl", "lib")
	ok(t, os.MkdirAll(folder, 0o777))
	path := filepath.Join(folder, "libnccl.so.2")
	ok(t, os.Symlink(lib, path))
	t.Setenv("VIRTUAL_ENV", env)
	t.Setenv("NEREID_NCCL", "")
	if list := candidates(); len(list) < 2 || list[0] != "libnccl.so.2" || list[1] != path {
		t.Errorf("candidates %q", list)
	}
	t.Setenv("NEREID_NCCL", "/nowhere/libnccl.so.2")
	_, err := open("NCCL (libnccl.so.2)", hint, candidates())
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "pip install nvidia-nccl-cu13") ||
		!strings.Contains(err.Error(), "not found: /nowhere/libnccl.so.2") {
		t.Errorf("without a library: %v", err)
	}
	t.Setenv("NEREID_RCCL", "/nowhere/librccl.so")
	if list := candidatesRCCL(); len(list) != 1 || list[0] != "/nowhere/librccl.so" {
		t.Errorf("candidates %q", list)
	}
}
