package driver

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"unsafe"
)

// Module is code that is loaded on a device.
type Module struct {
	ctx    *Context
	ref    moduleRef
	closed atomic.Bool // its functions cannot be launched any more
	// Log is the output of the driver's compiler.
	Log string
}

// JITOptions sets options of the driver's compiler of PTX. The zero value optimizes most.
type JITOptions struct {
	OptLevel     *int // 0 to 4; nil means 4
	MaxRegisters int  // most registers of each thread; 0 means no bound
	Target       int  // compute capability to compile for, 90 for sm_90; 0 means the device's own
	LineInfo     bool // keep the lines of the source, for profilers and debuggers
	DebugInfo    bool // also unoptimized code
	Verbose      bool // registers and spills in the log
}

// jitOption is a CUjit_option.
type jitOption uint32

const (
	jitMaxRegisters jitOption = 0
	jitInfoLog      jitOption = 3
	jitInfoLogSize  jitOption = 4
	jitErrorLog     jitOption = 5
	jitErrorLogSize jitOption = 6
	jitOptLevel     jitOption = 7
	jitTarget       jitOption = 9
	jitDebugInfo    jitOption = 11
	jitVerbose      jitOption = 12
	jitLineInfo     jitOption = 13
)

// jitCall holds the options of a compilation in the driver's form and the logs that it writes. The driver
// keeps the arrays until the end, so they are pinned until release.
type jitCall struct {
	keys       []jitOption
	values     []uintptr
	info, errs []byte
	pinner     runtime.Pinner
}

const logSize = 16 << 10

func newJITCall(o JITOptions) *jitCall {
	j := &jitCall{info: make([]byte, logSize), errs: make([]byte, logSize)}
	j.pinner.Pin(&j.info[0])
	j.pinner.Pin(&j.errs[0])
	j.add(jitInfoLog, uintptr(unsafe.Pointer(&j.info[0])))
	j.add(jitInfoLogSize, logSize)
	j.add(jitErrorLog, uintptr(unsafe.Pointer(&j.errs[0])))
	j.add(jitErrorLogSize, logSize)
	if o.OptLevel != nil {
		j.add(jitOptLevel, uintptr(*o.OptLevel))
	}
	if o.MaxRegisters > 0 {
		j.add(jitMaxRegisters, uintptr(o.MaxRegisters))
	}
	if o.Target > 0 {
		j.add(jitTarget, uintptr(o.Target))
	}
	for _, flag := range []struct {
		on  bool
		key jitOption
	}{{o.LineInfo, jitLineInfo}, {o.DebugInfo, jitDebugInfo}, {o.Verbose, jitVerbose}} {
		if flag.on {
			j.add(flag.key, 1)
		}
	}
	j.pinner.Pin(&j.keys[0])
	j.pinner.Pin(&j.values[0])
	return j
}

func (j *jitCall) add(key jitOption, value uintptr) {
	j.keys = append(j.keys, key)
	j.values = append(j.values, value)
}

func (j *jitCall) release() { j.pinner.Unpin() }

// log returns the compiler's output, errors first.
func (j *jitCall) log() string {
	var parts []string
	for _, buffer := range [][]byte{j.errs, j.info} {
		if i := bytes.IndexByte(buffer, 0); i >= 0 {
			buffer = buffer[:i]
		}
		if text := strings.TrimSpace(string(buffer)); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n")
}

// explain adds the log to an error.
func (j *jitCall) explain(err error) error {
	if log := j.log(); err != nil && log != "" {
		return explain(err, "%s", log)
	}
	return err
}

// isPTX reports whether an image is text, not a cubin or fatbin, which begin with bytes that no text has.
func isPTX(image []byte) bool {
	return len(image) > 0 && !bytes.HasPrefix(image, []byte("\x7fELF")) &&
		!bytes.HasPrefix(image, []byte{0x50, 0xed, 0x55, 0xba})
}

// terminated returns an image in the driver's form: PTX must end in a zero byte.
func terminated(image []byte) []byte {
	if isPTX(image) && image[len(image)-1] != 0 {
		return append(image[:len(image):len(image)], 0)
	}
	return image
}

// compiling bounds the compilations at once to the number of processors: more would only take memory.
var compiling = make(chan struct{}, runtime.NumCPU())

// Load loads PTX, which the driver compiles, or a cubin. The caller unloads it. An error contains the
// compiler's log.
func (c *Context) Load(image []byte, opts JITOptions) (*Module, error) {
	if len(image) == 0 {
		return nil, fmt.Errorf("cuda: an empty module")
	}
	if isPTX(image) {
		compiling <- struct{}{}
		defer func() { <-compiling }()
	}
	image = terminated(image)
	j := newJITCall(opts)
	defer j.release()
	m := &Module{ctx: c}
	err := c.do("cuModuleLoadDataEx", func() Result {
		return c.driver.raw.moduleLoadDataEx(&m.ref, &image[0], uint32(len(j.keys)), &j.keys[0], &j.values[0])
	})
	runtime.KeepAlive(image)
	if err != nil {
		return nil, j.explain(err)
	}
	m.Log = j.log()
	return m, nil
}

// Unload removes the code. Its functions must not be used again.
func (m *Module) Unload() error {
	if m.ref == 0 {
		return nil
	}
	ref := m.ref
	m.ref = 0
	return m.ctx.do("cuModuleUnload", func() Result { return m.ctx.driver.raw.moduleUnload(ref) })
}

// Global returns the address and size of a variable of the module.
func (m *Module) Global(name string) (DevicePtr, int, error) {
	var p DevicePtr
	var n uintptr
	err := m.ctx.do("cuModuleGetGlobal", func() Result {
		return m.ctx.driver.raw.moduleGetGlobal(&p, &n, m.ref, name)
	})
	return p, int(n), explain(err, "variable %s", name)
}
