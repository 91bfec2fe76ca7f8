package args

// Holder holds the tensors of a launch.
type Holder interface {
	// Closed reports whether a tensor that was open when the launch began has been closed since. Tensors are
	// memory of the device, or of the host.
	Closed(on *Device) bool
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
