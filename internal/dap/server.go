package dap

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/frame"
	"github.com/nereid-lang/nereid/internal/target/interp"
)

// Program is what is debugged.
type Program struct {
	// Record runs the kernel and records one program of its grid. It returns the tensors of the launch too.
	Record func(program int64) (*interp.Trace, []Tensor, error)
	// Eval evaluates an expression with the scalars of a stop; the text is as Python writes the value.
	Eval func(expression string, scalars map[string]any) (text string, err error)
	Name string // of the kernel
}

// Server is one session.
type Server struct {
	program Program
	out     *frame.Writer
	seq     int

	history *History
	at      int // the current stop
	breaks  map[string][]breakpoint
	watches []watch
	stopped bool                    // it is to stop before its first line
	failed  bool                    // the client knows the fault that ends the program
	marked  map[string]map[int]bool // lines behind a breakpoint() of the kernel's, by file
	tensors []Tensor
	lists   []list // what references to variables mean, until the program goes on
}

// list is something that has variables: a block of values, or the locals of a function.
type list struct {
	value *interp.TraceValue
	up    int // of locals: calls between the current line and the function
}

// breakpoint is one of a line, or of memory.
type breakpoint struct {
	Line      int    `json:"line"`
	Condition string `json:"condition"`

	DataID     string `json:"dataId"`
	AccessType string `json:"accessType"` // "read", "write" or "readWrite"; default write
}

type request struct {
	Seq       int             `json:"seq"`
	Type      string          `json:"type"`
	Command   string          `json:"command"`
	Arguments json.RawMessage `json:"arguments"`
}

type response struct {
	Seq        int    `json:"seq"`
	Type       string `json:"type"`
	RequestSeq int    `json:"request_seq"`
	Success    bool   `json:"success"`
	Command    string `json:"command"`
	Message    string `json:"message,omitempty"`
	Body       any    `json:"body,omitempty"`
}

type event struct {
	Seq   int    `json:"seq"`
	Type  string `json:"type"`
	Event string `json:"event"`
	Body  any    `json:"body,omitempty"`
}

// arguments has those of all requests that the server looks at.
type arguments struct {
	Program            int64  `json:"program"`     // of launch: which program of the grid
	StopOnEntry        *bool  `json:"stopOnEntry"` // and whether to stop before its first line; default true
	Source             source `json:"source"`
	Breakpoints        []breakpoint
	VariablesReference int    `json:"variablesReference"`
	FrameID            int    `json:"frameId"`
	Start              int    `json:"start"`
	Count              int    `json:"count"`
	Expression         string `json:"expression"`
	Name               string `json:"name"` // of dataBreakpointInfo
	AsAddress          bool   `json:"asAddress"`
	Bytes              int    `json:"bytes"`
}

type source struct {
	Name string `json:"name,omitempty"`
	Path string `json:"path,omitempty"`
}

type object = map[string]any

// Serve debugs a program until the client disconnects.
func Serve(p Program, in io.Reader, out io.Writer) error {
	s := &Server{program: p, out: frame.NewWriter(out), breaks: map[string][]breakpoint{},
		marked: map[string]map[int]bool{}}
	r := frame.NewReader(in)
	for {
		data, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var q request
		if err := json.Unmarshal(data, &q); err != nil {
			return fmt.Errorf("a message is no JSON: %w", err)
		}
		if err := s.handle(q); err != nil {
			return err
		}
		if q.Command == "disconnect" {
			return nil
		}
	}
}

// handle answers a request; what happens because of it follows as events.
func (s *Server) handle(q request) error {
	var a arguments
	if len(q.Arguments) > 0 {
		if err := json.Unmarshal(q.Arguments, &a); err != nil {
			return s.respond(q, nil, err)
		}
	}
	body, after, err := s.answer(q.Command, a)
	if err := s.respond(q, body, err); err != nil || after == nil {
		return err
	}
	return after()
}

func (s *Server) respond(q request, body any, err error) error {
	s.seq++
	r := response{Seq: s.seq, Type: "response", RequestSeq: q.Seq, Success: err == nil, Command: q.Command,
		Body: body}
	if err != nil {
		r.Message = strings.TrimPrefix(err.Error(), "nereid: ")
	}
	return s.out.Send(r)
}

func (s *Server) event(name string, body any) error {
	s.seq++
	return s.out.Send(event{s.seq, "event", name, body})
}

// capabilities is what the server can do beyond the least.
var capabilities = object{"supportsConfigurationDoneRequest": true, "supportsConditionalBreakpoints": true,
	"supportsStepBack": true, "supportsTerminateRequest": true, "supportsEvaluateForHovers": true,
	"supportsDataBreakpoints": true, "supportsDataBreakpointBytes": true}

// answer carries a request out. after sends the events that follow the response.
func (s *Server) answer(command string, a arguments) (body any, after func() error, err error) {
	switch command {
	case "initialize":
		return capabilities, func() error { return s.event("initialized", nil) }, nil
	case "launch", "attach":
		return nil, nil, s.launch(a)
	case "setBreakpoints":
		return s.setBreakpoints(a), nil, nil
	case "setExceptionBreakpoints":
		return object{"breakpoints": []any{}}, nil, nil
	case "threads":
		name := "program " + fmt.Sprint(s.programNumber())
		return object{"threads": []object{{"id": 1, "name": name}}}, nil, nil
	case "terminate":
		return nil, func() error { return s.event("terminated", nil) }, nil
	case "disconnect":
		return nil, nil, nil
	}
	if s.history == nil {
		return nil, nil, fmt.Errorf("%s comes before launch", command)
	}
	switch command {
	case "configurationDone":
		return nil, s.begin, nil
	case "stackTrace":
		return s.stack(), nil, nil
	case "scopes":
		locals := object{"name": "Locals", "variablesReference": s.locals(a.FrameID), "expensive": false}
		return object{"scopes": []object{locals}}, nil, nil
	case "variables":
		return s.variables(a), nil, nil
	case "evaluate":
		body, err := s.evaluate(a.Expression, s.up(a.FrameID))
		return body, nil, err
	case "dataBreakpointInfo":
		return s.watchable(a), nil, nil
	case "setDataBreakpoints":
		return s.setWatches(a.Breakpoints), nil, nil
	case "continue":
		return object{"allThreadsContinued": true}, func() error { return s.run(1) }, nil
	case "reverseContinue":
		return nil, func() error { return s.run(-1) }, nil
	case "next":
		return nil, func() error { return s.step(1, s.depth()) }, nil
	case "stepIn":
		return nil, func() error { return s.step(1, 1<<30) }, nil
	case "stepOut":
		return nil, func() error { return s.step(1, s.depth()-1) }, nil
	case "stepBack":
		return nil, func() error { return s.step(-1, s.depth()) }, nil
	}
	return nil, nil, fmt.Errorf("there is no request %s", command)
}

func (s *Server) programNumber() int64 {
	if s.history == nil {
		return 0
	}
	return s.history.trace.Program
}

// launch runs the kernel, and records a program of it.
func (s *Server) launch(a arguments) error {
	t, tensors, err := s.program.Record(a.Program)
	if err != nil {
		return err
	}
	h := NewHistory(t)
	if len(h.stops) == 0 {
		return fmt.Errorf("program %d has no line to stop at: is it in the grid?", a.Program)
	}
	s.history, s.at, s.stopped = h, 0, a.StopOnEntry == nil || *a.StopOnEntry
	s.tensors, s.failed = tensors, false
	return nil
}

func (s *Server) begin() error {
	if s.stopped || s.hit(0) {
		return s.halt("entry", "")
	}
	s.at = -1
	return s.run(1)
}

// setBreakpoints sets the breakpoints of a file. One at a line that the program does not come to is not
// verified.
func (s *Server) setBreakpoints(a arguments) any {
	file := absolute(a.Source.Path)
	s.breaks[file] = a.Breakpoints
	out := make([]object, len(a.Breakpoints))
	for i, b := range a.Breakpoints {
		out[i] = object{"verified": true, "line": b.Line}
		if s.history != nil && !s.history.reaches(file, b.Line) {
			out[i]["verified"] = false
			out[i]["message"] = fmt.Sprintf("program %d does not come to this line", s.programNumber())
		}
	}
	return object{"breakpoints": out}
}

func absolute(file string) string {
	if abs, err := filepath.Abs(file); err == nil {
		return abs
	}
	return file
}

func (s *Server) depth() int { return len(s.history.stops[s.at].frames) }

// hit reports whether a breakpoint stops the program at a stop.
func (s *Server) hit(at int) bool {
	f := s.history.stops[at].frames[0]
	if s.afterCall(f.file, f.line) {
		return true
	}
	return slices.ContainsFunc(s.breaks[absolute(f.file)], func(b breakpoint) bool {
		if b.Line != f.line {
			return false
		}
		return s.holds(b.Condition, at)
	})
}

// holds reports whether a condition is true at a stop; that of no text always is.
func (s *Server) holds(condition string, at int) bool {
	if condition == "" {
		return true
	}
	text, err := s.program.Eval(condition, s.scalars(at, 0))
	return err == nil && text == "True"
}

// afterCall reports whether a line follows a breakpoint() in the kernel's text.
func (s *Server) afterCall(file string, line int) bool {
	lines, ok := s.marked[file]
	if !ok {
		text, _ := os.ReadFile(file) // without the file there are no such lines
		lines = linesAfterCalls(string(text))
		s.marked[file] = lines
	}
	return lines[line]
}

// scalars returns the values of variables that are numbers, in the function so many calls up.
func (s *Server) scalars(at, up int) map[string]any {
	out := map[string]any{}
	for _, v := range s.history.variables(at, up) {
		if v.Len() != 1 {
			continue
		}
		if x, ok := v.Number(0); ok {
			out[v.Name] = x
		} else {
			out[v.Name] = v.Int(0)
		}
	}
	return out
}

// run goes on to the next breakpoint in a direction, or to the end.
func (s *Server) run(by int) error {
	for at := s.at + by; at >= 0 && at < len(s.history.stops); at += by {
		if s.hit(at) {
			s.at = at
			return s.halt("breakpoint", "")
		}
		if text := s.watched(at); text != "" {
			s.at = at
			return s.halt("data breakpoint", text)
		}
	}
	return s.border(by)
}

// step goes to the next stop in a direction that is no deeper than depth.
func (s *Server) step(by, depth int) error {
	for at := s.at + by; at >= 0 && at < len(s.history.stops); at += by {
		if len(s.history.stops[at].frames) <= depth {
			s.at = at
			return s.halt("step", "")
		}
	}
	return s.border(by)
}

// border is reached where the recording begins or ends.
func (s *Server) border(by int) error {
	s.at = max(s.at, 0)
	if by < 0 {
		s.at = 0
		return s.halt("entry", "the program begins here")
	}
	if f := s.history.trace.Fault; f != nil && !s.failed {
		s.at, s.failed = len(s.history.stops)-1, true
		return s.halt("exception", f.Error())
	}
	if s.history.trace.Cut {
		if err := s.event("output", object{"category": "important",
			"output": "the program goes on beyond what is recorded\n"}); err != nil {
			return err
		}
	}
	return s.event("terminated", nil)
}

func (s *Server) halt(reason, text string) error {
	s.lists = nil
	s.failed = s.failed && s.at == len(s.history.stops)-1 // it fails again after steps back
	body := object{"reason": reason, "threadId": 1, "allThreadsStopped": true}
	if text != "" {
		body["text"], body["description"] = text, text
	}
	return s.event("stopped", body)
}

// written returns the name of a function as its source has it: "scaled" of "total.scaled__fp32S16S__(1,)".
func written(name string) string {
	short, _, _ := strings.Cut(name, "__")
	if short = short[strings.LastIndexByte(short, '.')+1:]; short == "" {
		return name
	}
	return short
}

// stack returns the functions around the current line.
func (s *Server) stack() any {
	frames := s.history.stops[s.at].frames
	out := make([]object, len(frames))
	for i, f := range frames {
		name := written(f.name)
		if name == "" || i == len(frames)-1 {
			name = s.program.Name
		}
		out[i] = object{"id": i + 1, "name": name, "line": f.line, "column": 1,
			"source": source{filepath.Base(f.file), absolute(f.file)}}
	}
	return object{"stackFrames": out, "totalFrames": len(out)}
}
