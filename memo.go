package nereid

import (
	"math"
	"strconv"
	"sync"
)

// memo remembers what decorators added to the arguments of a launch, so that the functions of the file are not called again for
// arguments that they would answer alike.
type memo struct {
	mu    sync.RWMutex
	added map[memoKey]*added // by what the arguments look like
}

type memoKey struct {
	args string
	opts Options
}

// added is what decorators add to the arguments of a launch.
type added struct {
	args    []any // as Launch takes them
	byParam []any
	opts    Options
}

// maxMemo bounds what is remembered for one kernel.
const maxMemo = 4096

var memoKeys = sync.Pool{New: func() any { b := make([]byte, 0, 256); return &b }}

// get is what was added to arguments like these.
func (m *memo) get(dev *Device, args []any) *added {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if len(m.added) == 0 {
		return nil
	}
	b := memoKeys.Get().(*[]byte)
	defer memoKeys.Put(b)
	text, opts, ok := appendKey((*b)[:0], dev, args)
	*b = text
	if !ok {
		return nil
	}
	return m.added[memoKey{string(text), opts}]
}

// put remembers it.
func (m *memo) put(dev *Device, args []any, a *added) {
	key, opts, ok := appendKey(nil, dev, args)
	if !ok {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.added == nil || len(m.added) >= maxMemo {
		m.added = map[memoKey]*added{}
	}
	m.added[memoKey{string(key), opts}] = a
}

// appendKey writes all that a function of the file can see of arguments, but for options. It reports whether it knows them all.
func appendKey(b []byte, dev *Device, args []any) (key []byte, opts Options, ok bool) {
	b = append(b, dev.String()...)
	for _, a := range args {
		if n, ok := a.(Named); ok {
			b = append(append(append(b, '|'), n.Name...), '=')
			a = n.Value
		}
		b = append(b, '|')
		switch v := a.(type) {
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
		case DType:
			b = strconv.AppendInt(append(b, 'd'), int64(v), 10)
		case *Tensor:
			b = v.appendKey(b)
		case Options:
			opts = v
		default:
			return b, opts, false
		}
	}
	return b, opts, true
}

func (t *Tensor) appendKey(b []byte) []byte {
	if t == nil {
		return append(b, 'n')
	}
	b = strconv.AppendInt(append(b, 't'), int64(t.DType), 10)
	for i := range t.Shape {
		b = strconv.AppendInt(append(b, 'x'), int64(t.Shape[i]), 10)
		b = strconv.AppendInt(append(b, ':'), int64(t.Strides[i]), 10)
	}
	return strconv.AppendUint(append(b, '@'), t.addr%16, 10)
}

// withAdded is arguments with those that decorators add.
func withAdded(args, added []any) []any {
	out := make([]any, 0, len(args)+len(added))
	for _, a := range args {
		if _, ok := a.(Options); !ok { // the options are among those added
			out = append(out, a)
		}
	}
	return append(out, added...)
}

// added are the arguments of g that were not given, and its options.
func (g *given) added(given *given) *added {
	a := &added{args: []any{g.opts}, byParam: make([]any, len(g.k.params)), opts: g.opts}
	for i, p := range g.k.params {
		if v, ok := g.vals[p.Name]; ok && !given.has(p.Name) {
			a.args = append(a.args, Arg(p.Name, v))
			a.byParam[i] = v
		}
	}
	return a
}
