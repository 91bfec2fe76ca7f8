package selftest

import (
	"context"

	"github.com/nereid-lang/nereid"
)

// env is what a kind makes a case of: a device, shared memory, and memory for this case alone.
type env struct {
	*place
	*store
	seed uint64
	// owned is closed after the case.
	owned []interface{ Close() error }
	spare *spare
}

// work is a launch and what it must leave in memory.
type work struct {
	kernel   string
	source   string // text of the kernel; "": the kind's file has it
	launches []launch
	outs     []*output
}

// launch is a launch of the kernel.
type launch struct {
	grid nereid.Grid
	args []any // Options among them
}

// output is memory that a kernel writes.
type output struct {
	name   string
	dt     nereid.DType
	n      int            // elements
	words  *nereid.Tensor // with guards, as 32-bit words
	tensor *nereid.Tensor // the elements
	want   *image
	before *image // content before the launch; nil: poison
}

// output makes an output of n elements; want has the image that it must have.
func (e *env) output(name string, dt nereid.DType, n int, want *image) (*output, error) {
	guard := e.guard() / 4
	inside := rounded(n*dt.Size()) / 4
	words, err := e.spare.get(e, guard+inside+guard)
	if err != nil {
		return nil, err
	}
	o := &output{name: name, dt: dt, n: n, words: words, want: want}
	o.tensor = words.Slice(0, guard, guard+inside, 1).As(dt)
	return o, o.tensor.Err()
}

// shared makes an output whose image is the same for all cases with the key.
func (e *env) shared(key string, dt nereid.DType, n int, numbers func() ([]int32, error)) (*output, error) {
	want, err := once(e.store, "image "+dt.String()+" "+key, func() (*image, error) {
		values, err := numbers()
		if err != nil {
			return nil, err
		}
		return e.image(encode(dt, values))
	})
	if err != nil {
		return nil, err
	}
	return e.output("out", dt, n, want)
}

// close frees the memory of the case.
func (e *env) close() {
	for _, c := range e.owned {
		c.Close()
	}
	e.owned = nil
	e.spare.rewind()
}

// spare keeps a worker's output memory from case to case, because a GPU allocates slowly. A device that
// checks accesses gets memory of the right size each time.
type spare struct {
	bySize map[int][]*nereid.Tensor
	used   map[int]int
}

func newSpare() *spare { return &spare{map[int][]*nereid.Tensor{}, map[int]int{}} }

func (s *spare) get(e *env, words int) (*nereid.Tensor, error) {
	list := s.bySize[words]
	if i := s.used[words]; i < len(list) {
		s.used[words]++
		return list[i], nil
	}
	t, err := nereid.NewTensor(e.dev, nereid.Int32, words)
	if err != nil {
		return nil, err
	}
	if !e.gpu {
		e.owned = append(e.owned, t)
		return t, nil
	}
	s.bySize[words] = append(list, t)
	s.used[words]++
	return t, nil
}

// rewind makes all memory free again, and gives most back where sizes are many.
func (s *spare) rewind() {
	clear(s.used)
	if len(s.bySize) > 24 {
		s.close()
	}
}

func (s *spare) close() {
	for _, list := range s.bySize {
		for _, t := range list {
			t.Close()
		}
	}
	clear(s.bySize)
}

// own makes an output whose image is for this case alone.
func (e *env) own(name string, dt nereid.DType, n int, want []byte) (*output, error) {
	img, err := e.image(want)
	if err != nil {
		return nil, err
	}
	e.owned = append(e.owned, img)
	return e.output(name, dt, n, img)
}

// launch runs the work once on a stream, and sets flying when the first launch is queued.
func (w *work) launch(k *nereid.Kernel, s *nereid.Stream, flying *bool) error {
	for _, l := range w.launches {
		if err := k.Launch(s, l.grid, l.args...); err != nil {
			return err
		}
		*flying = true
	}
	return nil
}

// open parses a file of kernels anew, so that compiled code is freed with the case.
func open(conf nereid.Config, file, kernel string) (*nereid.Kernel, error) {
	text, err := kernels.ReadFile("kernels/" + file)
	if err != nil {
		return nil, err
	}
	return parse(conf, file, kernel, text)
}

// parse parses the text of a file.
func parse(conf nereid.Config, file, kernel string, text []byte) (*nereid.Kernel, error) {
	m, err := nereid.Parse("selftest/"+file, text, nereid.With(conf))
	if err != nil {
		return nil, err
	}
	return m.Kernel(kernel)
}

// open parses the kernel of the work.
func (w *work) open(conf nereid.Config, file string) (*nereid.Kernel, error) {
	if w.source != "" {
		return parse(conf, file, w.kernel, []byte(w.source))
	}
	return open(conf, file, w.kernel)
}

// streamOf returns a stream for one case, which ends a launch that hangs.
func streamOf(ctx context.Context, dev *nereid.Device) (*nereid.Stream, func(), error) {
	ctx, cancel := context.WithTimeout(ctx, hang)
	s, err := dev.NewStream(ctx)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	return s, func() { s.Close(); cancel() }, nil
}
