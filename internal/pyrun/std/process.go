package std

import (
	"errors"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// Threads, queues and commands, as far as files use them to find out what machine they are on. A thread runs
// when it is started. The machine is the one that torch reports: it has an NVIDIA GPU, and its driver's
// command is the only one there.

// driverCommand is the command that answers on a machine with an NVIDIA GPU.
const driverCommand = "nvidia-smi"

// threadFactory returns threading.Thread.
func threadFactory() *object.Builtin {
	return object.Native("Thread", "group= target= name= args= kwargs= **kws",
		func(in *object.Interp, a []object.Value) (object.Value, error) {
			return &thread{target: a[1], args: a[3], kwargs: a[4]}, nil
		})
}

type thread struct{ target, args, kwargs object.Value }

func (*thread) TypeName() string { return "Thread" }

func (t *thread) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	switch name {
	case "start":
		return object.Native(name, "", t.start), true, nil
	case "join":
		return nothing(name), true, nil
	case "is_alive", "daemon":
		return constant0(name, object.Bool(false)), true, nil
	}
	return nil, false, nil
}

// start runs the target. An exception ends the thread alone, as in Python.
func (t *thread) start(in *object.Interp, _ []object.Value) (object.Value, error) {
	if t.target == nil || t.target == object.None {
		return object.None, nil
	}
	var args []object.Value
	if t.args != nil && t.args != object.None {
		list, err := object.Iterate(in, t.args)
		if err != nil {
			return nil, err
		}
		args = list
	}
	var kws []object.Keyword
	if d, ok := t.kwargs.(*object.Dict); ok {
		for k, v := range d.All() {
			kws = append(kws, object.Keyword{Name: object.PlainStr(k), Value: v})
		}
	}
	_, err := object.Call(in, t.target, args, kws)
	if e := (*object.Exception)(nil); errors.As(err, &e) {
		return object.None, nil
	}
	return object.None, err
}

var (
	queueEmpty = object.NewBuiltinClass("Empty", object.ExceptionClass)
	queueFull  = object.NewBuiltinClass("Full", object.ExceptionClass)
)

func queueModule() map[string]object.Value {
	make := func(name string, last bool) *object.Builtin {
		return object.Native(name, "maxsize=", func(*object.Interp, []object.Value) (object.Value, error) {
			return &queueObject{name: name, last: last}, nil
		})
	}
	return named(map[string]object.Value{"Empty": queueEmpty, "Full": queueFull}, make("Queue", false),
		make("SimpleQueue", false), make("LifoQueue", true))
}

// queueObject is a queue without a bound. There is one thread, so waiting for an item would last forever: an
// empty queue raises Empty.
type queueObject struct {
	name  string
	last  bool // what came last goes first
	items []object.Value
}

func (q *queueObject) TypeName() string { return q.name }

func (q *queueObject) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	switch name {
	case "put", "put_nowait":
		return object.Native(name, "item block= timeout=", q.put), true, nil
	case "get", "get_nowait":
		return object.Native(name, "block= timeout=", q.get), true, nil
	case "empty":
		return object.Native(name, "", func(*object.Interp, []object.Value) (object.Value, error) {
			return object.Bool(len(q.items) == 0), nil
		}), true, nil
	case "qsize":
		return object.Native(name, "", func(*object.Interp, []object.Value) (object.Value, error) {
			return object.MakeInt(int64(len(q.items))), nil
		}), true, nil
	case "full":
		return constant0(name, object.Bool(false)), true, nil
	case "join", "task_done":
		return nothing(name), true, nil
	}
	return nil, false, nil
}

func (q *queueObject) put(in *object.Interp, a []object.Value) (object.Value, error) {
	if err := in.Alloc(1); err != nil {
		return nil, err
	}
	q.items = append(q.items, a[0])
	return object.None, nil
}

func (q *queueObject) get(*object.Interp, []object.Value) (object.Value, error) {
	n := len(q.items)
	if n == 0 {
		return nil, object.Errorf(queueEmpty, "")
	}
	at := 0
	if q.last {
		at = n - 1
	}
	v := q.items[at]
	q.items = append(q.items[:at:at], q.items[at+1:]...)
	return v, nil
}

func subprocessModule() map[string]object.Value {
	failed := object.NewBuiltinClass("CalledProcessError", object.ExceptionClass)
	return named(map[string]object.Value{"PIPE": object.MakeInt(-1), "STDOUT": object.MakeInt(-2),
		"DEVNULL": object.MakeInt(-3), "CalledProcessError": failed,
		"SubprocessError": failed},
		object.Native("run", "args **kws", func(in *object.Interp, a []object.Value) (object.Value, error) {
			if err := command(in, a[0]); err != nil {
				return nil, err
			}
			return &object.Namespace{Name: "CompletedProcess", Attrs: map[string]object.Value{
				"returncode": object.MakeInt(0), "stdout": object.Str(""), "stderr": object.Str("")}}, nil
		}))
}

// command returns FileNotFoundError for a command that is not there. args is a string or a list.
func command(in *object.Interp, args object.Value) error {
	name := args
	if _, ok := args.(object.Str); !ok {
		list, err := object.Iterate(in, args)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return object.Errorf(object.IndexError, "list index out of range")
		}
		name = list[0]
	}
	if text, ok := name.(object.Str); !ok || string(text) != driverCommand {
		return object.Errorf(object.FileNotFoundError, "[Errno 2] No such file or directory: '%s'",
			object.PlainStr(name))
	}
	return nil
}
