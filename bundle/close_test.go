package bundle_test

import (
	"errors"
	"io"
	"io/fs"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/bundle"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// slowFS is a file system whose files can be made to wait before they are read.
type slowFS struct {
	fstest.MapFS
	waits  atomic.Bool
	inside chan struct{} // a reader has come
	leave  chan struct{} // it may go on
}

func (f *slowFS) Open(name string) (fs.File, error) {
	file, err := f.MapFS.Open(name)
	return &slowFile{file, f}, err
}

type slowFile struct {
	fs.File
	of *slowFS
}

func (f *slowFile) ReadAt(p []byte, at int64) (int, error) {
	if f.of.waits.CompareAndSwap(true, false) {
		f.of.inside <- struct{}{}
		<-f.of.leave
	}
	return f.File.(io.ReaderAt).ReadAt(p, at)
}

// TestCloseDuringLoad closes a bundle while code is being loaded from it: closing waits for the load, and the
// code is closed afterwards.
func TestCloseDuringLoad(t *testing.T) {
	data := build(t, softmaxes([]string{baseline()}, 64))
	files := &slowFS{MapFS: fstest.MapFS{"b": {Data: data}}, inside: make(chan struct{}),
		leave: make(chan struct{})}
	b := txtest.Open(t, func(name string) (*bundle.Bundle, error) { return bundle.OpenFS(files, name) }, "b")
	s := newStream(t, "cpu")
	v := lookup(t, b, "softmax_fp32_64")
	files.waits.Store(true)
	loaded := make(chan *nereid.Compiled)
	go func() {
		c, err := v.Load(s.Device())
		if err != nil && !errors.Is(err, nereid.ErrClosed) {
			t.Error(err)
		}
		loaded <- c
	}()
	<-files.inside
	closed := make(chan error)
	go func() { closed <- b.Close() }()
	for !errors.Is(second(v.Load(nil)), nereid.ErrClosed) { // until the bundle is closing
		runtime.Gosched()
	}
	close(files.leave)
	c := <-loaded
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if c == nil {
		return
	}
	if err := c.Launch(s, nereid.Grid{1}); !errors.Is(err, nereid.ErrClosed) {
		t.Errorf("code that was loaded while its bundle was closed can be launched: %v", err)
	}
}
