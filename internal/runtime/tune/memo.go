package tune

import (
	"math"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/target"
)

// memo remembers what decorators added to the arguments of a launch, so that the file's Python functions are
// not called again for arguments to which they would give the same answer.
type memo struct {
	any   atomic.Bool // anything is remembered
	mu    sync.RWMutex
	added map[memoKey]*added // by what the arguments look like
}

type memoKey struct {
	args string
	opts target.Options
}

// added holds what decorators add to the arguments of a launch.
type added struct {
	vals []any // by parameter
	is   []bool
	opts target.Options
}

// maxMemo bounds the entries of a kernel. A full memo starts anew.
const maxMemo = 4096

var memoKeys = sync.Pool{New: func() any { b := make([]byte, 0, 256); return &b }}

// complete adds to x the arguments that decorators added to equal arguments in an earlier launch. It reports
// false if there was none.
func (m *memo) complete(dev *args.Device, x *args.Matched) bool {
	if !m.any.Load() {
		return false
	}
	b := memoKeys.Get().(*[]byte)
	defer memoKeys.Put(b)
	text, ok := appendKey((*b)[:0], dev, x)
	*b = text
	if !ok {
		return false
	}
	m.mu.RLock()
	a := m.added[memoKey{string(text), x.Opts}]
	m.mu.RUnlock()
	if a == nil {
		return false
	}
	for i, is := range a.is {
		if is {
			x.Vals[i], x.Given[i] = a.vals[i], true
		}
	}
	x.Opts = a.opts
	return true
}

// put remembers the arguments that full has in addition to given.
func (m *memo) put(dev *args.Device, given, full *args.Matched) {
	key, ok := appendKey(nil, dev, given)
	if !ok {
		return
	}
	a := &added{slices.Clone(full.Vals), slices.Clone(full.Given), full.Opts}
	for i, is := range given.Given {
		if is {
			a.vals[i], a.is[i] = nil, false
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.added == nil || len(m.added) >= maxMemo {
		m.added = map[memoKey]*added{}
	}
	m.added[memoKey{string(key), given.Opts}] = a
	m.any.Store(true)
}

// appendKey appends everything that a Python function can see of the arguments, except options. ok is false
// for an argument that it cannot encode.
func appendKey(b []byte, dev *args.Device, m *args.Matched) (key []byte, ok bool) {
	b = append(b, dev.String()...)
	for i, given := range m.Given {
		b = append(b, '|')
		if !given {
			continue
		}
		if b, ok = appendValue(b, m.Vals[i]); !ok {
			return b, false
		}
	}
	return b, true
}

func appendValue(b []byte, v any) (key []byte, ok bool) {
	switch v := v.(type) {
	case nil:
		b = append(b, 'n')
	case int:
		b = strconv.AppendInt(append(b, 'i'), int64(v), 10)
	case int32:
		b = strconv.AppendInt(append(b, 'i'), int64(v), 10)
	case int64:
		b = strconv.AppendInt(append(b, 'i'), v, 10)
	case float64:
		b = strconv.AppendUint(append(b, 'f'), math.Float64bits(v), 16)
	case float32:
		b = strconv.AppendUint(append(b, 'f'), math.Float64bits(float64(v)), 16)
	case bool:
		b = strconv.AppendBool(append(b, 'b'), v)
	case string:
		b = strconv.AppendQuote(append(b, 's'), v)
	case dtype.Type:
		b = strconv.AppendInt(append(b, 'd'), int64(v), 10)
	case args.Scalar:
		b = strconv.AppendUint(append(b, 'S', byte(v.Elem)), v.Bits, 16)
	case *args.Tensor:
		b = appendTensor(b, v)
	default:
		return b, false
	}
	return b, true
}

func appendTensor(b []byte, t *args.Tensor) []byte {
	if t == nil {
		return append(b, 'n')
	}
	b = strconv.AppendInt(append(b, 't'), int64(t.Elem), 10)
	for _, n := range t.Shape {
		b = strconv.AppendInt(append(b, 'x'), int64(n), 10)
	}
	for _, n := range t.Strides { // as many as dimensions unless the caller set the fields
		b = strconv.AppendInt(append(b, ':'), int64(n), 10)
	}
	return strconv.AppendUint(append(b, '@'), t.Addr%16, 10)
}
