package driver

import "sync"

// retired holds the modules of a context that nobody can launch any more. They are unloaded when no work of
// theirs can be left: after the context was synchronized, while nothing is being captured and no graph is
// open, because a graph launches functions that nobody holds. A context that had streams of others keeps its
// modules: nobody here knows what was captured on them.
type retired struct {
	mu        sync.Mutex
	unloaded  sync.Cond // signalled when unloading ends
	modules   []*Module
	held      int  // captures under way, and open graphs
	foreign   bool // there were streams of others
	unloading bool
}

// Close ends launches of the module's functions, waits for those that are being queued and for the device's
// work, and unloads the module, or retires it if a graph may launch it. Closing twice is harmless.
func (m *Module) Close() error {
	if m.closed.Swap(true) {
		return nil
	}
	known := &m.ctx.known
	known.Wait() // a launch that found the module open may yet write what its stream launched last
	for _, s := range known.All() {
		if f := s.last.function.Load(); f != nil && f.module == m {
			s.last.function.CompareAndSwap(f, nil)
		}
	}
	known.Wait()
	return m.end()
}

// end unloads a module that nobody can launch any more, after the work under way.
func (m *Module) end() error {
	r := &m.ctx.retired
	r.mu.Lock()
	for r.unloading {
		r.cond().Wait()
	}
	if r.held > 0 {
		r.modules = append(r.modules, m)
		r.mu.Unlock()
		return nil
	}
	r.unloading = true // no capture begins meanwhile
	r.mu.Unlock()
	_ = m.ctx.Synchronize() // a kernel's error is that of its stream
	err := m.Unload()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unloading = false
	r.cond().Broadcast()
	m.ctx.unloadRetired()
	return err
}

// Retire unloads the module as soon as no work of its functions can be left, without waiting for that. Nobody
// may launch them any more.
func (m *Module) Retire() {
	r := &m.ctx.retired
	r.mu.Lock()
	defer r.mu.Unlock()
	r.modules = append(r.modules, m)
	m.ctx.unloadRetired()
}

// unloadRetired starts to unload retired modules if nothing forbids it. The caller holds the lock.
func (c *Context) unloadRetired() {
	r := &c.retired
	if len(r.modules) == 0 || r.held > 0 || r.foreign || r.unloading {
		return
	}
	r.unloading = true
	go func() {
		for c.unloadSome() {
		}
	}()
}

// unloadSome unloads the modules that are retired now and reports whether to go on. If the context is lost,
// so are they.
func (c *Context) unloadSome() bool {
	r := &c.retired
	r.mu.Lock()
	list := r.modules
	if r.modules = nil; len(list) == 0 {
		r.unloading = false
		r.cond().Broadcast()
		r.mu.Unlock()
		return false
	}
	r.mu.Unlock()
	if c.Synchronize() == nil {
		for _, m := range list {
			_ = m.Unload() // nobody waits for the result
		}
	}
	return true
}

// cond returns the condition of the end of unloading. The caller holds the lock.
func (r *retired) cond() *sync.Cond {
	if r.unloaded.L == nil {
		r.unloaded.L = &r.mu
	}
	return &r.unloaded
}

// hold keeps retired modules loaded until release. It waits for unloading under way, which synchronizes the
// context: that is not allowed during a capture.
func (c *Context) hold() {
	r := &c.retired
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.unloading {
		r.cond().Wait()
	}
	r.held++
}

// release ends a hold.
func (c *Context) release() {
	c.retired.mu.Lock()
	defer c.retired.mu.Unlock()
	c.retired.held--
	c.unloadRetired()
}

// holdForGood keeps all modules loaded, because others may have captured launches of theirs.
func (c *Context) holdForGood() {
	c.retired.mu.Lock()
	defer c.retired.mu.Unlock()
	c.retired.foreign = true
}
