package args

// Holder holds the tensors of a launch.
type Holder interface {
	// Closed reports whether a tensor that was open when the launch began has been closed since. Tensors are
	// memory of the device, or of the host.
	Closed(on *Device) bool
	// Bytes returns the size of the tensors, each argument counted once.
	Bytes() int64
}

// Bytes implements Holder for the arguments by parameter.
func (m *Matched) Bytes() int64 { return allBytes(m.Vals) }

// Bytes returns the size of the tensor, at most that of its memory from its first element on.
func (t *Tensor) Bytes() int64 {
	n := int64(t.Elem.Size())
	for _, d := range t.Shape {
		n *= int64(d)
	}
	return min(n, int64(t.End-t.Addr))
}

func allBytes(list []any) (n int64) {
	for _, v := range list {
		switch v := v.(type) {
		case *Tensor:
			if v != nil {
				n += v.Bytes()
			}
		case *Descriptor:
			if v != nil && v.Base != nil {
				n += v.Base.Bytes()
			}
		case []any:
			n += allBytes(v)
		case Fields:
			for _, f := range v {
				n += allBytes([]any{f.Value})
			}
		}
	}
	return n
}

// Closed implements Holder for the arguments by parameter.
func (m *Matched) Closed(on *Device) bool { return anyClosed(m.Vals, on) }

// Closed reports whether the tensor is neither memory of the device nor of the host.
func (t *Tensor) Closed(on *Device) bool {
	at := t.Dev.Load()
	return at != on && at != nil
}

func anyClosed(list []any, on *Device) bool {
	for _, v := range list {
		if isClosed(v, on) {
			return true
		}
	}
	return false
}

// isClosed looks into tuples, of which package args has made sure that they end.
func isClosed(v any, on *Device) bool {
	switch v := v.(type) {
	case *Tensor:
		return v != nil && v.Closed(on)
	case *Descriptor:
		return v != nil && v.Base != nil && v.Base.Closed(on)
	case []any:
		return anyClosed(v, on)
	case Fields:
		for _, f := range v {
			if isClosed(f.Value, on) {
				return true
			}
		}
	}
	return false
}
