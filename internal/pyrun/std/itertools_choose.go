package std

import "github.com/nereid-lang/nereid/internal/pyrun/object"

// choose returns an iterator over selections of r items; how gives the first selection and the step to the
// next.
func choose(in *object.Interp, name string, a []object.Value,
	how func(n, r int) (first []int, next func(index []int) bool)) (object.Value, error) {
	items, err := object.Iterate(in, a[0])
	if err != nil {
		return nil, err
	}
	r := int64(len(items))
	if a[1] != nil && a[1] != object.None {
		if r, err = in.AsIndex(a[1]); err != nil {
			return nil, err
		}
	}
	if r < 0 {
		return nil, object.Errorf(object.ValueError, "r must be non-negative")
	}
	if r > 1000 {
		return nil, in.Alloc(1 << 50)
	}
	index, next := how(len(items), int(r))
	return object.NewIterator(name, func(in *object.Interp) (object.Value, bool, error) {
		if index == nil {
			return nil, false, nil
		}
		row := make([]object.Value, len(index))
		for i, k := range index {
			row[i] = items[k]
		}
		if !next(index) {
			index = nil
		}
		return &object.Tuple{Items: row}, true, in.Alloc(len(row) * object.ValueSize)
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

func productOf(in *object.Interp, a []object.Value) (object.Value, error) {
	var pools [][]object.Value
	for _, v := range a[0].(*object.Tuple).Items {
		items, err := object.Iterate(in, v)
		if err != nil {
			return nil, err
		}
		pools = append(pools, items)
	}
	n := int64(1)
	if a[1] != nil {
		k, err := in.AsIndex(a[1])
		if err != nil {
			return nil, err
		}
		n = k
	}
	if n < 0 {
		return nil, object.Errorf(object.ValueError, "repeat argument cannot be negative")
	}
	if n*int64(len(pools)) > 1000 {
		return nil, in.Alloc(1 << 50)
	}
	var all [][]object.Value
	for range n {
		all = append(all, pools...)
	}
	index := make([]int, len(all))
	ended := false
	for _, p := range all {
		ended = ended || len(p) == 0
	}
	return object.NewIterator("product", func(in *object.Interp) (object.Value, bool, error) {
		if ended {
			return nil, false, nil
		}
		row := make([]object.Value, len(all))
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
		return &object.Tuple{Items: row}, true, in.Alloc(len(row) * object.ValueSize)
	}), nil
}
