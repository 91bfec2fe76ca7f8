//go:build !linux

package sample

import "errors"

// Sampler counts where the threads of the process are.
type Sampler struct{}

// Start returns an error: threads are sampled on Linux alone.
func Start() (*Sampler, error) { return nil, errors.New("threads are sampled on Linux alone") }

// Poll does nothing.
func (s *Sampler) Poll() error { return nil }

// Counts returns nothing.
func (s *Sampler) Counts() *Counts { return &Counts{} }

// Stop does nothing.
func (s *Sampler) Stop() {}
