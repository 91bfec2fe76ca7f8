package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"example.com/llm/model"
	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/collective"
)

// With --tp N, a model is spread over N ranks: this process is rank 0, and starts a process for each other
// one, by the command "rank". They meet by a file in a folder of their own.

// others are the processes of the ranks from 1 on.
type others struct {
	dir    string
	ctx    context.Context // ends when one of them does
	cancel context.CancelCauseFunc
	cmds   []*exec.Cmd
	wait   sync.WaitGroup
}

// spawn starts the processes of the other ranks.
func (s *settings) spawn() (*others, error) {
	dir, err := os.MkdirTemp("", "nereid-llm-ranks")
	if err != nil {
		return nil, err
	}
	o := &others{dir: dir}
	o.ctx, o.cancel = context.WithCancelCause(context.Background())
	for rank := 1; rank < s.tp; rank++ {
		if err := o.start(rank, s.rankArguments(rank, dir)); err != nil {
			return nil, errors.Join(err, o.end())
		}
	}
	return o, nil
}

// rankArguments returns the arguments of the process of a rank.
func (s *settings) rankArguments(rank int, dir string) []string {
	args := []string{"rank", "--model", s.file, "--device", s.device, "--type", s.dtype, "--pages",
		strconv.Itoa(s.pages), "--tp", strconv.Itoa(s.tp), "--rank", strconv.Itoa(rank), "--meet", dir}
	if s.randomName != "" {
		args = append(args, "--random="+s.randomName)
	}
	if s.oneByOne {
		args = append(args, "--one-by-one")
	}
	return args
}

// start starts a process. When it ends, so does what the others wait for.
func (o *others) start(rank int, args []string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), rankVariable+"=1")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	o.cmds = append(o.cmds, cmd)
	o.wait.Go(func() {
		if err := cmd.Wait(); err != nil {
			o.cancel(fmt.Errorf("the process of rank %d has ended: %w", rank, err))
		}
	})
	return nil
}

// rankVariable is set in processes of ranks, so that a test's program knows that it is one.
const rankVariable = "NEREID_LLM_RANK"

// end waits for the processes, which rank 0 has told to end, and ends those that do not.
func (o *others) end() error {
	done := make(chan struct{})
	go func() {
		o.wait.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		for _, cmd := range o.cmds {
			_ = cmd.Process.Kill()
		}
		<-done
	}
	return os.RemoveAll(o.dir)
}

// ranksOf returns the part of Options that says which rank this is.
func (s *settings) ranksOf(o *model.Options, rank int, dir string) {
	o.Ranks = collective.Config{Rank: rank, Size: s.tp, Rendezvous: "file://" + filepath.Join(dir, "id")}
	o.Device = deviceOf(s.device, rank)
}

// deviceOf returns the device of a rank: GPUs have one each, and the first one may be named.
func deviceOf(device string, rank int) string {
	kind, number, _ := strings.Cut(device, ":")
	if !slices.Contains([]string{"cuda", "hip"}, kind) {
		return device
	}
	first, _ := strconv.Atoi(number)
	return fmt.Sprintf("%s:%d", kind, first+rank)
}

// rankCommand is the process of a rank from 1 on, which rank 0 starts and ends.
func rankCommand(_ context.Context, args []string, _ io.Writer) error {
	signal.Ignore(os.Interrupt, syscall.SIGTERM) // a terminal sends them to rank 0 as well
	var s settings
	f := s.flags("rank")
	rank := f.Int("rank", 0, "number of the rank")
	meet := f.String("meet", "", "folder where ranks meet")
	f.BoolVar(&s.oneByOne, "one-by-one", false, "record no graphs")
	if err := f.Parse(args); err != nil {
		return err
	}
	if err := s.complete(); err != nil {
		return err
	}
	if *rank < 1 || *meet == "" {
		return errors.New("rank 0 starts this command, with --tp")
	}
	file, err := s.read()
	if err != nil {
		return err
	}
	o := model.Options{DType: types[s.dtype], Pages: s.pages, Config: nereid.EnvConfig()}
	s.ranksOf(&o, *rank, *meet)
	m, err := model.New(file, o)
	if err != nil {
		return fmt.Errorf("rank %d: %w", *rank, err)
	}
	m.OneByOne = s.oneByOne
	return errors.Join(m.Follow(), m.Close())
}
