package address

import (
	"math/rand/v2"
	"testing"
)

// TestApartRandom compares apart and oneToOne with all pairs of elements of small accesses: two that are said
// to be apart have no byte in common, whatever multiple of g lies between them, and elements that are said to
// have addresses of their own have none in common.
func TestApartRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	one := func(list ...int64) int64 { return list[r.IntN(len(list))] }
	apartSeen, oneSeen := 0, 0
	for range 20000 {
		pBytes, qBytes := one(1, 2, 4, 8), one(1, 2, 4, 8)
		ps, qs := randomSpans(r, pBytes), randomSpans(r, qBytes)
		d, g := int64(r.IntN(65)-32), one(0, 0, 4, 8, 16, 24, 64)
		between := func(p, q int64) bool { // whether elements at p and d+q+g*z meet for some z
			for z := int64(-40); z <= 40; z++ {
				if at := d + q + g*z; p < at+qBytes && at < p+pBytes {
					return true
				}
			}
			return false
		}
		if apart(d, g, ps, qs, pBytes, qBytes) {
			apartSeen++
			for _, p := range addresses(ps) {
				for _, q := range addresses(qs) {
					if between(p, q) {
						t.Fatalf("%v of %d bytes and %d + %d*z + %v of %d bytes meet", ps, pBytes, d, g, qs,
							qBytes)
					}
				}
			}
		}
		if oneToOne(g, ps, pBytes) {
			oneSeen++
			d, qBytes = 0, pBytes
			list := addresses(ps)
			for i, p := range list {
				for j, q := range list {
					if i != j && between(p, q) {
						t.Fatalf("two elements of %v + %d*z of %d bytes meet", ps, g, pBytes)
					}
				}
			}
		}
	}
	if apartSeen < 1000 || oneSeen < 1000 {
		t.Errorf("%d apart, %d one to one", apartSeen, oneSeen)
	}
}

// randomSpans returns up to two strides.
func randomSpans(r *rand.Rand, bytes int64) (list []span) {
	for range r.IntN(3) {
		list = append(list, span{int64(r.IntN(9)-4) * bytes * int64(1+r.IntN(3)), 2 << r.IntN(2)})
	}
	return list
}

// addresses returns the addresses that strides reach.
func addresses(list []span) []int64 {
	out := []int64{0}
	for _, s := range list {
		var next []int64
		for _, a := range out {
			for i := range s.n {
				next = append(next, a+i*s.stride)
			}
		}
		out = next
	}
	return out
}
