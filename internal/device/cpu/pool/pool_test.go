package pool

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// nativeText: count adds one to a byte for each program; trap stops with 7 from program 1000 on; spin takes a
// while for each program; back calls a Go function; mark uses its scratch; poll does nothing for a number of
// rounds or until it is stopped.
const nativeText = `
declare void @callback(i64)
define void @count(ptr %args, ptr %grid, i64 %first, i64 %end, ptr %scratch, ptr %status) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  %p = getelementptr i8, ptr %args, i64 %i
  %v = load i8, ptr %p
  %w = add i8 %v, 1
  store i8 %w, ptr %p
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}
define void @trap(ptr %args, ptr %grid, i64 %first, i64 %end, ptr %scratch, ptr %status) {
  %last = icmp ugt i64 %end, 1000
  %code = select i1 %last, i64 7, i64 0
  store i64 %code, ptr %status
  ret void
}
define void @spin(ptr %args, ptr %grid, i64 %first, i64 %end, ptr %scratch, ptr %status) {
entry:
  br label %program
program:
  %i = phi i64 [ %first, %entry ], [ %next, %done ]
  br label %loop
loop:
  %k = phi i64 [ 0, %program ], [ %k1, %loop ]
  call void asm sideeffect "", ""()
  %k1 = add i64 %k, 1
  %again = icmp ult i64 %k1, 100000
  br i1 %again, label %loop, label %done
done:
  %a = atomicrmw add ptr %args, i64 1 monotonic
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %end
  br i1 %more, label %program, label %out
out:
  ret void
}
define void @back(ptr %args, ptr %grid, i64 %first, i64 %end, ptr %scratch, ptr %status) {
  call void @callback(i64 %first)
  ret void
}
define void @mark(ptr %args, ptr %grid, i64 %first, i64 %end, ptr %scratch, ptr %status) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i64, ptr %scratch, i64 %i
  store volatile i64 %first, ptr %p
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 512
  br i1 %more, label %loop, label %check
check:
  %j = phi i64 [ 0, %loop ], [ %j1, %check ]
  %q = getelementptr i64, ptr %scratch, i64 %j
  %v = load volatile i64, ptr %q
  %same = icmp eq i64 %v, %first
  %j1 = add i64 %j, 1
  %in = icmp ult i64 %j1, 512
  %go = and i1 %same, %in
  br i1 %go, label %check, label %out
out:
  %code = select i1 %same, i64 0, i64 1
  store i64 %code, ptr %status
  ret void
}
define void @poll(ptr %args, ptr %grid, i64 %first, i64 %end, ptr %scratch, ptr %status) {
entry:
  %rounds = load i64, ptr %args
  %at = getelementptr i64, ptr %status, i64 3
  %stop = load ptr, ptr %at
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %go ]
  %set = load volatile i32, ptr %stop
  %ended = icmp ne i32 %set, 0
  br i1 %ended, label %stopped, label %go
go:
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %rounds
  br i1 %more, label %loop, label %done
stopped:
  store i64 -1, ptr %status
  br label %done
done:
  ret void
}
`

// nativeLater: later stores the second word of the status to a byte for each program.
const nativeLater = `
define void @later(ptr %args, ptr %grid, i64 %first, i64 %end, ptr %scratch, ptr %status) {
  %at = getelementptr i64, ptr %status, i64 1
  %word = load i8, ptr %at
  %p = getelementptr i8, ptr %args, i64 %first
  store i8 %word, ptr %p
  ret void
}
`

var native = sync.OnceValues(func() (*llvm.JIT, error) {
	l, err := llvm.Load()
	if err != nil {
		return nil, err
	}
	out, err := l.Compile(context.Background(), []byte(nativeText+nativeLater+nativeFirst),
		llvm.Options{Target: l.HostTarget(), Emit: llvm.EmitObj, Level: llvm.O1})
	if err != nil {
		return nil, err
	}
	back := llvm.NewCallback(func(first uintptr) {
		if first >= 3 {
			panic(fmt.Sprintf("program %d", first))
		}
	})
	return l.JIT(out.Obj, llvm.JITOptions{Symbols: map[string]uintptr{"callback": back}})
})

func work(t testing.TB, name string) *Work {
	t.Helper()
	j := txtest.LLVM(t, native)
	fn, err := j.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return &Work{Fn: fn}
}

func TestEveryProgramOnce(t *testing.T) {
	pinned := New(runtime.NumCPU())
	pinned.Pin = true
	for _, p := range []*Pool{New(4), pinned} {
		for _, shares := range []bool{false, true} {
			everyProgramOnce(t, p, shares)
		}
	}
}

func everyProgramOnce(t *testing.T, p *Pool, shares bool) {
	t.Helper()
	for _, n := range []int{0, 1, 2, 3, 63, 64, 1000, 100_003} {
		w := work(t, "count")
		w.Shares = shares
		for round := range 3 {
			seen := make([]byte, n+1)
			if err := p.Run(context.Background(), w, unsafe.Pointer(&seen[0]), nil, n); err != nil {
				t.Fatal(err)
			}
			for i, v := range seen[:n] {
				if v != 1 {
					t.Fatalf("%d programs, round %d: program %d ran %d times", n, round, i, v)
				}
			}
			if seen[n] != 0 {
				t.Fatalf("%d programs: one too many ran", n)
			}
		}
	}
}

// TestScratchIsKept: native code is told which calls find scratch as an earlier call of their launch left it.
func TestScratchIsKept(t *testing.T) {
	p := New(1)
	for range 2 {
		w := work(t, "later") // each of its first launch's chunks is one program
		w.Shares = true
		seen := []byte{7, 7}
		if err := p.Run(context.Background(), w, unsafe.Pointer(&seen[0]), nil, len(seen)); err != nil {
			t.Fatal(err)
		}
		if seen[0] != 0 || seen[1] == 0 {
			t.Errorf("the calls were told %d, want 0 and 1", seen)
		}
	}
}

// TestRanges: programs that share work are divided among the threads, and no thread is left without.
func TestRanges(t *testing.T) {
	r := &run{ranges: make([]programs, 3), n: 8}
	r.split(true)
	var got []int64
	for {
		first, end, ok := r.grab(1, 2)
		if !ok {
			break
		}
		for i := first; i < end; i++ {
			got = append(got, i)
		}
	}
	if want := []int64{2, 3, 4, 5, 6, 7, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("the second thread takes %d, want %d", got, want)
	}
}

func TestLaunchesFromManyGoroutines(t *testing.T) {
	p := New(3)
	w := work(t, "count")
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for round := range 50 {
				n := 1 + (g*7919+round*104729)%5000
				seen := make([]byte, n)
				if err := p.Run(context.Background(), w, unsafe.Pointer(&seen[0]), nil, n); err != nil {
					t.Error(err)
				}
				for i, v := range seen {
					if v != 1 {
						t.Errorf("program %d of %d ran %d times", i, n, v)
						return
					}
				}
			}
		})
	}
	group.Wait()
}

func TestTrap(t *testing.T) {
	err := New(2).Run(context.Background(), work(t, "trap"), nil, nil, 5000)
	var trap *Trap
	if !errors.As(err, &trap) || trap.Code != 7 || trap.End <= 1000 {
		t.Fatalf("got %v", err)
	}
}

// nativeFirst: first stops in every program, in program 0 after some time. meet waits until two programs have
// begun, and stops if it is alone for seconds.
const nativeFirst = `
define void @first(ptr %args, ptr %grid, i64 %first, i64 %end, ptr %scratch, ptr %status) {
entry:
  %zero = icmp eq i64 %first, 0
  %rounds = select i1 %zero, i64 300000, i64 1
  %program = getelementptr i64, ptr %status, i64 1
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  store volatile i64 %first, ptr %program
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %rounds
  br i1 %more, label %loop, label %done
done:
  store i64 7, ptr %status
  ret void
}
define void @meet(ptr %args, ptr %grid, i64 %first, i64 %end, ptr %scratch, ptr %status) {
entry:
  %old = atomicrmw add ptr %args, i64 1 seq_cst
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %n = load atomic volatile i64, ptr %args seq_cst, align 8
  %alone = icmp ult i64 %n, 2
  %next = add i64 %i, 1
  %soon = icmp ult i64 %next, 4000000000
  %more = and i1 %alone, %soon
  br i1 %more, label %loop, label %done
done:
  %code = zext i1 %alone to i64
  store i64 %code, ptr %status
  ret void
}
`

// TestFirstLaunch: a kernel of which no time is known yet has all threads: its programs may wait for each
// other.
func TestFirstLaunch(t *testing.T) {
	p, met := New(2), int64(0)
	if err := p.Run(context.Background(), work(t, "meet"), unsafe.Pointer(&met), nil, 2); err != nil {
		t.Error("one thread ran both programs:", err)
	}
}

// TestFirstTrap: the error is that of the first program, though others stop before it.
func TestFirstTrap(t *testing.T) {
	p := New(4)
	for range 50 {
		var trap *Trap
		err := p.Run(context.Background(), work(t, "first"), nil, nil, 100)
		if !errors.As(err, &trap) || trap.Words[0] != 0 {
			t.Fatalf("got %+v", err)
		}
	}
}

func TestPanicInCallback(t *testing.T) {
	p := New(2)
	w := work(t, "back")
	var panicked *Panic
	if err := p.Run(context.Background(), w, nil, nil, 10); !errors.As(err, &panicked) {
		t.Fatalf("got %v", err)
	}
	if err := p.Run(context.Background(), w, nil, nil, 1); err != nil { // and goes on
		t.Fatal(err)
	}
}

func TestCancel(t *testing.T) {
	p := New(2)
	w := work(t, "spin")
	var ran atomic.Int64
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	const n = 1_000_000 // would take most of a minute
	start := time.Now()
	err := p.Run(ctx, w, unsafe.Pointer(&ran), nil, n)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v to notice", took)
	}
	at := ran.Load()
	time.Sleep(10 * time.Millisecond)
	if ran.Load() != at || at >= n {
		t.Errorf("%d programs ran before Run returned, %d after", at, ran.Load())
	}
	if err := p.Run(ctx, w, unsafe.Pointer(&ran), nil, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a launch on a cancelled context: %v", err)
	}
	if err := p.Run(context.Background(), w, unsafe.Pointer(&ran), nil, 3); err != nil {
		t.Errorf("after a cancelled launch: %v", err)
	}
}

// TestWatch: of launches that run beside each other, those whose context ends are stopped, and no others.
func TestWatch(t *testing.T) {
	p := New(2)
	w := work(t, "poll")
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for round := range 12 {
				rounds := uint64(1000)
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				var want error
				if g%2 == 0 {
					cancel()
					ctx, cancel = context.WithTimeout(context.Background(),
						time.Duration(round%3)*time.Millisecond)
					rounds, want = 1<<63, context.DeadlineExceeded
				}
				if err := p.Run(ctx, w, unsafe.Pointer(&rounds), nil, 1+round%3); !errors.Is(err, want) {
					t.Errorf("goroutine %d, round %d: %v, not %v", g, round, err, want)
				}
				cancel()
			}
		})
	}
	group.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.watch.runs); n != 0 {
		t.Errorf("%d runs are watched after their end", n)
	}
}

func TestScratchIsPrivate(t *testing.T) {
	p := New(4)
	w := work(t, "mark")
	w.Scratch = 4096
	for range 20 {
		if err := p.Run(context.Background(), w, nil, nil, 2000); err != nil {
			t.Fatal(err)
		}
	}
}

// raceDetector is on: it allocates on its own account.
var raceDetector bool

func TestNothingAllocated(t *testing.T) {
	if raceDetector {
		txtest.NotHere(t, "the race detector allocates")
	}
	p := New(2)
	w := work(t, "count")
	seen := make([]byte, 1<<16)
	for _, n := range []int{1, 16, 1 << 16} {
		launch := func() {
			if err := p.Run(context.Background(), w, unsafe.Pointer(&seen[0]), nil, n); err != nil {
				t.Fatal(err)
			}
		}
		launch()
		launch()
		if got := testing.AllocsPerRun(100, launch); got != 0 {
			t.Errorf("%d programs: %v allocations", n, got)
		}
	}
	runtime.KeepAlive(seen)
}

func BenchmarkSmallLaunch(b *testing.B) {
	p := New(0)
	w := work(b, "count")
	seen := make([]byte, 16)
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Run(context.Background(), w, unsafe.Pointer(&seen[0]), nil, 4); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSharedLaunch(b *testing.B) {
	p := New(0)
	w := work(b, "spin")
	var ran atomic.Int64
	for b.Loop() {
		if err := p.Run(context.Background(), w, unsafe.Pointer(&ran), nil, 16); err != nil {
			b.Fatal(err)
		}
	}
}
