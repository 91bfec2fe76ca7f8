package pass

// All is every pass of this package, in the order in which `nereid opt --help` lists them.
func All() []Pass {
	return []Pass{
		Inline,
		Canonicalize,
		Combine,
		ReorderBroadcast,
		RewriteTensorPointer,
		RewriteTensorDescriptor,
		CSE,
		LoopAwareCSE,
		LICM,
		TritonLICM,
		SCCP,
		SymbolDCE,
		LoopUnroll,
	}
}

// Lookup is the pass of a name.
func Lookup(name string) (Pass, bool) {
	for _, p := range All() {
		if p.Name == name {
			return p, true
		}
	}
	return Pass{}, false
}
