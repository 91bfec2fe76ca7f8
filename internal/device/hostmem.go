package device

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// hostMemLarge is the number of bytes from which on HostRoom asks the system.
const hostMemLarge = 32 << 20

// HostBytes returns zeroed host memory, or an error if there is not enough. Without the check, the runtime or
// the system would end the process, from which no program can recover.
func HostBytes(size int) ([]byte, error) {
	if err := HostRoom(size); err != nil {
		return nil, err
	}
	return make([]byte, size), nil
}

// HostRoom returns an error if the host has less memory left than size.
func HostRoom(size int) error {
	if size < 0 {
		return fmt.Errorf("%d bytes of memory make no sense", size)
	}
	if size < hostMemLarge {
		return nil
	}
	if have, ok := available(); ok && uint64(size) > have {
		return fmt.Errorf("%d MiB of memory are needed, and %d MiB are available", size>>20, have>>20)
	}
	if err := probe(size); err != nil {
		return fmt.Errorf("the system does not give %d MiB of memory: %w", size>>20, err)
	}
	return nil
}

// available returns the memory that can be used without ending a process: Linux's estimate, or that of the
// process's control group if it is less.
func available() (free uint64, ok bool) {
	if kb, found := field("/proc/meminfo", "MemAvailable:"); found {
		free, ok = kb<<10, true
	}
	const group = "/sys/fs/cgroup/"
	for _, f := range []struct{ limit, used, stat, cached string }{
		{"memory.max", "memory.current", "memory.stat", "inactive_file"},
		{"memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat",
			"total_inactive_file"},
	} {
		limit, found := number(group + f.limit)
		used, too := number(group + f.used)
		if !found || !too {
			continue
		}
		cached, _ := field(group+f.stat, f.cached) // given back when needed
		left := limit - min(limit, used-min(used, cached))
		if !ok || left < free {
			free, ok = left, true
		}
	}
	return free, ok
}

// number returns the number that a file holds.
func number(file string) (uint64, bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(data)), 10, 64)
	return n, err == nil
}

// field returns the number behind a name in a file of such lines.
func field(file, name string) (uint64, bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	for line := range bytes.Lines(data) {
		if f := strings.Fields(string(line)); len(f) >= 2 && f[0] == name {
			n, err := strconv.ParseUint(f[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// ReadHost is Buffer.Read of a buffer in host memory.
func ReadHost(b []byte, at int, into []byte) error {
	if err := CheckRange("read", at, len(into), len(b)); err != nil {
		return err
	}
	copy(into, b[at:])
	return nil
}

// WriteHost is Buffer.Write of a buffer in host memory.
func WriteHost(b []byte, at int, from []byte) error {
	if err := CheckRange("write", at, len(from), len(b)); err != nil {
		return err
	}
	copy(b[at:], from)
	return nil
}

// CheckAccess returns an error for bytes that a buffer of size bytes does not have, or has no longer.
func CheckAccess(what string, at, n, size int, closed bool) error {
	if closed {
		return fmt.Errorf("%s of a buffer that is %w", what, ErrClosed)
	}
	return CheckRange(what, at, n, size)
}

// CheckRange returns an error unless a buffer of size bytes has n bytes at a place.
func CheckRange(what string, at, n, size int) error {
	if at < 0 || at > size || n < 0 || n > size-at {
		return fmt.Errorf("%s of %d bytes at %d of a buffer of %d bytes", what, n, at, size)
	}
	return nil
}
