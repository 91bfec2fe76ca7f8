package ort

import (
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/dl"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/onnx"
)

// Session is a model in ONNX Runtime.
type Session struct {
	Inputs, Outputs []onnx.Value
	r               *Runtime
	session         uintptr
}

// Options says how a session runs a model.
type Options struct {
	Libraries []string // of operators
	Plain     bool     // the graph stays as it is: ONNX Runtime optimizes nothing
	Threads   int      // 0 is all cores
}

// Load makes a session of a model's file.
func (r *Runtime) Load(model string, o Options) (_ *Session, err error) {
	var options uintptr
	if err := r.call(createSessionOptions, address(&options)); err != nil {
		return nil, err
	}
	defer r.release(releaseSessionOptions, options)
	const errorsOnly = 3
	if err := r.call(setSessionLogSeverityLevel, options, errorsOnly); err != nil {
		return nil, err
	}
	if o.Plain {
		if err := r.call(setGraphOptimizationLevel, options, 0); err != nil {
			return nil, err
		}
	}
	if err := r.call(setIntraOpNumThreads, options, uintptr(o.Threads)); err != nil {
		return nil, err
	}
	for _, library := range o.Libraries {
		name := cString(library)
		if err := r.call(registerCustomOpsLibrary, options, address(name)); err != nil {
			return nil, fmt.Errorf("ONNX Runtime does not take %s: %w", library, err)
		}
		runtime.KeepAlive(name)
	}
	s := &Session{r: r}
	name := cString(model)
	if err := r.call(createSession, r.env, address(name), options, address(&s.session)); err != nil {
		return nil, fmt.Errorf("ONNX Runtime does not load the model: %w", err)
	}
	runtime.KeepAlive(name)
	s.Inputs, err = s.values(sessionGetInputCount, sessionGetInputName, sessionGetInputTypeInfo)
	if err == nil {
		s.Outputs, err = s.values(sessionGetOutputCount, sessionGetOutputName, sessionGetOutputTypeInfo)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close frees the session.
func (s *Session) Close() { s.r.release(releaseSession, s.session) }

// values returns the inputs or the outputs with their types.
func (s *Session) values(count, name, typeInfo int) (out []onnx.Value, err error) {
	var n uintptr
	if err := s.r.call(count, s.session, address(&n)); err != nil {
		return nil, err
	}
	for i := range n {
		var text, info uintptr
		if err := s.r.call(name, s.session, i, s.r.allocator, address(&text)); err != nil {
			return nil, err
		}
		v := onnx.Value{Name: dl.GoString(pointer[byte](text))}
		if err := s.r.call(allocatorFree, s.r.allocator, text); err != nil {
			return nil, err
		}
		if err := s.r.call(typeInfo, s.session, i, address(&info)); err != nil {
			return nil, err
		}
		var tensor uintptr // part of info
		if err = s.r.call(castTypeInfoToTensorInfo, info, address(&tensor)); err == nil && tensor != 0 {
			err = s.r.describe(tensor, &v)
		}
		s.r.release(releaseTypeInfo, info)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// describe reads an element type and a shape.
func (r *Runtime) describe(info uintptr, v *onnx.Value) error {
	var element int32
	var rank uintptr
	if err := r.call(getTensorElementType, info, address(&element)); err != nil {
		return err
	}
	v.Element = int(element)
	if err := r.call(getDimensionsCount, info, address(&rank)); err != nil {
		return err
	}
	dims, names := make([]int64, rank+1), make([]uintptr, rank+1)
	if err := r.call(getDimensions, info, address(&dims[0]), rank); err != nil {
		return err
	}
	if err := r.call(getSymbolicDimensions, info, address(&names[0]), rank); err != nil {
		return err
	}
	v.Dims = make([]onnx.Dim, rank)
	for i := range v.Dims {
		v.Dims[i] = onnx.Dim{Size: dims[i]}
		if names[i] != 0 {
			v.Dims[i].Name = dl.GoString(pointer[byte](names[i]))
		}
	}
	return nil
}

// Tensor is a tensor in host memory.
type Tensor struct {
	Element dtype.Type
	Dims    []int64
	Data    []byte
}

// Run runs the model on inputs in the order of Inputs, and returns copies of the outputs. An output that
// is no tensor of a type that dtype has is nil.
func (s *Session) Run(inputs []*Tensor) (out []*Tensor, err error) {
	values := make([]uintptr, len(s.Inputs)+len(s.Outputs)+1)
	defer func() {
		for _, v := range values {
			s.r.release(releaseValue, v)
		}
	}()
	names := make([]uintptr, len(s.Inputs)+len(s.Outputs)+1)
	var alive []*byte
	for i, v := range append(append([]onnx.Value(nil), s.Inputs...), s.Outputs...) {
		alive = append(alive, cString(v.Name))
		names[i] = address(alive[i])
	}
	for i, t := range inputs {
		dims := append(append([]int64(nil), t.Dims...), 0)
		data := append(t.Data, 0)
		err := s.r.call(createTensorWithDataAsOrtValue, s.r.memory, address(&data[0]), uintptr(len(t.Data)),
			address(&dims[0]), uintptr(len(t.Dims)), uintptr(t.Element.ONNX()), address(&values[i]))
		if err != nil {
			return nil, err
		}
		alive = append(alive, &data[0])
		runtime.KeepAlive(dims)
	}
	n := uintptr(len(s.Inputs))
	err = s.r.call(run, s.session, 0, address(&names[0]), address(&values[0]), n, address(&names[n]),
		uintptr(len(s.Outputs)), address(&values[n]))
	runtime.KeepAlive(alive)
	runtime.KeepAlive(names)
	for i := range s.Outputs {
		if err != nil {
			return nil, err
		}
		var t *Tensor
		t, err = s.r.read(values[int(n)+i])
		out = append(out, t)
	}
	return out, err
}

// read copies a tensor.
func (r *Runtime) read(value uintptr) (*Tensor, error) {
	var yes int32
	if err := r.call(isTensor, value, address(&yes)); err != nil || yes == 0 {
		return nil, err
	}
	var info, data uintptr
	if err := r.call(getTensorTypeAndShape, value, address(&info)); err != nil {
		return nil, err
	}
	defer r.release(releaseTensorInfo, info)
	var v onnx.Value
	if err := r.describe(info, &v); err != nil {
		return nil, err
	}
	element, ok := dtype.OfONNX(v.Element)
	if !ok {
		return nil, nil
	}
	t := &Tensor{Element: element}
	size := int64(element.Size())
	for _, d := range v.Dims {
		t.Dims = append(t.Dims, d.Size)
		if size *= d.Size; size < 0 || size > math.MaxInt32*int64(64) {
			return nil, fmt.Errorf("an output has %d bytes", size)
		}
	}
	if err := r.call(getTensorMutableData, value, address(&data)); err != nil {
		return nil, err
	}
	if size > 0 {
		t.Data = append(t.Data, unsafe.Slice(pointer[byte](data), size)...)
	}
	return t, nil
}
