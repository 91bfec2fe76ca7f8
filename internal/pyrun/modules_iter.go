package pyrun

import "github.com/nereid-lang/nereid/internal/python"

func itertoolsModule() map[string]Value {
	chain := native("chain", "*iterables", func(in *Interp, a []Value) (Value, error) {
		return chained(newSliceIter("chain", a[0].(*Tuple).Items)), nil
	})
	vars := named(map[string]Value{},
		native("product", "*iterables repeat=", productOf),
		native("count", "start= step=", func(in *Interp, a []Value) (Value, error) {
			n, step := orValue(a[0], MakeInt(0)), orValue(a[1], MakeInt(1))
			return NewIterator("count", func(in *Interp) (Value, bool, error) {
				v := n
				var err error
				n, err = Binary(in, python.Add, n, step)
				return v, true, err
			}), nil
		}),
		native("repeat", "object times=", repeatOf),
		native("cycle", "iterable", cycle),
		native("accumulate", "iterable func= initial=", accumulate),
		native("islice", "iterable start stop= step=", islice),
		native("starmap", "fn iterable", starMap),
		native("takewhile", "fn iterable", takeWhile), native("dropwhile", "fn iterable", dropWhile),
		native("filterfalse", "fn iterable", filterFalse),
		native("compress", "data selectors", compress),
		native("zip_longest", "*iterables fillvalue=", zipLongest),
		native("pairwise", "iterable", pairwise),
		native("combinations", "iterable r", func(in *Interp, a []Value) (Value, error) { return choose(in, "combinations", a, chooseOrdered) }),
		native("combinations_with_replacement", "iterable r", func(in *Interp, a []Value) (Value, error) {
			return choose(in, "combinations_with_replacement", a, chooseRepeated)
		}),
		native("permutations", "iterable r=", func(in *Interp, a []Value) (Value, error) {
			return choose(in, "permutations", a, chooseAny)
		}),
		native("groupby", "iterable key=", groupBy),
		native("tee", "iterable n=", tee),
	)
	vars["chain"] = &namespaceFunc{chain, map[string]Value{"from_iterable": native("from_iterable", "iterable", func(in *Interp, a []Value) (Value, error) {
		it, err := Iter(in, a[0])
		if err != nil {
			return nil, err
		}
		return chained(it), nil
	})}}
	return vars
}

// namespaceFunc is a function with attributes.
type namespaceFunc struct {
	fn    *Builtin
	attrs map[string]Value
}

func (f *namespaceFunc) TypeName() string { return "type" }

func (f *namespaceFunc) Call(in *Interp, args []Value, kws []Keyword) (Value, error) {
	return f.fn.Fn(in, args, kws)
}

func (f *namespaceFunc) Attr(_ *Interp, name string) (Value, bool, error) {
	v, ok := f.attrs[name]
	if !ok && name == "__name__" {
		return Str(f.fn.Name), true, nil
	}
	return v, ok, nil
}

func chained(over Iterator) Iterator {
	var cur Iterator
	return NewIterator("chain", func(in *Interp) (Value, bool, error) {
		for {
			if cur != nil {
				if v, ok, err := cur.Next(in); ok || err != nil {
					return v, ok, err
				}
			}
			next, ok, err := over.Next(in)
			if err != nil || !ok {
				return nil, false, err
			}
			if cur, err = Iter(in, next); err != nil {
				return nil, false, err
			}
			if err := in.work(1); err != nil {
				return nil, false, err
			}
		}
	})
}

func productOf(in *Interp, a []Value) (Value, error) {
	var pools [][]Value
	for _, v := range a[0].(*Tuple).Items {
		items, err := Iterate(in, v)
		if err != nil {
			return nil, err
		}
		pools = append(pools, items)
	}
	n := int64(1)
	if a[1] != nil {
		k, err := in.asIndex(a[1])
		if err != nil {
			return nil, err
		}
		n = k
	}
	if n < 0 {
		return nil, Errorf(ValueError, "repeat argument cannot be negative")
	}
	if n*int64(len(pools)) > 1000 {
		return nil, in.alloc(1 << 50)
	}
	var all [][]Value
	for range n {
		all = append(all, pools...)
	}
	index := make([]int, len(all))
	ended := false
	for _, p := range all {
		ended = ended || len(p) == 0
	}
	return NewIterator("product", func(in *Interp) (Value, bool, error) {
		if ended {
			return nil, false, nil
		}
		row := make([]Value, len(all))
		for i, k := range index {
			row[i] = all[i][k]
		}
		i := len(all) - 1
		for ; i >= 0; i-- {
			if index[i]++; index[i] < len(all[i]) {
				break
			}
			index[i] = 0
		}
		ended = i < 0
		return &Tuple{Items: row}, true, in.alloc(len(row) * valueSize)
	}), nil
}

func repeatOf(in *Interp, a []Value) (Value, error) {
	left := int64(-1)
	if a[1] != nil {
		n, err := in.asIndex(a[1])
		if err != nil {
			return nil, err
		}
		left = max(n, 0)
	}
	return NewIterator("repeat", func(*Interp) (Value, bool, error) {
		if left == 0 {
			return nil, false, nil
		}
		left--
		return a[0], true, nil
	}), nil
}

func cycle(in *Interp, a []Value) (Value, error) {
	items, err := Iterate(in, a[0])
	i := 0
	return NewIterator("cycle", func(*Interp) (Value, bool, error) {
		if len(items) == 0 {
			return nil, false, nil
		}
		v := items[i%len(items)]
		i++
		return v, true, nil
	}), err
}

func accumulate(in *Interp, a []Value) (Value, error) {
	it, err := Iter(in, a[0])
	acc, started := a[2], false
	return NewIterator("accumulate", func(in *Interp) (Value, bool, error) {
		if !started && acc != nil && acc != None {
			started = true
			return acc, true, nil
		}
		v, ok, err := it.Next(in)
		if err != nil || !ok {
			return nil, false, err
		}
		switch {
		case !started:
			acc = v
		case a[1] == nil || a[1] == None:
			acc, err = Binary(in, python.Add, acc, v)
		default:
			acc, err = Call(in, a[1], []Value{acc, v}, nil)
		}
		started = true
		return acc, err == nil, err
	}), err
}

func islice(in *Interp, a []Value) (Value, error) {
	it, err := Iter(in, a[0])
	if err != nil {
		return nil, err
	}
	lo, hi, step := int64(0), int64(-1), int64(1)
	if a[2] == nil {
		a[1], a[2] = None, a[1]
	}
	for i, p := range []*int64{&lo, &hi, &step} {
		if v := a[1+i]; v != nil && v != None {
			n, err := in.asIndex(v)
			if err != nil {
				return nil, err
			}
			if n < 0 {
				return nil, Errorf(ValueError, "Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
			}
			*p = n
		}
	}
	if step == 0 {
		return nil, Errorf(ValueError, "Step for islice() must be a positive integer or None.")
	}
	at, want := int64(0), lo
	return NewIterator("islice", func(in *Interp) (Value, bool, error) {
		for hi < 0 || want < hi {
			v, ok, err := it.Next(in)
			if err != nil || !ok {
				return nil, false, err
			}
			at++
			if at > want {
				want += step
				return v, true, nil
			}
			if err := in.work(1); err != nil {
				return nil, false, err
			}
		}
		return nil, false, nil
	}), nil
}

func starMap(in *Interp, a []Value) (Value, error) {
	it, err := Iter(in, a[1])
	return NewIterator("starmap", func(in *Interp) (Value, bool, error) {
		v, ok, err := it.Next(in)
		if err != nil || !ok {
			return nil, false, err
		}
		args, err := Iterate(in, v)
		if err != nil {
			return nil, false, err
		}
		r, err := Call(in, a[0], args, nil)
		return r, err == nil, err
	}), err
}

func takeWhile(in *Interp, a []Value) (Value, error) {
	it, err := Iter(in, a[1])
	return NewIterator("takewhile", func(in *Interp) (Value, bool, error) {
		v, ok, err := it.Next(in)
		if err != nil || !ok {
			return nil, false, err
		}
		r, err := Call(in, a[0], []Value{v}, nil)
		t, err := truthOf(in, r, err)
		return v, t, err
	}), err
}

func dropWhile(in *Interp, a []Value) (Value, error) {
	it, err := Iter(in, a[1])
	dropped := false
	return NewIterator("dropwhile", func(in *Interp) (Value, bool, error) {
		for {
			v, ok, err := it.Next(in)
			if err != nil || !ok || dropped {
				return v, ok, err
			}
			r, err := Call(in, a[0], []Value{v}, nil)
			t, err := truthOf(in, r, err)
			if err != nil {
				return nil, false, err
			}
			if !t {
				dropped = true
				return v, true, nil
			}
			if err := in.work(1); err != nil {
				return nil, false, err
			}
		}
	}), err
}

func filterFalse(in *Interp, a []Value) (Value, error) {
	not := native("not", "x", func(in *Interp, b []Value) (Value, error) {
		r, err := keyed(in, a[0], b[0])
		t, err := truthOf(in, r, err)
		return Bool(!t), err
	})
	return Call(in, filterClass, []Value{not, a[1]}, nil)
}

func compress(in *Interp, a []Value) (Value, error) {
	its, err := iterators(in, a)
	return NewIterator("compress", func(in *Interp) (Value, bool, error) {
		for {
			row, ended, err := nextOfEach(in, its)
			if err != nil || ended >= 0 {
				return nil, false, err
			}
			if t, err := Truth(in, row[1]); err != nil || t {
				return row[0], err == nil, err
			}
			if err := in.work(1); err != nil {
				return nil, false, err
			}
		}
	}), err
}

func zipLongest(in *Interp, a []Value) (Value, error) {
	its, err := iterators(in, a[0].(*Tuple).Items)
	return NewIterator("zip_longest", func(in *Interp) (Value, bool, error) {
		if err := in.work(len(its)); err != nil {
			return nil, false, err
		}
		row := make([]Value, len(its))
		some := false
		for i, it := range its {
			row[i] = orNone(a[1])
			if it == nil {
				continue
			}
			v, ok, err := it.Next(in)
			if err != nil {
				return nil, false, err
			}
			if !ok {
				its[i] = nil
				continue
			}
			row[i], some = v, true
		}
		return &Tuple{Items: row}, some, nil
	}), err
}

func pairwise(in *Interp, a []Value) (Value, error) {
	it, err := Iter(in, a[0])
	var last Value
	return NewIterator("pairwise", func(in *Interp) (Value, bool, error) {
		for {
			v, ok, err := it.Next(in)
			if err != nil || !ok {
				return nil, false, err
			}
			pair := NewTuple(last, v)
			if last = v; pair.Items[0] != nil {
				return pair, true, nil
			}
		}
	}), err
}

func groupBy(in *Interp, a []Value) (Value, error) {
	items, err := Iterate(in, a[0])
	if err != nil {
		return nil, err
	}
	var groups, cur []Value
	var curKey Value
	flush := func() {
		if curKey != nil {
			groups = append(groups, NewTuple(curKey, newSliceIter("_grouper", cur)))
		}
	}
	for _, x := range items {
		k, err := keyed(in, a[1], x)
		if err != nil {
			return nil, err
		}
		if curKey != nil {
			if eq, err := in.same(k, curKey); err != nil {
				return nil, err
			} else if eq {
				cur = append(cur, x)
				continue
			}
		}
		flush()
		curKey, cur = k, []Value{x}
	}
	flush()
	return newSliceIter("groupby", groups), nil
}

func tee(in *Interp, a []Value) (Value, error) {
	items, err := Iterate(in, a[0])
	if err != nil {
		return nil, err
	}
	n, err := in.asIndex(orValue(a[1], MakeInt(2)))
	if err != nil {
		return nil, err
	}
	if err := in.alloc(product(valueSize, max(n, 0))); err != nil {
		return nil, err
	}
	out := NewTuple()
	for range max(n, 0) {
		out.Items = append(out.Items, newSliceIter("_tee", items))
	}
	return out, nil
}

// choose iterates over selections of r items; the first selection and the step to the next are given by how.
func choose(in *Interp, name string, a []Value, how func(n, r int) (first []int, next func(index []int) bool)) (Value, error) {
	items, err := Iterate(in, a[0])
	if err != nil {
		return nil, err
	}
	r := int64(len(items))
	if a[1] != nil && a[1] != None {
		if r, err = in.asIndex(a[1]); err != nil {
			return nil, err
		}
	}
	if r < 0 {
		return nil, Errorf(ValueError, "r must be non-negative")
	}
	if r > 1000 {
		return nil, in.alloc(1 << 50)
	}
	index, next := how(len(items), int(r))
	return NewIterator(name, func(in *Interp) (Value, bool, error) {
		if index == nil {
			return nil, false, nil
		}
		row := make([]Value, len(index))
		for i, k := range index {
			row[i] = items[k]
		}
		if !next(index) {
			index = nil
		}
		return &Tuple{Items: row}, true, in.alloc(len(row) * valueSize)
	}), nil
}

func chooseOrdered(n, r int) ([]int, func([]int) bool) {
	if r > n {
		return nil, nil
	}
	first := make([]int, r)
	for i := range first {
		first[i] = i
	}
	return first, func(x []int) bool {
		for i := r - 1; i >= 0; i-- {
			if x[i] < n-r+i {
				x[i]++
				for j := i + 1; j < r; j++ {
					x[j] = x[j-1] + 1
				}
				return true
			}
		}
		return false
	}
}

func chooseRepeated(n, r int) ([]int, func([]int) bool) {
	if n == 0 && r > 0 {
		return nil, nil
	}
	return make([]int, r), func(x []int) bool {
		for i := r - 1; i >= 0; i-- {
			if x[i] < n-1 {
				v := x[i] + 1
				for j := i; j < r; j++ {
					x[j] = v
				}
				return true
			}
		}
		return false
	}
}

func chooseAny(n, r int) ([]int, func([]int) bool) {
	if r > n {
		return nil, nil
	}
	first := make([]int, r)
	for i := range first {
		first[i] = i
	}
	return first, func(x []int) bool { // the next selection in order, items distinct
		used := make([]bool, n)
		for _, k := range x {
			used[k] = true
		}
		for i := r - 1; i >= 0; i-- {
			used[x[i]] = false
			for k := x[i] + 1; k < n; k++ {
				if used[k] {
					continue
				}
				x[i], used[k] = k, true
				for j, free := i+1, 0; j < r; j++ {
					for used[free] {
						free++
					}
					x[j], used[free] = free, true
				}
				return true
			}
		}
		return false
	}
}
