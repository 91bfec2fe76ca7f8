package cache

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The test program is its own child: as one, it takes entries out of a cache over and over.
func TestMain(m *testing.M) {
	if dir := os.Getenv("NEREID_TEST_CACHE"); dir != "" {
		child(dir, os.Getenv("NEREID_TEST_ROUNDS"))
		return
	}
	os.Exit(m.Run())
}

const childKeys = 12

// child prints a line for each entry that it compiles and for each thing that is wrong.
func child(dir, rounds string) {
	s := Open(Options{Dir: dir, Limit: 1 << 30, LockWait: time.Minute}) // a loaded machine is slow
	n, _ := strconv.Atoi(rounds)
	for round := 0; round < n; round++ {
		for i := range childKeys {
			err := s.Do(context.Background(), keyFor(i), func(e *Entry) error {
				if err := same(e, i); err != nil {
					fmt.Println("wrong:", err)
				}
				return nil
			}, func() (*Entry, error) {
				fmt.Println("compiled", i)
				if n == 1 {
					time.Sleep(5 * time.Millisecond)
				}
				return entryFor(i), nil
			})
			if err != nil {
				fmt.Println("wrong:", err)
			}
			if n > 1 { // write it again: whoever is killed is killed while writing
				s.Put(entryFor(i))
			}
		}
	}
}

func command(t *testing.T, dir string, rounds int) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "NEREID_TEST_CACHE="+dir, fmt.Sprint("NEREID_TEST_ROUNDS=", rounds))
	out := &strings.Builder{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// Eight processes at once on an empty folder compile each kernel once.
func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	var mu sync.Mutex
	var all strings.Builder
	var wg sync.WaitGroup
	for range 8 {
		cmd, out := command(t, dir, 1)
		wg.Go(func() {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
			mu.Lock()
			all.WriteString(out.String())
			mu.Unlock()
		})
	}
	wg.Wait()
	if n := strings.Count(all.String(), "compiled"); n != childKeys ||
		strings.Contains(all.String(), "wrong") {
		t.Errorf("%d kernels were compiled %d times:\n%s", childKeys, n, &all)
	}
}

// Processes are killed at random moments while they write: nothing is ever wrong, and nothing piles up.
// NEREID_TEST_KILLS says how often.
func TestKill(t *testing.T) {
	rounds := 80
	if testing.Short() {
		rounds = 40
	}
	if n, err := strconv.Atoi(os.Getenv("NEREID_TEST_KILLS")); err == nil {
		rounds = n
	}
	dir := t.TempDir()
	r := rand.New(rand.NewSource(time.Now().UnixNano()))
	for range rounds {
		var wg sync.WaitGroup
		for range 2 {
			cmd, out := command(t, dir, 1_000_000)
			after := time.Duration(5+r.Intn(40)) * time.Millisecond
			wg.Go(func() {
				time.Sleep(after)
				cmd.Process.Kill()
				cmd.Wait()
				if strings.Contains(out.String(), "wrong") {
					t.Error(out)
				}
			})
		}
		wg.Wait()
	}
	// Whoever comes next finds whole entries or none, and cleans up after the dead.
	s := Open(Options{Dir: dir})
	for i := range childKeys {
		get(t, s, i)
		s.Put(entryFor(i))
		if get(t, s, i) {
			t.Errorf("entry %d is not kept", i)
		}
	}
	if s.Stats().Damaged > 0 {
		t.Errorf("%d entries were damaged", s.Stats().Damaged)
	}
	for _, f := range files(t, dir) {
		if strings.Contains(f, temporary) {
			t.Errorf("left behind: %s", f)
		}
	}
}
