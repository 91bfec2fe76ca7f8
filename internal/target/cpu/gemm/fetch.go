package gemm

const cacheLine = 64 // bytes

// prefetch asks for a line in the second-level cache if near is 2, and in the first-level one if it is 3. The
// address may be anything.
func (w *writer) prefetch(at string, near int) { w.fetchLine(at, 0, near) }

// prefetchWrite asks for a line that is written soon.
func (w *writer) prefetchWrite(at string) { w.fetchLine(at, 1, 3) }

func (w *writer) fetchLine(at string, write, near int) {
	const name = "llvm.prefetch.p0"
	w.lib.declares[name] = "declare void @" + name + "(ptr, i32 immarg, i32 immarg, i32 immarg)"
	w.do("call void @%s(ptr %s, i32 %d, i32 %d, i32 1)", name, at, write, near)
}
