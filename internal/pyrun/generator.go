package pyrun

import (
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// generator is an object.Generator: a function that stops at each yield. Its statements are run by a machine
// with a stack of its own, one genFrame for each statement that holds a yield; all others are run as usual. A
// yield may stand alone, or be the whole right side of an assignment or return.
type generator struct {
	name    string
	env     *Env
	stack   []genFrame
	started bool
	running bool
	done    bool
	out     object.Value // what the last yield gave
	depth   []*object.Exception
}

// TypeName returns "generator".
func (*generator) TypeName() string { return "generator" }

// BuiltinClass returns Python's class of generators.
func (*generator) BuiltinClass() *object.Class { return object.GeneratorClass }

func newGenerator(name string, env *Env, body []python.Stmt) *generator {
	return &generator{name: name, env: env, stack: []genFrame{&genBlock{body: body}}}
}

// signal says how a statement ended: a frame is told of the one above it, and tells the one below.
type signal struct {
	flow flow
	err  error
	sent object.Value // what send gave to the yield
}

// genFrame is a statement under way. resume takes the signal of the frame above, an empty one the first time,
// and says what comes next.
type genFrame interface {
	resume(in *object.Interp, g *generator, s signal) (next, signal)
}

type next uint8

const (
	nextPush  next = iota // a frame was pushed
	nextYield             // g.out is to be handed out
	nextPop               // the frame has ended
)

// Next runs to the next yield.
func (g *generator) Next(in *object.Interp) (object.Value, bool, error) {
	return g.send(in, signal{sent: object.None})
}

// Send runs to the next yield; the yield that it stands at gives v.
func (g *generator) Send(in *object.Interp, v object.Value) (object.Value, bool, error) {
	if !g.started && !g.done && v != object.None {
		return nil, false, object.Errorf(object.TypeError,
			"can't send non-None value to a just-started generator")
	}
	return g.send(in, signal{sent: v})
}

func (g *generator) send(in *object.Interp, s signal) (object.Value, bool, error) {
	if g.running {
		return nil, false, object.Errorf(object.ValueError, "generator already executing")
	}
	if g.done {
		return nil, false, s.err
	}
	if err := in.Enter(); err != nil {
		return nil, false, err
	}
	handled := From(in).handled
	From(in).handled = g.depth
	g.running, g.started = true, true
	defer func() {
		g.depth, From(in).handled = From(in).handled, handled
		g.running = false
		in.Leave()
	}()
	return g.run(in, s)
}

func (g *generator) run(in *object.Interp, s signal) (object.Value, bool, error) {
	for len(g.stack) > 0 {
		if err := in.Work(1); err != nil {
			g.done = true
			return nil, false, err
		}
		what, out := g.stack[len(g.stack)-1].resume(in, g, s)
		switch what {
		case nextYield:
			return g.out, true, nil
		case nextPop:
			g.stack = g.stack[:len(g.stack)-1]
		}
		s = out
	}
	g.done = true
	if e, ok := object.Catchable(s.err); ok && e.IsA(object.StopIteration) {
		err := object.Errorf(object.RuntimeError, "generator raised StopIteration")
		err.Cause = e
		return nil, false, err
	}
	return nil, false, s.err
}

// Result returns what the function returned.
func (g *generator) Result() object.Value { return object.OrNone(g.env.ret) }

func (g *generator) push(f genFrame) (next, signal) {
	g.stack = append(g.stack, f)
	return nextPush, signal{}
}

func pop(f flow, err error) (next, signal) { return nextPop, signal{flow: f, err: err} }

// start pushes the frame of a statement that holds a yield.
func (g *generator) start(in *object.Interp, st python.Stmt) (next, signal) {
	switch st := st.(type) {
	case *python.If:
		t, err := From(in).condition(st.Test, g.env)
		if err != nil {
			return nextPush, signal{err: err}
		}
		if t {
			return g.push(&genBlock{body: st.Body})
		}
		return g.push(&genBlock{body: st.Orelse})
	case *python.For:
		it, err := From(in).forIter(st, g.env)
		if err != nil {
			return nextPush, signal{err: err}
		}
		return g.push(&genLoop{body: st.Body, orelse: st.Orelse, turn: func(in *object.Interp) (bool, error) {
			v, ok, err := it.Next(in)
			if err != nil || !ok {
				return false, err
			}
			return true, From(in).assign(st.Target, v, g.env)
		}})
	case *python.While:
		return g.push(&genLoop{body: st.Body, orelse: st.Orelse, turn: func(in *object.Interp) (bool, error) {
			return From(in).condition(st.Test, g.env)
		}})
	case *python.Try:
		return g.push(&genTry{st: st})
	case *python.With:
		return g.push(&genWith{items: st.Items, body: st.Body})
	}
	return g.startYield(st)
}

// startYield pushes the frame of a simple statement that is a yield.
func (g *generator) startYield(st python.Stmt) (next, signal) {
	var value python.Expr
	var store func(in *object.Interp, v object.Value) (flow, error)
	switch st := st.(type) {
	case *python.ExprStmt:
		value = st.Value
	case *python.Assign:
		value = st.Value
		store = func(in *object.Interp, v object.Value) (flow, error) {
			for _, t := range st.Targets {
				if err := From(in).assign(t, v, g.env); err != nil {
					return flowNext, err
				}
			}
			return flowNext, nil
		}
	case *python.Return:
		value = st.Value
		store = func(_ *object.Interp, v object.Value) (flow, error) {
			g.env.ret = v
			return flowReturn, nil
		}
	}
	switch y := value.(type) {
	case *python.Yield:
		return g.push(&genYield{value: y.Value, store: store})
	case *python.YieldFrom:
		return g.push(&genYieldFrom{value: y.Value, store: store})
	}
	err := object.Unsupported("yield in the middle of an expression")
	object.Locate(err, st.Span())
	return nextPush, signal{err: err}
}

// genBlock runs statements one after the other.
type genBlock struct {
	body []python.Stmt
	i    int
}

func (b *genBlock) resume(in *object.Interp, g *generator, s signal) (next, signal) {
	if s.err != nil || s.flow != flowNext {
		return nextPop, s
	}
	for b.i < len(b.body) {
		st := b.body[b.i]
		b.i++
		if g.env.scope.yields[st] {
			what, out := g.start(in, st)
			if out.err != nil {
				object.Locate(out.err, st.Span())
				return nextPop, out
			}
			return what, out
		}
		if f, err := From(in).exec(st, g.env); f != flowNext || err != nil {
			return pop(f, err)
		}
	}
	return pop(flowNext, nil)
}

// genLoop is a for or while.
type genLoop struct {
	turn         func(in *object.Interp) (bool, error) // advances; false at the end
	body, orelse []python.Stmt
	ended        bool
}

func (l *genLoop) resume(in *object.Interp, g *generator, s signal) (next, signal) {
	switch {
	case s.err != nil || s.flow == flowReturn || l.ended:
		return nextPop, s
	case s.flow == flowBreak:
		return pop(flowNext, nil)
	}
	ok, err := l.turn(in)
	if err != nil {
		return pop(flowNext, err)
	}
	if ok {
		return g.push(&genBlock{body: l.body})
	}
	l.ended = true
	return g.push(&genBlock{body: l.orelse})
}

// genTry is a try statement.
type genTry struct {
	st     *python.Try
	phase  tryPhase
	caught *object.Exception
	name   string // that the exception is bound to
	saved  signal // how the statement will end after finally
	ret    object.Value
}

type tryPhase uint8

const (
	tryStart tryPhase = iota
	tryBody
	tryRest // a handler, or else
	tryFinally
)

func (t *genTry) resume(in *object.Interp, g *generator, s signal) (next, signal) {
	switch t.phase {
	case tryStart:
		t.phase = tryBody
		return g.push(&genBlock{body: t.st.Body})
	case tryBody:
		t.phase = tryRest
		if s.err == nil && s.flow == flowNext {
			return g.push(&genBlock{body: t.st.Orelse})
		}
		if e, ok := object.Catchable(s.err); ok {
			h, err := From(in).handlerFor(t.st.Handlers, e, g.env)
			if err == nil && h != nil {
				return t.handle(in, g, h, e)
			}
			if err != nil {
				s.err = withContext(err, e)
			}
		}
		return t.finish(in, g, s)
	case tryRest:
		if t.caught != nil {
			From(in).handled = From(in).handled[:len(From(in).handled)-1]
			if t.name != "" {
				if err := g.env.Assign(in, t.name, nil); err != nil && s.err == nil {
					s.err = err
				}
			}
		}
		return t.finish(in, g, s)
	}
	if s.err != nil || s.flow != flowNext {
		return nextPop, s
	}
	g.env.ret = t.ret
	return nextPop, t.saved
}

func (t *genTry) handle(in *object.Interp, g *generator, h *python.ExceptHandler, e *object.Exception) (next,
	signal) {
	t.caught, t.name = e, h.Name
	if h.Name != "" {
		if err := g.env.Assign(in, h.Name, e); err != nil {
			return pop(flowNext, err)
		}
	}
	From(in).handled = append(From(in).handled, e)
	return g.push(&genBlock{body: h.Body})
}

func (t *genTry) finish(_ *object.Interp, g *generator, s signal) (next, signal) {
	if len(t.st.Finalbody) == 0 || isFatal(s.err) {
		return nextPop, s
	}
	t.phase, t.saved, t.ret = tryFinally, s, g.env.ret
	return g.push(&genBlock{body: t.st.Finalbody})
}

// genWith is a with statement.
type genWith struct {
	items []*python.WithItem
	body  []python.Stmt
	exit  object.Value
}

func (w *genWith) resume(in *object.Interp, g *generator, s signal) (next, signal) {
	if w.exit != nil {
		return pop(From(in).exitContext(w.exit, s.flow, s.err))
	}
	exit, err := From(in).enterContext(w.items[0], g.env)
	if err != nil {
		return pop(flowNext, err)
	}
	w.exit = exit
	if len(w.items) > 1 {
		return g.push(&genWith{items: w.items[1:], body: w.body})
	}
	return g.push(&genBlock{body: w.body})
}

// genYield hands a value out, and stores what is sent back.
type genYield struct {
	value   python.Expr
	store   func(in *object.Interp, v object.Value) (flow, error)
	yielded bool
}

func (y *genYield) resume(in *object.Interp, g *generator, s signal) (next, signal) {
	if y.yielded {
		if s.err != nil || y.store == nil {
			return pop(flowNext, s.err)
		}
		return pop(y.store(in, object.OrNone(s.sent)))
	}
	y.yielded = true
	g.out = object.None
	if y.value != nil {
		v, err := From(in).eval(y.value, g.env)
		if err != nil {
			return pop(flowNext, err)
		}
		g.out = v
	}
	return nextYield, signal{}
}

// genYieldFrom hands out all values of another iterator.
type genYieldFrom struct {
	value python.Expr
	store func(in *object.Interp, v object.Value) (flow, error)
	from  object.Iterator
}

func (y *genYieldFrom) resume(in *object.Interp, g *generator, s signal) (next, signal) {
	if y.from == nil {
		v, err := From(in).eval(y.value, g.env)
		if err == nil {
			y.from, err = object.Iter(in, v)
		}
		if err != nil {
			return pop(flowNext, err)
		}
		s = signal{sent: object.None}
	}
	var v object.Value
	var ok bool
	var err error
	if inner, isGen := y.from.(*generator); isGen {
		v, ok, err = inner.send(in, s)
	} else if s.err != nil {
		return pop(flowNext, s.err)
	} else {
		v, ok, err = y.from.Next(in)
	}
	switch {
	case err != nil:
		return pop(flowNext, err)
	case ok:
		g.out = v
		return nextYield, signal{}
	case y.store == nil:
		return pop(flowNext, nil)
	}
	result := object.None
	if inner, isGen := y.from.(*generator); isGen {
		result = inner.Result()
	}
	return pop(y.store(in, result))
}

// Throw raises an exception at the yield.
func (g *generator) Throw(in *object.Interp, e *object.Exception) (object.Value, bool, error) {
	if !g.started {
		g.done, g.stack = true, nil
		return nil, false, e
	}
	return g.send(in, signal{err: e})
}

// Close ends the function by a GeneratorExit.
func (g *generator) Close(in *object.Interp) error {
	if g.done {
		return nil
	}
	_, yielded, err := g.Throw(in, &object.Exception{Class: object.GeneratorExit})
	if yielded {
		return object.Errorf(object.RuntimeError, "generator ignored GeneratorExit")
	}
	if e, ok := object.Catchable(err); ok && (e.IsA(object.GeneratorExit) || e.IsA(object.StopIteration)) {
		return nil
	}
	return err
}
