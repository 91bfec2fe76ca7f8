package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid/internal/autotune"
)

// isolated has child processes measure until one comes to the end. A child keeps a journal, so the next
// goes on behind the config that killed the last; then all is known, and this process needs to measure
// nothing.
func (f *tuneFlags) isolated(cmd *cobra.Command, store *autotune.Folder) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for last := -1; ; {
		err := f.child(cmd, self, store)
		if err == nil || contextOf(cmd).Err() != nil {
			return err
		}
		known := known(store)
		if known == last { // no config was noted: it does not get as far as measuring
			return err
		}
		last = known
		fmt.Fprintf(cmd.ErrOrStderr(), "nereid: %v; going on behind that config\n", err)
	}
}

// known is how many timings and failures a store has.
func known(s *autotune.Folder) (n int) {
	for _, r := range s.All() {
		n += len(r.Timings)
	}
	return n
}

// child runs this command line again in a process that keeps a journal. A process that adds nothing to it
// for longer than a config may take is ended.
func (f *tuneFlags) child(cmd *cobra.Command, self string, store *autotune.Folder) error {
	args := append(append([]string(nil), os.Args[1:]...), "--journal", "--dir", store.Dir)
	c := exec.CommandContext(contextOf(cmd), self, args...)
	// its config is not to blame, and it can say so
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 3 * time.Second
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	last, since := store.Stamp(), time.Now()
	for {
		select {
		case err := <-ended:
			return childError(err, stderr.Bytes())
		case <-tick.C:
		}
		if now := store.Stamp(); now != last {
			last, since = now, time.Now()
		}
		if f.hang > 0 && time.Since(since) > f.hang {
			c.Process.Kill()
			<-ended
			return fmt.Errorf("a config took longer than %v", f.hang)
		}
	}
}

// childError is the error with what the process has said at last.
func childError(err error, stderr []byte) error {
	if err == nil {
		return nil
	}
	lines := bytes.Split(bytes.TrimSpace(stderr), []byte("\n"))
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(lines[0]) > 0 {
		return fmt.Errorf("%w: %s", err, lines[0])
	}
	return err
}
