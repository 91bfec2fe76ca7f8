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
