package ir

// Once returns f with a memory: each key is computed once. f asks for other keys through its second argument.
// Values form a graph in which paths split and join, and their number doubles with each x + x: a walk over
// operands that does not remember where it was does not end.
//
// A key that depends on itself would not end either; walks stop at the arguments of blocks, or before.
func Once[K comparable, T any](f func(key K, of func(K) T) T) func(K) T {
	known := map[K]T{}
	var of func(K) T
	of = func(key K) T {
		if out, ok := known[key]; ok {
			return out
		}
		out := f(key, of)
		known[key] = out
		return out
	}
	return of
}
