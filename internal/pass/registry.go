package pass

// All returns every pass of this package, in the order in which `nereid opt --help` lists them.
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
		ExpandNewer,
		CheckIndexOverflow,
		CheckGather,
	}
}
