package object

// sliceIndices returns the first index, the step and the number of elements that a slice of n items takes.
func (in *Interp) sliceIndices(s *Slice, n int) (lo, step, count int, err error) {
	lo, hi, step, err := in.sliceBounds(s, n)
	switch {
	case step > 0 && hi > lo:
		count = (hi-lo-1)/step + 1
	case step < 0 && lo > hi:
		count = (lo-hi-1)/(-step) + 1
	}
	return lo, step, count, err
}

// sliceBounds returns what slice.indices(n) returns.
func (in *Interp) sliceBounds(s *Slice, n int) (lo, hi, step int, err error) {
	step = 1
	if s.Step != nil && s.Step != None {
		k, err := in.sliceIndex(s.Step, n)
		if err != nil {
			return 0, 0, 0, err
		}
		if step = k; step == 0 {
			return 0, 0, 0, Errorf(ValueError, "slice step cannot be zero")
		}
	}
	from, to := 0, n
	if step < 0 {
		from, to = n-1, -1
	}
	lo, err = in.bound(s.Lo, n, step, from)
	if err != nil {
		return 0, 0, 0, err
	}
	hi, err = in.bound(s.Hi, n, step, to)
	return lo, hi, step, err
}

// sliceIndex returns a bound of a slice, cut to a range that no sequence exceeds.
func (in *Interp) sliceIndex(v Value, n int) (int, error) {
	k, err := in.ToIndex(v)
	if err != nil {
		return 0, ReplaceTypeError(err, "slice indices must be integers or None or have an __index__ method")
	}
	limit := MakeInt(int64(n) + 1<<31)
	if k.Cmp(limit) > 0 {
		k = limit
	} else if neg := MakeInt(-limit.small); k.Cmp(neg) < 0 {
		k = neg
	}
	return int(k.small), nil
}

func (in *Interp) bound(v Value, n, step, def int) (int, error) {
	if v == nil || v == None {
		return def, nil
	}
	k, err := in.sliceIndex(v, n)
	if err != nil {
		return 0, err
	}
	if k < 0 {
		k += n
	}
	lo, hi := 0, n
	if step < 0 {
		lo, hi = -1, n-1
	}
	return min(max(k, lo), hi), nil
}

func (in *Interp) pickText(s string, i Value) (string, error) {
	if err := in.scan(len(s)); err != nil {
		return "", err
	}
	if isASCII(s) {
		if sl, ok := i.(*Slice); ok {
			lo, step, n, err := in.sliceIndices(sl, len(s))
			if err != nil {
				return "", err
			}
			if err := in.Alloc(n); err != nil {
				return "", err
			}
			return string(stride([]byte(s), lo, step, n)), nil
		}
		k, err := in.index(i, len(s), "string")
		if err != nil {
			return "", err
		}
		return s[k : k+1], nil
	}
	if err := in.Alloc(len(s)); err != nil {
		return "", err
	}
	rs := toRunes(s)
	if sl, ok := i.(*Slice); ok {
		lo, step, n, err := in.sliceIndices(sl, len(rs))
		if err != nil {
			return "", err
		}
		return fromRunes(stride(rs, lo, step, n)), nil
	}
	k, err := in.index(i, len(rs), "string")
	if err != nil {
		return "", err
	}
	return fromRunes(rs[k : k+1]), nil
}

func stride[T any](s []T, lo, step, n int) []T {
	out := make([]T, n)
	for k := range out {
		out[k] = s[lo+k*step]
	}
	return out
}

func (in *Interp) pickBytes(b Bytes, i Value) (Value, error) {
	if sl, ok := i.(*Slice); ok {
		lo, step, n, err := in.sliceIndices(sl, len(b))
		if err != nil {
			return nil, err
		}
		return Bytes(stride([]byte(b), lo, step, n)), in.Alloc(n)
	}
	k, err := in.index(i, len(b), "byte")
	if err != nil {
		return nil, err
	}
	return MakeInt(int64(b[k])), nil
}
