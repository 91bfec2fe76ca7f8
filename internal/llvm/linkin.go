package llvm

// Bitcode is a library that is linked into a module: LLVM bitcode, or LLVM IR as text.
type Bitcode struct {
	Name string // for messages
	Data []byte
}

// link links libraries into the module. Each takes over the module's target: libraries for GPUs are often
// made for an older one.
func (c *compilation) link() error {
	raw := &c.lib.raw
	for _, b := range c.opts.Link {
		var lib moduleRef
		var message *byte
		if raw.parseIR(c.context, c.lib.newBuffer(b.Data, b.Name), &lib, &message) != 0 {
			return newParseError(b.Name, c.lib.take(message), nil)
		}
		raw.setTriple(lib, c.opts.Target.Triple)
		layout := raw.createLayout(c.machine)
		raw.setLayout(lib, layout)
		raw.setTriple(c.module, c.opts.Target.Triple)
		raw.setLayout(c.module, layout)
		raw.disposeLayout(layout)
		if raw.linkModules(c.module, lib) != 0 { // which frees lib
			if err := c.diags.failed(b.Name, "linking"); err != nil {
				return err
			}
			return &StageError{Name: b.Name, Stage: "linking", Msg: "LLVM does not link it"}
		}
	}
	return c.diags.failed(c.opts.Name, "linking")
}
