package interp

// The loops that most of the time is spent in. d, a and b are rows of one length, but for operands of one
// element, which stand for a row of equal elements. The general forms, zip and apply, call a function for
// each element; common operations have a loop of their own.

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

type float interface{ ~float32 | ~float64 }

type number interface{ integer | float }

// spread returns the mask that makes an index into a row: all ones for a whole row, zero for one element.
func spread[T any](a []T, n int) int {
	if len(a) == n {
		return -1
	}
	return 0
}

func apply[D, A any](d []D, a []A, f func(A) D) {
	m := spread(a, len(d))
	for i := range d {
		d[i] = f(a[i&m])
	}
}

func zip[D, A, B any](d []D, a []A, b []B, f func(A, B) D) {
	ma, mb := spread(a, len(d)), spread(b, len(d))
	for i := range d {
		d[i] = f(a[i&ma], b[i&mb])
	}
}

func zip3[D, A, B, C any](d []D, a []A, b []B, c []C, f func(A, B, C) D) {
	ma, mb, mc := spread(a, len(d)), spread(b, len(d)), spread(c, len(d))
	for i := range d {
		d[i] = f(a[i&ma], b[i&mb], c[i&mc])
	}
}

func add[T number](d, a, b []T) {
	if len(a) < len(d) {
		a, b = b, a
	}
	a = a[:len(d)]
	if len(b) == len(d) {
		b = b[:len(d)]
		for i := range d {
			d[i] = a[i] + b[i]
		}
		return
	}
	y := b[0]
	for i := range d {
		d[i] = a[i] + y
	}
}

func mul[T number](d, a, b []T) {
	if len(a) < len(d) {
		a, b = b, a
	}
	a = a[:len(d)]
	if len(b) == len(d) {
		b = b[:len(d)]
		for i := range d {
			d[i] = a[i] * b[i]
		}
		return
	}
	y := b[0]
	for i := range d {
		d[i] = a[i] * y
	}
}

func sub[T number](d, a, b []T) {
	switch {
	case len(a) == len(d) && len(b) == len(d):
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = a[i] - b[i]
		}
	case len(a) == len(d):
		a = a[:len(d)]
		y := b[0]
		for i := range d {
			d[i] = a[i] - y
		}
	default:
		b = b[:len(d)]
		x := a[0]
		for i := range d {
			d[i] = x - b[i]
		}
	}
}

func divf[T float](d, a, b []T) {
	switch {
	case len(a) == len(d) && len(b) == len(d):
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = a[i] / b[i]
		}
	case len(a) == len(d):
		a = a[:len(d)]
		y := b[0]
		for i := range d {
			d[i] = a[i] / y
		}
	default:
		b = b[:len(d)]
		x := a[0]
		for i := range d {
			d[i] = x / b[i]
		}
	}
}

func and[T integer](d, a, b []T) {
	if len(a) < len(d) {
		a, b = b, a
	}
	a = a[:len(d)]
	if len(b) == len(d) {
		b = b[:len(d)]
		for i := range d {
			d[i] = a[i] & b[i]
		}
		return
	}
	y := b[0]
	for i := range d {
		d[i] = a[i] & y
	}
}

func or[T integer](d, a, b []T) {
	if len(a) < len(d) {
		a, b = b, a
	}
	a = a[:len(d)]
	if len(b) == len(d) {
		b = b[:len(d)]
		for i := range d {
			d[i] = a[i] | b[i]
		}
		return
	}
	y := b[0]
	for i := range d {
		d[i] = a[i] | y
	}
}

func xor[T integer](d, a, b []T) {
	if len(a) < len(d) {
		a, b = b, a
	}
	a = a[:len(d)]
	if len(b) == len(d) {
		b = b[:len(d)]
		for i := range d {
			d[i] = a[i] ^ b[i]
		}
		return
	}
	y := b[0]
	for i := range d {
		d[i] = a[i] ^ y
	}
}

func maxi[T integer](d, a, b []T) {
	ma, mb := spread(a, len(d)), spread(b, len(d))
	for i := range d {
		d[i] = max(a[i&ma], b[i&mb])
	}
}

func mini[T integer](d, a, b []T) {
	ma, mb := spread(a, len(d)), spread(b, len(d))
	for i := range d {
		d[i] = min(a[i&ma], b[i&mb])
	}
}

// The comparisons: d is 0 or 1. NaN makes all but ne false.

func lt[T number](d []bool, a, b []T) {
	switch {
	case len(a) == len(d) && len(b) == len(d):
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = a[i] < b[i]
		}
	case len(a) == len(d):
		a = a[:len(d)]
		y := b[0]
		for i := range d {
			d[i] = a[i] < y
		}
	default:
		b = b[:len(d)]
		x := a[0]
		for i := range d {
			d[i] = x < b[i]
		}
	}
}

func le[T number](d []bool, a, b []T) {
	switch {
	case len(a) == len(d) && len(b) == len(d):
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = a[i] <= b[i]
		}
	case len(a) == len(d):
		a = a[:len(d)]
		y := b[0]
		for i := range d {
			d[i] = a[i] <= y
		}
	default:
		b = b[:len(d)]
		x := a[0]
		for i := range d {
			d[i] = x <= b[i]
		}
	}
}

func gt[T number](d []bool, a, b []T) { lt(d, b, a) }
func ge[T number](d []bool, a, b []T) { le(d, b, a) }

func eq[T number](d []bool, a, b []T) {
	ma, mb := spread(a, len(d)), spread(b, len(d))
	for i := range d {
		d[i] = a[i&ma] == b[i&mb]
	}
}

func ne[T number](d []bool, a, b []T) {
	ma, mb := spread(a, len(d)), spread(b, len(d))
	for i := range d {
		d[i] = a[i&ma] != b[i&mb]
	}
}

// choose takes a where the condition holds and b elsewhere.
func choose[T any](d []T, c []uint8, a, b []T) {
	mc, ma, mb := spread(c, len(d)), spread(a, len(d)), spread(b, len(d))
	for i := range d {
		x, y := a[i&ma], b[i&mb]
		if c[i&mc] != 0 {
			y = x
		}
		d[i] = y
	}
}

// convert changes the type of each element as Go does: integers are cut or extended, integers to floats
// round.
func convert[D, A number](d []D, a []A) {
	if len(a) < len(d) {
		fill(d, D(a[0]))
		return
	}
	a = a[:len(d)]
	for i := range d {
		d[i] = D(a[i])
	}
}
