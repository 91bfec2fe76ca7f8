package core

import (
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/safefile"
)

// TuneStore keeps the timings and choices of tunings: of kernels under @triton.autotune (TuneOptions.Store)
// and of the ops of package tunable. A result is found again for the same device model, driver, compiler and
// code alone; all others are ignored. A nil or a zero TuneStore keeps nothing.
type TuneStore struct {
	layers autotune.Layers
	memory *autotune.Memory
	closer io.Closer // closes the shared level; may be nil
}

// TuneStoreOptions says where a TuneStore keeps its results. Every place that is set is used; a result is
// looked for in their order. The zero value keeps results in memory.
type TuneStoreOptions struct {
	// Known is a JSON text that Save or `nereid tune --export` wrote, often an embedded file. It is only
	// read.
	Known []byte
	Dir   string // a folder with a file for each result, which processes share
	File  string // a JSON file in the form of Known, which processes share
	// Redis is a server that machines share, so that a fleet tunes once: redis://host:6379/0. It needs the
	// package nereid/redis. A server that does not answer costs tunings and nothing else.
	Redis string
	// Key signs results in Redis; those without its signature are ignored. "" means no signatures.
	Key      string
	ReadOnly bool         // write nothing but memory
	Logger   *slog.Logger // receives problems that are no errors; may be nil
}

// OpenTuneStore returns a store. A text, file or folder that exists and cannot be used is an error.
func OpenTuneStore(o TuneStoreOptions) (*TuneStore, error) {
	s := &TuneStore{memory: &autotune.Memory{}}
	s.layers = autotune.Layers{s.memory}
	if o.Known != nil {
		if _, err := s.Merge(o.Known); err != nil {
			return nil, err
		}
	}
	if o.Dir != "" {
		f := &autotune.Folder{Dir: o.Dir, ReadOnly: o.ReadOnly}
		if err := f.Check(); err != nil {
			return nil, fmt.Errorf("nereid: %w", err)
		}
		s.layers = append(s.layers, f)
	}
	if o.File != "" {
		f := &autotune.File{Name: o.File, ReadOnly: o.ReadOnly}
		if err := f.Check(); err != nil {
			return nil, fmt.Errorf("nereid: %s: %w", o.File, err)
		}
		s.layers = append(s.layers, f)
	}
	if o.Redis != "" {
		if err := s.share(o); err != nil {
			return nil, fmt.Errorf("nereid: %w", err)
		}
	}
	return s, nil
}

// share adds the level that machines share.
func (s *TuneStore) share(o TuneStoreOptions) error {
	level, err := cache.OpenShared(o.Redis)
	if err != nil {
		return err
	}
	l, ok := level.(autotune.Level)
	if !ok {
		return errors.Join(errors.New("the shared level of this program has no locks"), level.Close())
	}
	log := o.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	warn := func(err error) { log.Warn("nereid: the shared store of timings failed", "err", err) }
	s.layers = append(s.layers, &autotune.Shared{Level: l, Secret: o.Key, ReadOnly: o.ReadOnly, Warn: warn})
	s.closer = level
	return nil
}

// Records returns the records of a store, which may be nil.
func Records(s *TuneStore) autotune.Store {
	if s == nil {
		return autotune.Layers(nil)
	}
	return s.layers
}

// Merge adds the results of a JSON text that Save or `nereid tune --export` wrote, for as long as the store
// is open; results that are known here stay. It returns the number of results in the text.
func (s *TuneStore) Merge(data []byte) (int, error) {
	if s == nil || s.memory == nil {
		return 0, errNoTuneStore
	}
	list, err := autotune.Decode(data)
	if err != nil {
		return 0, fmt.Errorf("nereid: %w", err)
	}
	s.memory.Merge(list)
	return len(list), nil
}

// MergeFile adds the results of a file as Merge does.
func (s *TuneStore) MergeFile(name string) (int, error) {
	data, err := safefile.ReadNamed(name, maxTuneFile)
	if err != nil {
		return 0, err
	}
	n, err := s.Merge(data)
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return n, err
}

var errNoTuneStore = errors.New("nereid: the TuneStore is nil or empty: OpenTuneStore makes one")

// maxTuneFile bounds a file of results.
const maxTuneFile = 256 << 20

// Save writes the results that this store was given or has measured since it was opened, in the form that
// Merge reads.
func (s *TuneStore) Save(w io.Writer) error {
	if s == nil || s.memory == nil {
		return errNoTuneStore
	}
	data, err := autotune.Encode(s.memory.All())
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// Close closes the connection to the shared store, if there is one.
func (s *TuneStore) Close() error {
	if s == nil || s.closer == nil {
		return nil
	}
	return s.closer.Close()
}

// TuneConfig is a config of @triton.autotune: arguments of a launch that runs with it and tunes nothing.
type TuneConfig struct {
	Name    string  // as Triton writes it
	Args    []Named // the values of compile-time parameters
	Options Options // num_warps and the like
	Hook    bool    // it has a pre_hook, which a launch with these arguments does not call
}
