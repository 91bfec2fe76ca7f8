package object

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
)

// Exception is a Python exception, raised or not. It is an error of Go and a Value.
type Exception struct {
	Class *Class
	Args  []Value
	Attrs *Dict // nil when there are none
	Cause *Exception
	// Context is the exception that was being handled when this one was raised.
	Context *Exception

	Span  diag.Span // where it was raised
	Trace []Frame   // the calls it went through, innermost first
	Code  string    // of the diagnostic; "python-" and the class when empty
	Hint  string
	Notes []diag.Note
	fatal bool // not to be caught by Python
}

// Frame is a call that was under way.
type Frame struct {
	Func string
	Span diag.Span // of the call
}

// Errorf returns an exception of a class with a message.
func Errorf(class *Class, format string, args ...any) *Exception {
	msg := format
	if len(args) > 0 {
		msg = fmt.Sprintf(format, args...)
	}
	return &Exception{Class: class, Args: []Value{Str(msg)}}
}

// TypeName returns the name of the class.
func (e *Exception) TypeName() string { return e.Class.Name }

// Message returns str(e).
func (e *Exception) Message() string {
	switch {
	case len(e.Args) == 0:
		return ""
	case len(e.Args) > 1:
		return PlainRepr(NewTuple(e.Args...))
	case e.Class.isSubclass(KeyError):
		return PlainRepr(e.Args[0])
	}
	return PlainStr(e.Args[0])
}

// Error returns the exception as the last line of a Python traceback shows it.
func (e *Exception) Error() string {
	if msg := e.Message(); msg != "" {
		return e.Class.Name + ": " + msg
	}
	return e.Class.Name
}

// IsA reports whether e is an instance of a class.
func (e *Exception) IsA(class *Class) bool { return e.Class.isSubclass(class) }

// Diagnostic returns the exception as a message about its place, with the calls that led there as notes.
func (e *Exception) Diagnostic() diag.Diagnostic {
	code := e.Code
	if code == "" {
		code = "python-" + strings.ToLower(strings.TrimSuffix(e.Class.Name, "Error"))
	}
	d := diag.Diagnostic{Code: code, Span: e.Span, Msg: e.Error(), Hint: e.Hint}
	if e.fatal {
		d.Msg = e.Message()
	}
	for i, f := range e.Trace {
		if i == maxNotes && len(e.Trace) > maxNotes+1 {
			d.Notes = append(d.Notes, diag.Note{Msg: fmt.Sprintf("and %d more calls", len(e.Trace)-i)})
			break
		}
		d.Notes = append(d.Notes, diag.Note{Span: f.Span, Msg: "called from here: " + f.Func})
	}
	d.Notes = append(d.Notes, e.Notes...)
	if e.Cause != nil {
		d.Notes = append(d.Notes, diag.Note{Span: e.Cause.Span, Msg: "caused by " + e.Cause.Error()})
	}
	return d
}

// maxNotes bounds the calls that a diagnostic shows.
const maxNotes = 8

// maxTrace bounds the calls that an exception remembers.
const maxTrace = 64

// Diagnostic returns any error of an evaluation as a message; span is used where the error has no place of
// its own.
func Diagnostic(err error, span diag.Span) diag.Diagnostic {
	e, ok := err.(*Exception)
	if !ok {
		return diag.Diagnostic{Span: span, Msg: err.Error()}
	}
	d := e.Diagnostic()
	if !d.Span.Start.IsValid() {
		d.Span = span
	}
	return d
}

// Locate gives an exception its place, unless it has one.
func Locate(err error, span diag.Span) {
	if e, ok := err.(*Exception); ok && !e.Span.Start.IsValid() {
		e.Span = span
	}
}

// AddFrame adds a call to the trace of an exception.
func AddFrame(err error, name string, span diag.Span) {
	if e, ok := err.(*Exception); ok && span.Start.IsValid() && len(e.Trace) < maxTrace {
		e.Trace = append(e.Trace, Frame{name, span})
	}
}

// Catchable returns the exception in err if Python code may catch it.
func Catchable(err error) (*Exception, bool) {
	e, ok := err.(*Exception)
	return e, ok && !e.fatal
}

// Exception classes. The list below says which derives from which.
var (
	BaseException       = exceptionClass("BaseException", ObjectClass)
	ExceptionClass      = exceptionClass("Exception", BaseException)
	GeneratorExit       = exceptionClass("GeneratorExit", BaseException)
	KeyboardInterrupt   = exceptionClass("KeyboardInterrupt", BaseException)
	SystemExit          = exceptionClass("SystemExit", BaseException)
	ArithmeticError     = exceptionClass("ArithmeticError", ExceptionClass)
	FloatingPointError  = exceptionClass("FloatingPointError", ArithmeticError)
	OverflowError       = exceptionClass("OverflowError", ArithmeticError)
	ZeroDivisionError   = exceptionClass("ZeroDivisionError", ArithmeticError)
	AssertionError      = exceptionClass("AssertionError", ExceptionClass)
	AttributeError      = exceptionClass("AttributeError", ExceptionClass)
	BufferError         = exceptionClass("BufferError", ExceptionClass)
	EOFError            = exceptionClass("EOFError", ExceptionClass)
	ImportError         = exceptionClass("ImportError", ExceptionClass)
	ModuleNotFoundError = exceptionClass("ModuleNotFoundError", ImportError)
	LookupError         = exceptionClass("LookupError", ExceptionClass)
	IndexError          = exceptionClass("IndexError", LookupError)
	KeyError            = exceptionClass("KeyError", LookupError)
	MemoryError         = exceptionClass("MemoryError", ExceptionClass)
	NameError           = exceptionClass("NameError", ExceptionClass)
	UnboundLocalError   = exceptionClass("UnboundLocalError", NameError)
	OSError             = exceptionClass("OSError", ExceptionClass)
	FileExistsError     = exceptionClass("FileExistsError", OSError)
	FileNotFoundError   = exceptionClass("FileNotFoundError", OSError)
	PermissionError     = exceptionClass("PermissionError", OSError)
	TimeoutError        = exceptionClass("TimeoutError", OSError)
	ConnectionError     = exceptionClass("ConnectionError", OSError)
	ReferenceError      = exceptionClass("ReferenceError", ExceptionClass)
	RuntimeError        = exceptionClass("RuntimeError", ExceptionClass)
	NotImplementedError = exceptionClass("NotImplementedError", RuntimeError)
	RecursionError      = exceptionClass("RecursionError", RuntimeError)
	StopIteration       = exceptionClass("StopIteration", ExceptionClass)
	StopAsyncIteration  = exceptionClass("StopAsyncIteration", ExceptionClass)
	SyntaxError         = exceptionClass("SyntaxError", ExceptionClass)
	IndentationError    = exceptionClass("IndentationError", SyntaxError)
	SystemError         = exceptionClass("SystemError", ExceptionClass)
	TypeError           = exceptionClass("TypeError", ExceptionClass)
	ValueError          = exceptionClass("ValueError", ExceptionClass)
	UnicodeError        = exceptionClass("UnicodeError", ValueError)
	UnicodeDecodeError  = exceptionClass("UnicodeDecodeError", UnicodeError)
	UnicodeEncodeError  = exceptionClass("UnicodeEncodeError", UnicodeError)
	Warning             = exceptionClass("Warning", ExceptionClass)
	DeprecationWarning  = exceptionClass("DeprecationWarning", Warning)
	FutureWarning       = exceptionClass("FutureWarning", Warning)
	ImportWarning       = exceptionClass("ImportWarning", Warning)
	PendingDeprecation  = exceptionClass("PendingDeprecationWarning", Warning)
	ResourceWarning     = exceptionClass("ResourceWarning", Warning)
	RuntimeWarning      = exceptionClass("RuntimeWarning", Warning)
	SyntaxWarning       = exceptionClass("SyntaxWarning", Warning)
	UserWarning         = exceptionClass("UserWarning", Warning)
)

// exceptionClasses are all of the above, in that order.
var exceptionClasses []*Class

func exceptionClass(name string, base *Class) *Class {
	c := NewBuiltinClass(name, base)
	exceptionClasses = append(exceptionClasses, c)
	return c
}

// newException makes an exception of a class, as calling the class does.
func newException(in *Interp, class *Class, args []Value, kws []Keyword) (Value, error) {
	e := &Exception{Class: class, Args: args}
	for _, k := range kws {
		if class.Find("__init__") == nil && !class.isSubclass(ImportError) &&
			!class.isSubclass(AttributeError) {
			return nil, Errorf(TypeError, "%s() takes no keyword arguments", class.Name)
		}
		e.SetAttribute(k.Name, k.Value)
	}
	return e, nil
}

// SetAttribute sets an attribute of the exception object.
func (e *Exception) SetAttribute(name string, v Value) {
	if e.Attrs == nil {
		e.Attrs = NewDict()
	}
	e.Attrs.SetStr(name, v)
}

// exceptionAttr returns an attribute that every exception has.
func exceptionAttr(e *Exception, name string) (Value, bool) {
	switch name {
	case "args":
		return NewTuple(e.Args...), true
	case "__cause__":
		return exceptionOrNone(e.Cause), true
	case "__context__":
		return exceptionOrNone(e.Context), true
	case "__traceback__":
		return None, true
	case "__dict__":
		if e.Attrs == nil {
			e.Attrs = NewDict()
		}
		return e.Attrs, true
	case "value", "code":
		if !e.IsA(StopIteration) && !e.IsA(SystemExit) {
			return nil, false
		}
		if len(e.Args) > 0 {
			return e.Args[0], true
		}
		return None, true
	case "msg":
		return Str(e.Message()), e.IsA(ImportError) || e.IsA(SyntaxError)
	case "name", "path":
		return None, e.IsA(ImportError) || e.IsA(NameError) || e.IsA(AttributeError)
	}
	return nil, false
}

func exceptionOrNone(e *Exception) Value {
	if e == nil {
		return None
	}
	return e
}

// ReplaceTypeError gives a TypeError without a place another text.
func ReplaceTypeError(err error, format string, args ...any) error {
	if e, ok := Catchable(err); ok && e.Class == TypeError && e.Code == "" && !e.Span.Start.IsValid() {
		return Errorf(TypeError, format, args...)
	}
	return err
}

// Unsupported returns the error for Python that is beyond this evaluator.
func Unsupported(what string) error {
	e := Errorf(NotImplementedError, "%s is not supported in code that runs at compile time", what)
	e.Code = "host-unsupported"
	return e
}

// MatchesException reports whether `except class` catches e.
func (in *Interp) MatchesException(e *Exception, class Value) (bool, error) {
	if err := in.Enter(); err != nil {
		return false, err
	}
	defer in.Leave()
	switch c := class.(type) {
	case *Class:
		if !c.isSubclass(BaseException) {
			break
		}
		return e.IsA(c), nil
	case *Unknown:
		return false, nil // what Python itself raises is of no class of an unknown package
	case *Tuple:
		for _, x := range c.Items {
			if ok, err := in.MatchesException(e, x); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	}
	return false, Errorf(TypeError, "catching classes that do not inherit from BaseException is not allowed")
}

// ExceptionOf returns the exception that `raise v` raises: v itself, or a new one of the class v.
func (in *Interp) ExceptionOf(v Value) (*Exception, error) {
	if c, ok := v.(*Class); ok && c.isSubclass(BaseException) {
		made, err := Call(in, c, nil, nil)
		if err != nil {
			return nil, err
		}
		v = made
	}
	if e, ok := v.(*Exception); ok {
		return e, nil
	}
	if u := UnknownOf(v); u != nil {
		e := Errorf(RuntimeError, "%s", u.Path)
		return e, nil
	}
	return nil, Errorf(TypeError, "exceptions must derive from BaseException")
}
