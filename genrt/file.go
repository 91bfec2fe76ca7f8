package genrt

import (
	"fmt"
	"sync"

	"github.com/nereid-lang/nereid"
)

// File is the Python file whose kernels generated functions launch, with the modules that it imports. A
// generated package has a variable for each file: SoftmaxPy for softmax.py.
type File struct {
	Name    string  // name of the file in Sources
	Sources Sources // also for nereid.LoadFS: a second module of the same kernels under another configuration

	mu  sync.Mutex
	m   *nereid.Module
	err error
}

// Load loads the file with options, such as nereid.With of a Config, for all its generated functions. It must
// be called before the first launch and before Module; afterwards it is an error.
func (f *File) Load(opts ...nereid.LoadOption) (*nereid.Module, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.m != nil || f.err != nil {
		return nil, fmt.Errorf("nereid: %s is loaded already: call Load before its first launch", f.Name)
	}
	m, err := nereid.LoadFS(f.Sources, f.Name, opts...)
	if err != nil {
		return nil, err
	}
	f.m = m
	return m, nil
}

// Module returns the module whose kernels generated functions launch. Without Load it has the environment's
// configuration.
func (f *File) Module() (*nereid.Module, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.m == nil && f.err == nil {
		f.m, f.err = nereid.LoadFS(f.Sources, f.Name)
	}
	return f.m, f.err
}
