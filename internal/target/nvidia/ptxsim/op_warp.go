package ptxsim

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/nereid-lang/nereid/internal/target/simmem"
)

var warpOps = map[string]decoder{"shfl": shfl, "vote": vote, "activemask": activeMask, "redux": redux,
	"elect": elect, "match": match}

// shfl moves a value between the lanes of a warp: all four ways of choosing the source.
func shfl(s *stmt) (action, error) {
	if err := s.need(4); err != nil {
		return nil, err
	}
	t := types["b32"]
	outs := []operand{s.ops[0]}
	if s.ops[0].kind == isPair {
		outs = s.ops[0].elems
	}
	a, b, clamp := s.src(1, t), s.src(2, t), s.src(3, t)
	mode := s.parts[len(s.parts)-2]
	return func(c *block, act []int32) {
		var vals, froms [32]uint64
		var here uint32
		for _, th := range act {
			vals[th&31] = a.get(c, th)
			here |= 1 << (th & 31)
		}
		var ok [32]bool
		for _, th := range act {
			lane := int(th & 31)
			bv, cv := int(b.get(c, th)&31), clamp.get(c, th)
			seg, cl := int(cv>>8&31), int(cv&31)
			top, low := lane&seg|cl&^seg, lane&seg
			j := 0
			switch mode {
			case "up":
				j = lane - bv
				ok[lane] = j >= top
			case "down":
				j = lane + bv
				ok[lane] = j <= top
			case "bfly":
				j = lane ^ bv
				ok[lane] = j <= top
			default:
				j = low | bv&^seg
				ok[lane] = j <= top
			}
			if !ok[lane] {
				j = lane
			}
			if here>>uint(j)&1 == 0 {
				c.fail(th, "lane %d reads lane %d, which is not there", lane, j)
			}
			froms[lane] = vals[j]
		}
		for _, th := range act {
			if outs[0].kind == isReg {
				c.set(outs[0].reg, th, froms[th&31])
			}
			if len(outs) > 1 && outs[1].kind == isReg {
				c.set(outs[1].reg, th, truth(ok[th&31]))
			}
		}
	}, nil
}

func vote(s *stmt) (action, error) {
	d, err := s.dst(0)
	p := s.ops[1]
	return func(c *block, act []int32) {
		var set, all uint32
		for _, t := range act {
			all |= 1 << (t & 31)
			set |= uint32(p.get(c, t)&1) << (t & 31)
		}
		var v uint64
		switch {
		case s.has("ballot"):
			v = uint64(set)
		case s.has("all"):
			v = truth(set == all)
		case s.has("any"):
			v = truth(set != 0)
		case s.has("uni"):
			v = truth(set == 0 || set == all)
		}
		for _, t := range act {
			c.set(d, t, v)
		}
	}, err
}

func activeMask(s *stmt) (action, error) {
	d, err := s.dst(0)
	return func(c *block, act []int32) {
		var m uint64
		for _, t := range act {
			m |= 1 << (t & 31)
		}
		for _, t := range act {
			c.set(d, t, m)
		}
	}, err
}

func elect(s *stmt) (action, error) {
	outs := s.ops[0].elems
	if len(outs) != 2 {
		return nil, fmt.Errorf("elect has two results")
	}
	return func(c *block, act []int32) {
		for i, t := range act {
			if outs[0].kind == isReg {
				c.set(outs[0].reg, t, uint64(act[0]&31))
			}
			c.set(outs[1].reg, t, truth(i == 0))
		}
	}, nil
}

// match decodes match.any, which finds the lanes that hold the same value.
func match(s *stmt) (action, error) {
	if !s.has("any") {
		return nil, fmt.Errorf("match.%s", strings.Join(s.parts, "."))
	}
	d, err := s.dst(0)
	a := s.src(1, s.typ())
	return func(c *block, act []int32) {
		masks := map[uint64]uint64{}
		for _, t := range act {
			masks[a.get(c, t)] |= 1 << (t & 31)
		}
		for _, t := range act {
			c.set(d, t, masks[a.get(c, t)])
		}
	}, err
}

// redux reduces over a warp.
func redux(s *stmt) (action, error) {
	t := s.typ()
	d, err := s.dst(0)
	a := s.src(1, t)
	return func(c *block, act []int32) {
		acc := a.get(c, act[0])
		for _, th := range act[1:] {
			v := a.get(c, th)
			switch {
			case s.has("and"):
				acc &= v
			case s.has("or"):
				acc |= v
			case s.has("xor"):
				acc ^= v
			case s.has("add"):
				acc = t.mask(acc + v)
			case s.has("min"):
				acc = intBinary["min"](t, s)(acc, v)
			case s.has("max"):
				acc = intBinary["max"](t, s)(acc, v)
			}
		}
		for _, th := range act {
			c.set(d, th, acc)
		}
	}, err
}

// externals are functions that the driver provides.
var externals = map[string]func(c *block, act []int32, site *callSite){"vprintf": vprintf,
	"__assertfail": assertFail}

// param reads 8 bytes of an argument.
func (c *block) param(t int32, q param) uint64 {
	return simmem.Load(c.params[int(t)*c.paramSize+q.off:], q.size)
}

// text reads a string at a generic address.
func (c *block) text(t int32, addr uint64) string {
	var b strings.Builder
	for {
		x := c.bytes(generic, t, addr, 1, false)[0]
		if x == 0 {
			return b.String()
		}
		b.WriteByte(x)
		addr++
	}
}

func vprintf(c *block, act []int32, site *callSite) {
	for _, t := range act {
		format, args := c.text(t, c.param(t, site.args[0])), c.param(t, site.args[1])
		if c.launch.Print != nil {
			fmt.Fprint(c.launch.Print, c.format(t, format, args))
		}
		simmem.Store(c.params[int(t)*c.paramSize+site.rets[0].off:], uint64(bits.Len(0)), 4)
	}
}

// format formats like printf: 4-byte arguments for %d and its like, 8 bytes for %lld, floats and strings.
func (c *block) format(t int32, format string, at uint64) string {
	var out strings.Builder
	next := func(n int) uint64 {
		at = (at + uint64(n) - 1) &^ (uint64(n) - 1)
		v := simmem.Load(c.bytes(generic, t, at, n, false), n)
		at += uint64(n)
		return v
	}
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			out.WriteByte(format[i])
			continue
		}
		j := i + 1
		for j < len(format) && strings.IndexByte("0123456789.-+ #l*", format[j]) >= 0 {
			j++
		}
		flags := strings.ReplaceAll(format[i:j], "l", "")
		if before, after, ok := strings.Cut(flags, "*"); ok {
			flags = before + fmt.Sprint(int32(next(4))) + after
		}
		long := strings.Contains(format[i:j], "ll")
		n := 4
		if long {
			n = 8
		}
		switch format[j] {
		case '%':
			out.WriteByte('%')
		case 'd', 'i':
			v := int64(int32(0))
			if u := next(n); long {
				v = int64(u)
			} else {
				v = int64(int32(u))
			}
			fmt.Fprintf(&out, flags+"d", v)
		case 'u':
			fmt.Fprintf(&out, flags+"d", next(n))
		case 'x', 'X', 'o':
			fmt.Fprintf(&out, flags+string(format[j]), next(n))
		case 'f', 'g', 'e', 'F', 'G', 'E':
			if !strings.Contains(flags, ".") && format[j] == 'f' {
				flags += ".6"
			}
			fmt.Fprintf(&out, flags+string(format[j]), types["f64"].float(next(8)))
		case 'p':
			fmt.Fprintf(&out, "%#x", next(8))
		case 's':
			fmt.Fprintf(&out, flags+"s", c.text(t, next(8)))
		case 'c':
			out.WriteByte(byte(next(4)))
		}
		i = j
	}
	return out.String()
}

func assertFail(c *block, act []int32, site *callSite) {
	t := act[0]
	a := site.args
	c.fail(t, "%s:%d: %s: block: [%d,%d,%d], thread: [%d,0,0] Assertion `%s` failed",
		c.text(t, c.param(t, a[1])), c.param(t, a[2]), c.text(t, c.param(t, a[3])), c.id[0], c.id[1], c.id[2],
		t, c.text(t, c.param(t, a[0])))
}
