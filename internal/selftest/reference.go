package selftest

import (
	"math/bits"
	"runtime"
	"sync"
)

// packed is a matrix of -1, 0 and 1 by rows, a bit for each number that is not 0 and one for its sign.
type packed struct {
	words         int // words of a row
	nonzero, sign []uint64
}

// pack packs a matrix.
func pack(x []int32, rows, columns int) packed {
	p := packed{words: (columns + 63) / 64}
	p.nonzero, p.sign = make([]uint64, rows*p.words), make([]uint64, rows*p.words)
	for i := range rows {
		for j, v := range x[i*columns : (i+1)*columns] {
			at, bit := i*p.words+j/64, uint64(1)<<(j%64)
			if v != 0 {
				p.nonzero[at] |= bit
			}
			if v < 0 {
				p.sign[at] |= bit
			}
		}
	}
	return p
}

// row returns the bits of a row.
func (p packed) row(i int) (nonzero, sign []uint64) {
	return p.nonzero[i*p.words : (i+1)*p.words], p.sign[i*p.words : (i+1)*p.words]
}

// multiplySigns returns a [m, k] times the transpose of b [n, k], both of -1, 0 and 1: 64 terms at once.
func multiplySigns(a, b []int32, s size) []int32 {
	left, right := pack(a, s.m, s.k), pack(b, s.n, s.k)
	out := make([]int32, s.m*s.n)
	inRows(s.m, func(i int) {
		an, as := left.row(i)
		for j := range s.n {
			bn, bs := right.row(j)
			out[i*s.n+j] = dotSigns(an, as, bn, bs)
		}
	})
	return out
}

// dotSigns counts the terms that are not 0, less twice those below 0.
func dotSigns(an, as, bn, bs []uint64) int32 {
	as, bn, bs = as[:len(an)], bn[:len(an)], bs[:len(an)]
	total := 0
	for w := range an {
		both := an[w] & bn[w]
		total += bits.OnesCount64(both) - 2*bits.OnesCount64(both&(as[w]^bs[w]))
	}
	return int32(total)
}

// multiply returns a [m, k] times b [k, n].
func multiply(a, b []int32, s size) []int32 {
	out := make([]int32, s.m*s.n)
	inRows(s.m, func(i int) {
		row := out[i*s.n : (i+1)*s.n]
		for k, x := range a[i*s.k : (i+1)*s.k] {
			if x == 0 {
				continue
			}
			for j, y := range b[k*s.n : (k+1)*s.n] {
				row[j] += x * y
			}
		}
	})
	return out
}

// inRows calls f for each row, on all cores.
func inRows(rows int, f func(i int)) {
	const chunk = 16
	var wg sync.WaitGroup
	next := make(chan int, (rows+chunk-1)/chunk)
	for i := 0; i < rows; i += chunk {
		next <- i
	}
	close(next)
	for range min(runtime.GOMAXPROCS(0), len(next)) {
		wg.Go(func() {
			for first := range next {
				for i := first; i < min(first+chunk, rows); i++ {
					f(i)
				}
			}
		})
	}
	wg.Wait()
}
