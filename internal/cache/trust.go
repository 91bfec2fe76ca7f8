package cache

import (
	"errors"
	"io/fs"
	"os"
	"sync"

	"github.com/nereid-lang/nereid/internal/safefile"
)

// trust is the verdict on a store's folder: entries are native code, so whoever can put files into it can run
// code as this process. As long as there is no folder there is no verdict.
type trust struct {
	mu      sync.Mutex
	decided bool
	err     error
}

// Check returns the reason why the folder is not used, or nil. A folder that is not there, or cannot be
// looked at, is not refused.
func (s *Store) Check() error {
	t := &s.trust
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.decided {
		return t.err
	}
	err := safefile.CheckFolder(s.o.Dir)
	var refused *safefile.FolderError
	switch {
	case err == nil:
		t.decided = true
	case errors.As(err, &refused):
		t.decided, t.err = true, err
		s.o.Log.Warn("cache: the folder is not used, so kernels are compiled each time",
			"folder", refused.Dir, "reason", refused.Reason, "remedy", refused.Remedy)
	case errors.Is(err, fs.ErrNotExist):
	}
	return t.err
}

func (s *Store) trusted() bool { return s.Check() == nil }

// make makes a folder of the store's. The store's folder must pass the check, whoever made it.
func (s *Store) make(dir string) error {
	if err := s.Check(); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return s.Check()
}
