//go:build amd64 || arm64

package cpu

import (
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device"
)

// arena is memory that this process shares with its children at the same addresses. The file ends behind the
// allocated part: an access beyond it is a fault.
type arena struct {
	file *os.File
	base uintptr
	size int

	mu    sync.Mutex
	top   int           // size of the file
	spare map[int][]int // free blocks by size
}

// block is a piece of an arena. Its size is a power of two and whole pages.
type block struct{ at, size int }

const page = 4096

// newArena maps the arena at an address that is likely to be free in children too: far from where the system
// and Go map memory.
func newArena() (*arena, error) {
	name, _ := syscall.BytePtrFromString("nereid")
	const closeOnExec = 1
	fd, _, errno := syscall.Syscall(memfdCreate, uintptr(unsafe.Pointer(name)), closeOnExec, 0)
	if errno != 0 {
		return nil, fmt.Errorf("no shared memory: memfd_create: %w", errno)
	}
	file := os.NewFile(fd, "nereid arena")
	for _, size := range []int{1 << 39, 1 << 36, 1 << 33} {
		for i := range uintptr(16) {
			base := uintptr(0x200000000000) + i<<40
			if errno = mapArena(fd, base, size); errno == 0 {
				return &arena{file: file, base: base, size: size, spare: map[int][]int{}}, nil
			}
		}
	}
	file.Close()
	return nil, fmt.Errorf("no addresses for shared memory: mmap: %w", errno)
}

func mapArena(fd, base uintptr, size int) syscall.Errno {
	const noReserve, fixedNoReplace = 0x4000, 0x100000
	at, _, errno := syscall.Syscall6(syscall.SYS_MMAP, base, uintptr(size),
		syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED|noReserve|fixedNoReplace, fd, 0)
	if errno == 0 && at != base { // a kernel that does not know the flag
		syscall.Syscall(syscall.SYS_MUNMAP, at, uintptr(size), 0)
		return syscall.EEXIST
	}
	return errno
}

// holds reports whether an address is in the arena.
func (a *arena) holds(addr uint64) bool { return uintptr(addr)-a.base < uintptr(a.size) }

// alloc returns a block of at least n bytes with arbitrary contents.
func (a *arena) alloc(n int) (block, error) {
	size := max(page, 1<<bits.Len(uint(max(n, 1)-1)))
	a.mu.Lock()
	defer a.mu.Unlock()
	if list := a.spare[size]; len(list) > 0 {
		a.spare[size] = list[:len(list)-1]
		return block{list[len(list)-1], size}, nil
	}
	if size > a.size-a.top {
		return block{}, fmt.Errorf("no room for %d bytes in the shared memory of isolated launches: close "+
			"tensors", n)
	}
	if err := a.file.Truncate(int64(a.top + size)); err != nil {
		return block{}, err
	}
	a.top += size
	return block{a.top - size, size}, nil
}

func (a *arena) free(b block) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.spare[b.size] = append(a.spare[b.size], b.at)
}

func (a *arena) bytes(b block) []byte {
	at := a.base + uintptr(b.at)
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), b.size)
}

// child is a process that runs launches. One goroutine at a time uses it.
type child struct {
	cmd  *exec.Cmd
	conn *os.File
	enc  *json.Encoder
	dec  *json.Decoder
	said *head
	has  map[uint64]bool // kernels that it holds
}

// head keeps the first bytes written to it.
type head struct {
	mu   sync.Mutex
	text []byte
}

func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	const most = 8 << 10
	h.text = append(h.text, p[:min(len(p), most-min(most, len(h.text)))]...)
	return len(p), nil
}

// startTries bounds how often a child is started whose own memory lies where the arena must be: Go chooses
// the place of its heap at random in each process.
const startTries = 16

// start starts a child that has mapped the arena.
func (a *arena) start() (*child, error) {
	var how *device.Crash
	for range startTries {
		c, err := a.startOnce()
		if err != nil {
			return nil, err
		}
		if _, err := io.ReadFull(c.conn, make([]byte, 1)); err == nil {
			return c, nil
		}
		how = c.end()
	}
	return nil, fmt.Errorf("no child process: %s", how.Detail)
}

// startOnce starts this program again, in which ServeIsolated takes over and says when it is ready.
func (a *arena) startOnce() (*child, error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("no child process: socketpair: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "child"), os.NewFile(uintptr(fds[1]), "parent")
	defer theirs.Close()
	c := &child{conn: ours, said: &head{}, has: map[uint64]bool{}, enc: json.NewEncoder(ours),
		dec: json.NewDecoder(ours)}
	c.cmd = exec.Command("/proc/self/exe")
	c.cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d,%d", isolatedEnv, a.base, a.size), "GOTRACEBACK=none")
	c.cmd.ExtraFiles = []*os.File{theirs, a.file}
	c.cmd.Stderr = c.said
	if err := c.cmd.Start(); err != nil {
		ours.Close()
		return nil, fmt.Errorf("no child process: %w", err)
	}
	return c, nil
}

func (c *child) call(req *isolationRequest) (*isolationReply, error) {
	if err := c.enc.Encode(req); err != nil {
		return nil, err
	}
	var reply isolationReply
	if err := c.dec.Decode(&reply); err != nil {
		return nil, err
	}
	return &reply, nil
}

// kill ends the process. Any goroutine may call it.
func (c *child) kill() { c.cmd.Process.Signal(syscall.SIGKILL) }

// end waits for the process and returns how it ended.
func (c *child) end() *device.Crash {
	err := c.cmd.Wait()
	c.conn.Close()
	how := &device.Crash{Detail: fmt.Sprint(err)}
	c.said.mu.Lock()
	defer c.said.mu.Unlock()
	text := string(c.said.text)
	if m := crashSignal.FindStringSubmatch(text); m != nil {
		how.Signal = m[1] + m[2]
	} else if s, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() &&
		s.Signal() != syscall.SIGKILL {
		how.Signal = signalNames[s.Signal()]
	}
	if text != "" {
		how.Detail += ": " + strings.TrimSpace(text)
	}
	return how
}

var signalNames = map[syscall.Signal]string{
	syscall.SIGSEGV: "SIGSEGV", syscall.SIGBUS: "SIGBUS", syscall.SIGILL: "SIGILL", syscall.SIGFPE: "SIGFPE",
	syscall.SIGABRT: "SIGABRT",
	syscall.SIGTRAP: "SIGTRAP",
}

// ServeIsolated turns a process started as a child into a server of launches and does not return. In other
// processes it does nothing.
func ServeIsolated() {
	spec := os.Getenv(isolatedEnv)
	if spec == "" {
		return
	}
	os.Unsetenv(isolatedEnv)
	var base uintptr
	var size int
	if _, err := fmt.Sscanf(spec, "%d,%d", &base, &size); err != nil {
		return
	}
	if errno := mapArena(4, base, size); errno != 0 {
		fmt.Fprintln(os.Stderr, "the shared memory has no place in the child process:", errno)
		os.Exit(3)
	}
	parent := os.Getppid()
	go func() { // native code does not notice that the parent is gone
		for range time.Tick(time.Second) {
			if os.Getppid() != parent {
				os.Exit(0)
			}
		}
	}()
	conn := os.NewFile(3, "parent")
	if _, err := conn.Write([]byte{1}); err != nil {
		os.Exit(3)
	}
	if err := serve(conn); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(0)
}
