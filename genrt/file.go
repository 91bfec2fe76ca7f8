package genrt

import (
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

// Load loads the file with options, such as nereid.With of a Config, for all its generated functions: a
// program calls it before the first launch. Called again, it loads the file anew, and functions launch the
// kernels of the new module from then on, so that a test can try several configurations; none of them may be
// launching meanwhile. The old module, and what was bound of it, stays usable.
func (f *File) Load(opts ...nereid.LoadOption) (*nereid.Module, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m, err := nereid.LoadFS(f.Sources, f.Name, opts...)
	if err != nil {
		return nil, err
	}
	old := f.m
	f.m, f.err = m, nil
	if old != nil {
		users.forget(old)
	}
	return m, nil
}

// users has the generated functions that launch the kernels of a module.
var users registry

type registry struct {
	mu  sync.Mutex
	all map[*nereid.Module][]func()
}

// add notes a function to call when a module is replaced.
func (r *registry) add(m *nereid.Module, reset func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[*nereid.Module][]func(){}
	}
	r.all[m] = append(r.all[m], reset)
}

// forget calls the functions of a module that is replaced.
func (r *registry) forget(m *nereid.Module) {
	r.mu.Lock()
	resets := r.all[m]
	delete(r.all, m)
	r.mu.Unlock()
	for _, reset := range resets {
		reset()
	}
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
