package collective_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid/collective"
	"github.com/nereid-lang/nereid/run"
)

// TestMain makes this program a rank of TestProcesses where the environment says so.
func TestMain(m *testing.M) {
	if what := os.Getenv("COLLECTIVE_TEST_RANK"); what != "" {
		if err := child(what); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child is a rank in a process of its own.
func child(what string) error {
	var rank, size int
	var rendezvous, then string
	if _, err := fmt.Sscan(what, &rank, &size, &rendezvous, &then); err != nil {
		return err
	}
	dev, err := run.OpenDevice("cpu")
	if err != nil {
		return err
	}
	cfg := collective.Config{Rank: rank, Size: size, Rendezvous: rendezvous, Timeout: 20 * time.Second}
	if then == "env" {
		if cfg, err = collective.FromEnv(); err != nil {
			return err
		}
	}
	c, err := collective.Open(context.Background(), dev, cfg)
	if err != nil {
		return err
	}
	s, err := dev.NewStream(context.Background())
	if err != nil {
		return err
	}
	return errors.Join(childWork(c, s, then), c.Close())
}

func childWork(c *collective.Comm, s *run.Stream, then string) error {
	r := rankOf(c, s)
	for _, n := range []int{5, 100000} {
		if err := everything(r, run.Float32, n); err != nil {
			return err
		}
	}
	if then != "die" {
		fmt.Println("done")
		return nil
	}
	if c.Rank() == c.Size()-1 {
		os.Exit(3)
	}
	x := run.FromSlice(make([]float32, 100))
	var lost *collective.RankError
	if err := c.AllReduce(s, x, x, collective.Sum); !errors.As(err, &lost) {
		return fmt.Errorf("without a rank: %v", err)
	}
	fmt.Println("done")
	return nil
}

// TestProcesses: ranks as processes, which meet by TCP, by a file, and by the variables of torchrun; one of
// them may die.
func TestProcesses(t *testing.T) {
	host(t)
	for i, c := range []struct {
		size       int
		then, meet string
	}{
		{2, "end", "tcp"}, {4, "end", "file"}, {2, "env", "tcp"}, {4, "die", "tcp"},
	} {
		where := "tcp://" + freeAddress(t)
		if c.meet == "file" {
			where = "file://" + filepath.Join(t.TempDir(), "id")
		}
		begin := time.Now()
		outputs, errs := processes(t, c.size, where, c.then)
		for rank, out := range outputs {
			died := c.then == "die" && rank == c.size-1
			if !died && (errs[rank] != nil || strings.TrimSpace(out) != "done") {
				t.Errorf("case %d, rank %d: %v\n%s", i, rank, errs[rank], out)
			}
		}
		t.Logf("%d ranks, %s, %s: %.2f s", c.size, c.meet, c.then, time.Since(begin).Seconds())
	}
}

// processes runs the ranks and returns their outputs.
func processes(t *testing.T, size int, where, then string) (outputs []string, errs []error) {
	t.Helper()
	outputs, errs = make([]string, size), make([]error, size)
	done := make(chan int)
	host, port, _ := strings.Cut(strings.TrimPrefix(where, "tcp://"), ":")
	for rank := range size {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(),
			fmt.Sprintf("COLLECTIVE_TEST_RANK=%d %d %s %s", rank, size, where, then),
			fmt.Sprintf("RANK=%d", rank), fmt.Sprintf("WORLD_SIZE=%d", size), "MASTER_ADDR="+host,
			"MASTER_PORT="+port)
		go func() {
			out, err := cmd.CombinedOutput()
			outputs[rank], errs[rank] = string(out), err
			done <- rank
		}()
	}
	for range size {
		<-done
	}
	return outputs, errs
}
