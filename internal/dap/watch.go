package dap

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/target/interp"
)

// watch stops the program at lines that access some bytes of memory.
type watch struct {
	breakpoint
	addr  uint64
	bytes int
}

// watchable answers whether memory can be watched: what a pointer points to (x_ptr, x_ptr[5], an element of a
// block of pointers), or an address.
func (s *Server) watchable(a arguments) any {
	addr, bytes, err := s.place(a)
	if err != nil {
		return object{"dataId": nil, "description": err.Error()}
	}
	if a.Bytes > 0 {
		bytes = a.Bytes
	}
	text := fmt.Sprintf("%#x", addr)
	if len(s.tensors) > 0 {
		text = pointer(addr, bytes, s.tensors)
	}
	return object{"dataId": fmt.Sprintf("%#x:%d", addr, bytes), "description": text,
		"accessTypes": []string{"read", "write", "readWrite"}, "canPersist": false}
}

// place returns the bytes of memory that a request is about.
func (s *Server) place(a arguments) (addr uint64, bytes int, err error) {
	name := strings.TrimSpace(a.Name)
	if a.AsAddress {
		addr, err := strconv.ParseUint(name, 0, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("%q is no address", name)
		}
		return addr, 1, nil
	}
	if l := s.listed(a.VariablesReference); l != nil && l.value != nil {
		i, err := position(strings.Trim(name, "[]"), l.value.Shape)
		if err != nil {
			return 0, 0, err
		}
		return pointed(*l.value, i, 0)
	} else if l != nil {
		return s.pointedBy(name, l.up)
	}
	return s.pointedBy(name, s.up(a.FrameID))
}

// pointedBy returns what a pointer of a name, or with a subscript, points to.
func (s *Server) pointedBy(name string, up int) (addr uint64, bytes int, err error) {
	base, index := name, int64(0)
	g := subscript.FindStringSubmatch(name)
	if g != nil {
		base = g[1]
	}
	v, ok := s.named(base, up)
	if !ok {
		return 0, 0, fmt.Errorf("%q is no variable here", base)
	}
	if g != nil && len(v.Shape) > 0 {
		i, err := position(g[2], v.Shape)
		if err != nil {
			return 0, 0, err
		}
		return pointed(v, i, 0)
	}
	if g != nil {
		if index, err = strconv.ParseInt(strings.TrimSpace(g[2]), 10, 64); err != nil {
			return 0, 0, fmt.Errorf("%q is no index", g[2])
		}
	}
	if len(v.Shape) > 0 {
		return 0, 0, fmt.Errorf("%s is a block: choose one of its elements", base)
	}
	return pointed(v, 0, index)
}

// pointed returns the element that lies so many behind the one that an element of a value points to.
func pointed(v interp.TraceValue, i int, index int64) (addr uint64, bytes int, err error) {
	if v.Points == 0 {
		return 0, 0, fmt.Errorf("%s is no pointer: only memory can be watched", v.Name)
	}
	return uint64(v.Int(i) + index*int64(v.Points)), v.Points, nil
}

// setWatches sets the places that are watched.
func (s *Server) setWatches(list []breakpoint) any {
	s.watches = nil
	out := make([]object, len(list))
	for i, b := range list {
		addr, size, _ := strings.Cut(b.DataID, ":")
		from, err := strconv.ParseUint(addr, 0, 64)
		n, err2 := strconv.Atoi(size)
		if out[i] = (object{"verified": true}); err != nil || err2 != nil || n <= 0 {
			out[i] = object{"verified": false, "message": fmt.Sprintf("%q names no memory", b.DataID)}
			continue
		}
		s.watches = append(s.watches, watch{b, from, n})
	}
	return object{"breakpoints": out}
}

// watched returns what the line at a stop does with memory that is watched, "" for nothing.
func (s *Server) watched(at int) string {
	for _, w := range s.watches {
		for _, a := range s.history.accesses(at) {
			if w.meets(a) && s.holds(w.Condition, at) {
				return fmt.Sprintf("%s of %s", a.What, pointer(w.addr, w.bytes, s.tensors))
			}
		}
	}
	return ""
}

// meets reports whether an access is one that a watch is for.
func (w watch) meets(a interp.TraceAccess) bool {
	if a.What == "load" && (w.AccessType == "write" || w.AccessType == "") ||
		a.What == "store" && w.AccessType == "read" {
		return false
	}
	return a.Addr < w.addr+uint64(w.bytes) && w.addr < a.Addr+uint64(a.Bytes)
}
