package sample

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// Sampler counts where the threads of the process are. Linux interrupts each after Period of its processor's
// time and writes the address to a ring of its own, which Poll empties. One goroutine uses it.
type Sampler struct {
	rings  map[int]*ring // by thread
	counts Counts
}

// ring is what Linux writes the samples of a thread to.
type ring struct {
	fd   int
	data []byte // a page that describes the ring, and the ring
}

// What perf_event_open takes, by the header linux/perf_event.h.
const (
	typeSoftware  = 1
	countCPUClock = 0
	sampleIP      = 1
	excludeKernel = 1 << 5
	excludeHV     = 1 << 6
	closeOnExec   = 8
	attrBytes     = 112
	headAt        = 1024 // of the first page: how far Linux has written
	tailAt        = 1032 // and how far the ring is empty
	recordLost    = 2
	recordSample  = 9
)

// Start begins to sample the threads that there are. The error says what Linux refuses.
func Start() (*Sampler, error) {
	s := &Sampler{rings: map[int]*ring{}}
	if err := s.open(syscall.Gettid()); err != nil {
		return nil, err
	}
	return s, s.Poll()
}

// Poll counts what was sampled since the last call, and begins to sample new threads. A thread's ring has
// room for some 60 ms.
func (s *Sampler) Poll() error {
	for _, r := range s.rings {
		r.drain(&s.counts)
	}
	list, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	there := map[int]bool{}
	for _, e := range list {
		tid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		there[tid] = true
		if s.rings[tid] == nil {
			_ = s.open(tid) // it may have ended
		}
	}
	for tid, r := range s.rings {
		if !there[tid] {
			r.drain(&s.counts)
			r.close()
			delete(s.rings, tid)
		}
	}
	return nil
}

// Counts returns what has been counted.
func (s *Sampler) Counts() *Counts { return &s.counts }

// Stop ends the sampling.
func (s *Sampler) Stop() {
	for _, r := range s.rings {
		r.drain(&s.counts)
		r.close()
	}
	s.rings = nil
}

// open begins to sample a thread.
func (s *Sampler) open(tid int) error {
	var attr [attrBytes]byte
	le := binary.LittleEndian
	le.PutUint32(attr[0:], typeSoftware)
	le.PutUint32(attr[4:], attrBytes)
	le.PutUint64(attr[8:], countCPUClock)
	le.PutUint64(attr[16:], uint64(Period.Nanoseconds()))
	le.PutUint64(attr[24:], sampleIP)
	le.PutUint64(attr[40:], excludeKernel|excludeHV)
	none := -1 // any processor, no group
	fd, _, failed := syscall.Syscall6(syscall.SYS_PERF_EVENT_OPEN, uintptr(unsafe.Pointer(&attr[0])),
		uintptr(tid), uintptr(none), uintptr(none), closeOnExec, 0)
	if failed != 0 {
		return refused(failed)
	}
	data, err := syscall.Mmap(int(fd), 0, 2*os.Getpagesize(), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_SHARED)
	if err != nil {
		syscall.Close(int(fd))
		return fmt.Errorf("no memory for samples: %w", err)
	}
	s.rings[tid] = &ring{int(fd), data}
	return nil
}

// refused says why Linux does not sample.
func refused(failed syscall.Errno) error {
	level, _ := os.ReadFile("/proc/sys/kernel/perf_event_paranoid")
	return fmt.Errorf("linux samples no threads here: perf_event_open: %w (kernel.perf_event_paranoid is "+
		"%s; containers often forbid the call)", failed, strings.TrimSpace(string(level)))
}

// drain counts the samples in the ring.
func (r *ring) drain(c *Counts) {
	page := os.Getpagesize()
	head := atomic.LoadUint64((*uint64)(unsafe.Pointer(&r.data[headAt])))
	tailWord := (*uint64)(unsafe.Pointer(&r.data[tailAt]))
	at := func(pos uint64, n int) []byte { // records may go over the end
		out := make([]byte, n)
		for i := range out {
			out[i] = r.data[page+int((pos+uint64(i))%uint64(page))]
		}
		return out
	}
	tail := *tailWord
	for tail < head {
		h := at(tail, 8)
		size := binary.LittleEndian.Uint16(h[6:])
		if size < 8 {
			break
		}
		switch binary.LittleEndian.Uint32(h) {
		case recordSample:
			c.add(binary.LittleEndian.Uint64(at(tail+8, 8)))
		case recordLost:
			c.Lost += int(binary.LittleEndian.Uint64(at(tail+16, 8)))
		}
		tail += uint64(size)
	}
	atomic.StoreUint64(tailWord, head)
}

func (r *ring) close() {
	_ = syscall.Munmap(r.data)
	_ = syscall.Close(r.fd)
}
