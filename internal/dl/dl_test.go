package dl

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// libc is a library that is always there.
func libc(t testing.TB) *Library {
	t.Helper()
	if runtime.GOOS != "linux" {
		txtest.NotHere(t, "no name for libc on %s", runtime.GOOS)
	}
	lib, err := Open("libc", []Candidate{"/nowhere/libc.so", "libc.so.6", "libc.musl-x86_64.so.1"}, nil)
	if err != nil {
		txtest.NotHere(t, "%v", err)
	}
	return lib
}

func TestOpenListsAttempts(t *testing.T) {
	if runtime.GOOS != "linux" {
		txtest.NotHere(t, "the messages are those of Linux")
	}
	broken := filepath.Join(t.TempDir(), "libbroken.so")
	if err := os.WriteFile(broken, []byte("no library"), 0o644); err != nil {
		t.Fatal(err)
	}
	refuse := func(*Library) error { return errors.New("version 14, 17 to 22 wanted") }
	_, err := Open("libfish 3", []Candidate{"/nowhere/libfish.so", "libfish.so.3", broken, "libc.so.6"},
		refuse)
	if err == nil {
		t.Fatal("opened a library that nobody has")
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
	for _, want := range []string{
		"libfish 3 cannot be opened",
		broken + ": ",
		"libc.so.6: version 14, 17 to 22 wanted",
		"not found: /nowhere/libfish.so, libfish.so.3",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in:\n%v", want, err)
		}
	}
}

func TestBind(t *testing.T) {
	lib := libc(t)
	var (
		strlen  func(string) int
		abs     uintptr
		missing func()
		option  func()
	)
	err := lib.Bind([]Func{
		{Ptr: &strlen, Symbol: "strlen"},
		{Ptr: &missing, Symbol: "no_such_symbol"},
		{Ptr: &abs, Symbol: "abs"},
		{Ptr: &option, Symbol: "no_such_option", Optional: true},
		{Ptr: &missing, Symbol: "nor_this_one"},
	})
	if err == nil || !strings.HasSuffix(err.Error(), "lacks no_such_symbol, nor_this_one") {
		t.Errorf("Bind: %v", err)
	}
	if n := strlen("seven ."); n != 7 {
		t.Errorf("strlen = %d", n)
	}
	if n := Call(abs, ^uintptr(4)); n != 5 {
		t.Errorf("abs(-5) = %d", n)
	}
	if option != nil {
		t.Error("an optional symbol that is missing was bound")
	}
}

func TestCallAllocatesNothing(t *testing.T) {
	lib := libc(t)
	abs, err := lib.Symbol("abs")
	if err != nil {
		t.Fatal(err)
	}
	args := []uintptr{^uintptr(0)}
	if n := testing.AllocsPerRun(100, func() { Call(abs, args...) }); n != 0 {
		t.Errorf("Call allocates %v times", n)
	}
}

func TestGoString(t *testing.T) {
	if s := GoString(nil); s != "" {
		t.Errorf("nil is %q", s)
	}
	text := []byte("abc\x00def")
	if s := GoString(&text[0]); s != "abc" {
		t.Errorf("%q", s)
	}
	if b := GoBytes(&text[0], 5); string(b) != "abc\x00d" {
		t.Errorf("%q", b)
	}
}

func TestThreadID(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	mine := ThreadID()
	if mine == 0 || mine != ThreadID() {
		t.Errorf("thread ids %d, %d", mine, ThreadID())
	}
	other := make(chan uintptr)
	go func() { other <- ThreadID() }()
	if id := <-other; id == mine {
		t.Errorf("another thread has the id %d too", id)
	}
}

func BenchmarkCall(b *testing.B) {
	lib := libc(b)
	abs, err := lib.Symbol("abs")
	if err != nil {
		b.Fatal(err)
	}
	args := make([]uintptr, 11)
	b.ReportAllocs()
	for b.Loop() {
		Call(abs, args...)
	}
}

func BenchmarkTyped(b *testing.B) {
	lib := libc(b)
	var abs func(int) int
	if err := lib.Bind([]Func{{Ptr: &abs, Symbol: "abs"}}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		abs(1)
	}
}

func TestFrame(t *testing.T) {
	lib := libc(t)
	snprintf, err := lib.Symbol("snprintf")
	if err != nil {
		t.Fatal(err)
	}
	// Eleven arguments: registers and the stack both have to be right.
	var text [64]byte
	format := []byte("%ld %ld %ld %ld %ld %ld %ld %ld\x00")
	f := &Frame{Fn: snprintf, Args: [11]uintptr{addr(&text[0]), uintptr(len(text)), addr(&format[0]), 1, 2, 3,
		4, 5, 6, 7, 1 << 40}}
	n := f.Call()
	runtime.KeepAlive(format)
	if got, want := string(text[:n]), "1 2 3 4 5 6 7 1099511627776"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if n := testing.AllocsPerRun(100, func() { f.Call() }); n != 0 {
		t.Errorf("a call allocates %v times", n)
	}
}

func addr(p *byte) uintptr { return uintptr(unsafe.Pointer(p)) }

// TestFrameCallsBack calls C that calls Go, with the stack of the caller moving meanwhile.
func TestFrameCallsBack(t *testing.T) {
	fn := NewCallback(func(a, b, c, d, e, f, g, h, i, j, k uintptr) uintptr {
		return a + 10*b + uintptr(deep(200)) + k
	})
	f := &Frame{Fn: fn, Args: [11]uintptr{1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 100}}
	for range 3 {
		if got := f.Call(); got != 121+200 {
			t.Errorf("%d", got)
		}
	}
}

// deep needs a large stack.
func deep(n int) int {
	var room [512]byte
	room[n%len(room)] = 1
	if n == 0 {
		return 0
	}
	return deep(n-1) + int(room[n%len(room)])
}

func BenchmarkFrame(b *testing.B) {
	lib := libc(b)
	abs, err := lib.Symbol("abs")
	if err != nil {
		b.Fatal(err)
	}
	f := &Frame{Fn: abs}
	b.ReportAllocs()
	for b.Loop() {
		f.Call()
	}
}

// TestLaunch calls with few words and with many, by pointers. The callback may move the stack, so the words
// lie on the heap.
func TestLaunch(t *testing.T) {
	var got [11]uintptr
	var sum, n uint64
	fn := NewCallback(func(a, b, c, d, e, f, g, h, i uintptr, params *[MaxWords]*uint64, k uintptr) uintptr {
		got = [11]uintptr{a, b, c, d, e, f, g, h, i, 0, k}
		sum = 0
		for i := range n {
			sum = 3*sum + *params[i]
		}
		return uintptr(deep(200))
	})
	kernel := NewKernel(fn, 1<<40, [3]uint32{5, 6, 7}, 8)
	for _, n = range []uint64{0, 1, 15, 16, 17, 31, MaxWords} {
		words := make([]uint64, n)
		want := uint64(0)
		for i := range words {
			words[i] = uint64(i)<<33 + 1
			want = 3*want + words[i]
		}
		l := Launch{Kernel: &kernel, Grid: [3]uint32{2, 3, 4}, Stream: 9 << 40}
		l.Words, l.N = WordsOf(words)
		if r := l.Call(); r != 200 || sum != want {
			t.Errorf("%d words: result %d, sum %d, want %d", n, r, sum, want)
		}
		if want := [11]uintptr{1 << 40, 2, 3, 4, 5, 6, 7, 8, 9 << 40, 0, 0}; got != want {
			t.Errorf("%d words: %v", n, got)
		}
	}
}

// TestLaunchOnStack has words that lie on the goroutine's stack, and allocates nothing.
func TestLaunchOnStack(t *testing.T) {
	abs, err := libc(t).Symbol("abs")
	if err != nil {
		t.Fatal(err)
	}
	kernel := NewKernel(abs, 42, [3]uint32{}, 0)
	n := testing.AllocsPerRun(100, func() {
		var words [8]uint64
		l := Launch{Kernel: &kernel}
		l.Words, l.N = WordsOf(words[:])
		if r := l.Call(); r != 42 {
			t.Errorf("%d", r)
		}
	})
	if n != 0 {
		t.Errorf("a call allocates %v times", n)
	}
}
