package selftest

import (
	"embed"
	"math/rand/v2"
)

//go:embed kernels/*.py
var kernels embed.FS

// kind is a family of kernels.
type kind struct {
	name   string
	doc    string
	file   string // file of the kernels
	weight int    // how often it is chosen
	draw   func(r *rand.Rand, p *place) Config
	work   func(e *env, c Config) (*work, error)
}

// kinds lists all kinds, as --list shows them.
var kinds = []*kind{
	{"products", "products of matrices: every type, form of operands, loop and block size", "products.py",
		6, drawProduct, productWork},
	{"chains", "products of products, as in attention", "chains.py", 2, drawChain, chainWork},
	{"attention", "attention's data flow: maxima, powers of two, sums that are scaled again", "attention.py",
		2, drawAttention, attentionWork},
	{"copies", "blocks copied, transposed and converted", "copies.py", 2, drawCopy, copyWork},
	{"reductions", "sums, maxima, and the like, over rows and columns", "rows.py", 1, drawReduction,
		reductionWork},
	{"scans", "running sums, products, maxima, in both directions", "rows.py", 1, drawScan, scanWork},
	{"sorts", "rows sorted", "rows.py", 1, drawSort, sortWork},
	{"gathers", "elements of a block taken by an index", "rows.py", 1, drawGather, gatherWork},
	{"atomics", "few elements that all programs change, and histograms", "rows.py", 1, drawAtomic,
		atomicWork},
	{"fills", "constants, indices and choices", "rows.py", 1, drawFill, fillWork},
	{"conversions", "every type to every other", "rows.py", 1, drawConversion, conversionWork},
	{"edges", "blocks of descriptors at ragged, negative and far coordinates: loads, stores, atomics, rows",
		"edges.py", 3, drawEdge, edgeWork},
}

// Kind describes a kind.
type Kind struct{ Name, Doc string }

// Kinds lists the kinds.
func Kinds() (out []Kind) {
	for _, k := range kinds {
		out = append(out, Kind{k.name, k.doc})
	}
	return out
}

// chosen returns the kinds of names, or all.
func chosen(names []string) (out []*kind) {
	for _, k := range kinds {
		if len(names) == 0 {
			out = append(out, k)
		}
		for _, n := range names {
			if n == k.name {
				out = append(out, k)
			}
		}
	}
	return out
}

// pick chooses a kind by weight.
func pick(r *rand.Rand, list []*kind) *kind {
	total := 0
	for _, k := range list {
		total += k.weight
	}
	n := r.IntN(total)
	for _, k := range list {
		if n -= k.weight; n < 0 {
			return k
		}
	}
	return list[0]
}

// oneOf chooses an item.
func oneOf[T any](r *rand.Rand, items ...T) T { return items[r.IntN(len(items))] }

// bit chooses yes or no.
func bit(r *rand.Rand) int { return r.IntN(2) }
