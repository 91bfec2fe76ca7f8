package view

import "slices"

// maxEdits bounds the lines that a diff looks for one by one; texts that differ in more are replaced whole,
// but for a common start and end.
const maxEdits = 1000

// changes returns the edits that turn a into b, the fewest lines added and removed that there are, after
// E. Myers, "An O(ND) Difference Algorithm and Its Variations".
func changes(a, b []string) []Edit {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	a, b = a[start:len(a)-end], b[start:len(b)-end]
	if len(a) == 0 && len(b) == 0 {
		return nil
	}
	edits := []Edit{{Remove: len(a), Add: b}}
	if trace, ok := shortest(a, b); ok {
		edits = walkBack(a, b, trace)
	}
	edits[0].Keep += start
	return edits
}

// shortest returns, for each number of edits, how far down a each diagonal gets with them.
func shortest(a, b []string) (trace [][]int, ok bool) {
	n, m := len(a), len(b)
	limit := min(n+m, maxEdits)
	v := make([]int, 2*limit+3)
	mid := limit + 1
	for d := 0; d <= limit; d++ {
		trace = append(trace, slices.Clone(v[mid-d:mid+d+1]))
		for k := -d; k <= d; k += 2 {
			x := 0
			if k == -d || k != d && v[mid+k-1] < v[mid+k+1] {
				x = v[mid+k+1] // down: a line of b is added
			} else {
				x = v[mid+k-1] + 1 // right: a line of a is removed
			}
			for x < n && x-k < m && a[x] == b[x-k] {
				x++
			}
			v[mid+k] = x
			if x >= n && x-k >= m {
				return trace, true
			}
		}
	}
	return nil, false
}

// walkBack walks back over the trace and returns the edits in order.
func walkBack(a, b []string, trace [][]int) []Edit {
	type step struct {
		x, y   int
		remove bool
	}
	var steps []step
	x, y := len(a), len(b)
	for d := len(trace) - 1; d > 0; d-- {
		v := trace[d]
		at := func(k int) int { return v[k+d] }
		k := x - y
		prev := k - 1
		if k == -d || k != d && at(k-1) < at(k+1) {
			prev = k + 1
		}
		px := at(prev)
		py := px - prev
		steps = append(steps, step{px, py, prev == k-1})
		x, y = px, py
	}
	slices.Reverse(steps)
	var edits []Edit
	done := 0 // lines of a that edits have dealt with
	for _, s := range steps {
		last := len(edits) - 1
		// an addition after a removal at the same place is one edit; a removal after an addition too
		if last < 0 || s.x != done {
			edits = append(edits, Edit{Keep: s.x - done})
			last, done = last+1, s.x
		}
		if s.remove {
			edits[last].Remove++
			done++
		} else {
			edits[last].Add = append(edits[last].Add, b[s.y])
		}
	}
	return edits
}

// apply returns the text that edits make of a.
func apply(a []string, edits []Edit) (out []string) {
	for _, e := range edits {
		out = append(out, a[:e.Keep]...)
		out = append(out, e.Add...)
		a = a[e.Keep+e.Remove:]
	}
	return append(out, a...)
}
