package ptxsim

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// bulkKernel has 64 threads: %r3 is the place of each, 16 bytes, in shared memory, %rd3 that in the buffer p,
// %r2 an mbarrier, %rd1 a tensor map whose box fills the places, %p0 is the first thread, %p2 the first warp.
const bulkKernel = `
.version 8.7
.target sm_90a
.address_size 64
.extern .shared .align 128 .b8 smem[];
.visible .entry k(.param .u64 p, .param .align 64 .b8 m[128], .param .u64 q)
.reqntid 64
{
	.reg .pred %p<9>;
	.reg .b32 %r<40>;
	.reg .b64 %rd<9>;
	ld.param.u64 %rd0, [p];
	ld.param.u64 %rd5, [q];
	mov.b64 %rd1, m;
	cvta.param.u64 %rd1, %rd1;
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, smem;
	add.u32 %r2, %r1, 4096;
	mad.lo.u32 %r3, %r0, 16, %r1;
	mul.wide.u32 %rd2, %r0, 16;
	add.s64 %rd3, %rd0, %rd2;
	setp.eq.u32 %p0, %r0, 0;
	setp.lt.u32 %p2, %r0, 32;
	mov.b32 %r10, 0;
	mov.b32 %r11, 0;
	mov.b32 %r13, 1;
	mov.b32 %r20, 5;
	mov.b32 %r21, 6;
	mov.b32 %r22, 7;
	mov.b32 %r23, 8;
	BODY
	ret;
}
`

const (
	makeBar = "@%p0 mbarrier.init.shared::cta.b64 [%r2], 1; " + showBar + "bar.sync 0;\n"
	showBar = "@%p0 fence.mbarrier_init.release.cluster;\n"
	expect  = "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 1024;\n"
	loadBox = "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], " +
		"[%rd1, {%r10, %r11}], [%r2];\n"
	await  = "{\nW:\nmbarrier.try_wait.parity.shared.b64 %p1, [%r2], %r10;\n@!%p1 bra.uni W;\n}\n"
	await1 = "{\nW:\nmbarrier.try_wait.parity.shared.b64 %p1, [%r2], %r13;\n@!%p1 bra.uni W;\n}\n"
	// emptied waits for the first phase of a second mbarrier.
	emptied = "{\nW:\nmbarrier.try_wait.parity.shared.b64 %p1, [%r2+8], %r10;\n@!%p1 bra.uni W;\n}\n"
	copyOut = "ld.shared.v4.b32 {%r20, %r21, %r22, %r23}, [%r3];\n" +
		"st.global.v4.b32 [%rd3], {%r20, %r21, %r22, %r23};\n"
	fill     = "st.shared.v4.b32 [%r3], {%r20, %r21, %r22, %r23};\n"
	syncAll  = "bar.sync 0;\n"
	proxy    = "fence.proxy.async.shared::cta;\n"
	storeBox = "@%p0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r10, %r11}], [%r1];\n"
	commit   = "cp.async.bulk.commit_group;\n"
	waitRead = "cp.async.bulk.wait_group.read 0;\n"
	waitAll  = "cp.async.bulk.wait_group 0;\n"
)

// bulkRun is what a kernel made of body did: with the buffer p, and with the tensor, 20 rows of 16 words,
// which holds 0, 1, 2 …
type bulkRun struct {
	out, tensor []uint32
	err         error
}

func runBulk(t *testing.T, body string, change func(*TensorMap), l Launch) bulkRun {
	t.Helper()
	m, err := Parse([]byte(strings.Replace(bulkKernel, "BODY", body, 1)))
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	mem := NewMemory()
	out, tensor := make([]byte, 1024), make([]byte, 20*64)
	for i := range 20 * 16 {
		binary.LittleEndian.PutUint32(tensor[4*i:], uint32(i))
	}
	tm := &TensorMap{Type: 2, Dims: []uint64{16, 20}, Strides: []uint64{64}, Box: []uint32{16, 16}}
	p, q := mem.Alloc(out), mem.Alloc(make([]byte, 256))
	tm.Address = mem.Alloc(tensor)
	if change != nil {
		change(tm)
	}
	l.Kernel, l.Grid, l.Shared, l.Memory = "k", [3]int{1, 1, 1}, 8192, mem
	l.Args, l.Bytes = []uint64{p, 0, q}, map[int][]byte{1: tm.Encode()}
	r := bulkRun{err: m.Run(context.Background(), &l)}
	for _, x := range []struct {
		from []byte
		to   *[]uint32
	}{{out, &r.out}, {tensor, &r.tensor}} {
		for i := 0; i < len(x.from); i += 4 {
			*x.to = append(*x.to, binary.LittleEndian.Uint32(x.from[i:]))
		}
	}
	return r
}

func TestBulkFaults(t *testing.T) {
	first := "@%p0 "
	other := strings.ReplaceAll("setp.eq.u32 %p5, %r0, 40;\n"+expect+loadBox, "@%p0", "@%p5") + await +
		copyOut
	for _, c := range []struct{ name, body, want string }{
		{"load", makeBar + expect + loadBox + await + copyOut, ""},
		{"load, then expect", makeBar + loadBox + expect + await + copyOut, ""},
		{"read before the wait", makeBar + expect + loadBox + copyOut + await,
			"is being copied by thread 0 (line 34), without a wait|was read by thread 32 (line 35), and no " +
				"barrier lies between"},
		{"write before the wait", makeBar + expect + loadBox + fill + await,
			"without a wait|no barrier lies between"},
		{"a wait that is not repeated", makeBar + expect + loadBox +
			"mbarrier.try_wait.parity.shared.b64 %p1, [%r2], %r10;\n" + copyOut,
			"without a wait|no barrier lies between|not behind a wait"},
		{"only one thread waits", makeBar + expect + loadBox + "@!%p0 bra X;\n" + await + "X:\n" + copyOut,
			"without a wait|not behind a wait|no barrier lies between"},
		{"others behind a barrier", makeBar + expect + loadBox + "@!%p0 bra X;\n" + await + "X:\n" + syncAll +
			copyOut, ""},
		{"nobody waits", makeBar + expect + loadBox, "that nobody waited for"},
		{"store before the load", fill + makeBar + expect + loadBox + await, "no fence.proxy.async"},
		{"store before the load, shown", fill + proxy + makeBar + expect + loadBox + await + copyOut, ""},
		{"store before the load, no barrier", makeBar + fill + proxy + expect + loadBox + await,
			"no barrier lies between"},
		{"overwritten while read", makeBar + expect + loadBox + await + copyOut + expect + loadBox + await1,
			"no barrier lies between|a bulk copy overwrites it"},
		{"overwritten after a barrier", makeBar + expect + loadBox + await + copyOut + syncAll + expect +
			loadBox + await1 + copyOut, "was read by thread 0 (line 40), and a bulk copy overwrites it"},
		{"overwritten after a fence and a barrier", makeBar + expect + loadBox + await + copyOut + proxy +
			syncAll + expect + loadBox + await1 + copyOut, ""},
		{"overwritten after a fence of global memory", makeBar + expect + loadBox + await + copyOut +
			"fence.proxy.async.global;\n" + syncAll + expect + loadBox + await1 + copyOut,
			"a barrier does not keep the copy behind the read"},
		{"overwritten after a fence of the issuer", makeBar + expect + loadBox + await + copyOut + syncAll +
			first + proxy + expect + loadBox + await1 + copyOut, ""},
		{"overwritten after a fence of one reader", makeBar + expect + loadBox + await + copyOut + first +
			proxy + syncAll + expect + loadBox + await1 + copyOut, "was read by thread 1 (line 40)"},
		{"overwritten after a fence before the read", makeBar + expect + loadBox + await + proxy + copyOut +
			syncAll + expect + loadBox + await1 + copyOut,
			"a barrier does not keep the copy behind the read"},
		{"overwritten after an mbarrier", "@%p0 mbarrier.init.shared::cta.b64 [%r2+8], 64;\n" + makeBar +
			expect + loadBox + await + copyOut + "mbarrier.arrive.shared.b64 _, [%r2+8];\n" + emptied +
			expect + loadBox + await1 + copyOut, "a barrier does not keep the copy behind the read"},
		{"overwritten after a fence and an mbarrier", "@%p0 mbarrier.init.shared::cta.b64 [%r2+8], 64;\n" +
			makeBar + expect + loadBox + await + copyOut + proxy +
			"mbarrier.arrive.shared.b64 _, [%r2+8];\n" + emptied + expect + loadBox + await1 + copyOut, ""},
		{"issued twice", makeBar + expect + loadBox + loadBox + await, "is being copied"},
		{"no arrival", makeBar + await,
			"deadlock: the mbarrier at 0x1000 (line 31) is in phase 0, 1 of 1 arrivals are missing"},
		{"bytes that do not come", makeBar + strings.Replace(expect, "1024", "2048", 1) + loadBox + await,
			"1024 bytes are expected that no copy brings"},
		{"bytes that are not expected", makeBar + strings.Replace(expect, "1024", "512", 1) + loadBox + await,
			"copies bring 512 bytes that are not expected"},
		{"the wrong parity", makeBar + expect + loadBox + await1 + copyOut,
			"without a wait|deadlock|no barrier lies between"},
		{"no mbarrier", expect, "there is no mbarrier at 0x1000"},
		{"an mbarrier is no memory", makeBar + expect + loadBox + await + syncAll +
			"st.shared.b32 [%r2], %r10;\n", "is one of an mbarrier"},
		{"an mbarrier that is dropped", makeBar + expect + loadBox + await + syncAll + first +
			"mbarrier.inval.shared.b64 [%r2];\n" + syncAll + "st.shared.b32 [%r2], %r10;\n", ""},
		{"dropped too early", makeBar + expect + loadBox + first + "mbarrier.inval.shared.b64 [%r2];\n" +
			syncAll, "while copies are under way"},
		{"used before all know it", strings.TrimSuffix(makeBar, syncAll) +
			"mbarrier.arrive.shared.b64 _, [%r2];\n", "was initialized by thread 0|there is no mbarrier"},
		{"no fence behind the init", strings.Replace(makeBar, showBar, "\n", 1) + expect + loadBox + await,
			"was initialized by thread 0 (line 31), and no fence.mbarrier_init shows it"},
		{"the fence of another thread", strings.Replace(makeBar, showBar, "@!%p0"+showBar[4:], 1) + expect +
			loadBox + await, "no fence.mbarrier_init shows it"},
		{"the fence before the init", showBar + strings.Replace(makeBar, showBar, "\n", 1) + expect +
			loadBox + await, "no fence.mbarrier_init shows it"},
		{"a fence that the copying thread has not met", strings.Replace(makeBar, showBar, "\n", 1) + showBar +
			other, "no fence.mbarrier_init shows it"},
		{"a fence that the copying thread has met", strings.Replace(makeBar, showBar, "\n", 1) + showBar +
			syncAll + other, ""},
		{"a proxy fence behind the init", strings.Replace(makeBar, showBar, "\n"+proxy, 1) + expect +
			loadBox + await + copyOut, ""},
		{"no fence, no copies", "@%p0 mbarrier.init.shared.b64 [%r2], 64;\n" + syncAll +
			"mbarrier.arrive.shared.b64 _, [%r2];\n" + await, ""},
		{"too many arrivals", makeBar + first + "mbarrier.arrive.shared.b64 _, [%r2], 2;\n",
			"2 arrivals at the mbarrier at 0x1000, which waits for 1 of 1"},
		{"store", fill + proxy + syncAll + storeBox + commit + waitRead, ""},
		{"store without a fence", fill + syncAll + storeBox + commit + waitRead, "no fence.proxy.async"},
		{"store, fence of the reader", fill + syncAll + proxy + storeBox + commit + waitRead, ""},
		{"store, fence too late", fill + syncAll + storeBox + proxy + commit + waitRead,
			"no fence.proxy.async"},
		{"store without a barrier", fill + proxy + storeBox + commit + waitRead, "no barrier lies between"},
		{"overwritten before it is read", fill + proxy + syncAll + storeBox + commit + first + fill +
			waitRead, "or a bulk copy"},
		{"overwritten by others", fill + proxy + syncAll + storeBox + commit + waitRead + fill,
			"no barrier lies between|or a bulk copy"},
		{"overwritten behind a barrier", fill + proxy + syncAll + storeBox + commit + waitRead + syncAll +
			fill, ""},
		{"no commit", fill + proxy + syncAll + storeBox + waitRead + syncAll + fill, "or a bulk copy"},
		{"left without a wait", fill + proxy + syncAll + storeBox + commit, "leaves while a bulk copy reads"},
		{"left without a commit", fill + proxy + syncAll + storeBox + waitRead,
			"leaves while a bulk copy reads"},
		{"left, others wait", fill + proxy + syncAll + storeBox + commit + "@!%p0 " + waitRead,
			"leaves while a bulk copy reads"},
		{"outside of shared memory", makeBar + expect + "add.u32 %r1, %r1, 8064;\n" + loadBox + await,
			"is outside of 8192"},
		{"a box that is not aligned", makeBar + expect + "add.u32 %r1, %r1, 64;\n" + loadBox + await,
			"not aligned to 128"},
		{"a map that is not aligned", makeBar + expect + "add.s64 %rd1, %rd1, 8;\n" + loadBox + await,
			"not aligned to 64"},
	} {
		for _, l := range everyOrder(t) {
			if err := runBulk(t, c.body, nil, l).err; !wantsAny(err, c.want) {
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
		}
	}
}

// wantsAny is wants for texts with bars between: which fault comes first depends on the order of the warps.
func wantsAny(err error, texts string) bool {
	return slices.ContainsFunc(strings.Split(texts, "|"), func(text string) bool { return wants(err, text) })
}

// TestBulkGlobal: what a bulk copy stores is not there before its group was waited for, all of it.
func TestBulkGlobal(t *testing.T) {
	load := "ld.global.b32 %r30, [%rd4];\n"
	at := func(tm *TensorMap) { tm.Address = globalBase } // the buffer p
	for _, c := range []struct{ name, body, want string }{
		{"no wait", fill + proxy + syncAll + storeBox + commit + waitRead + syncAll,
			"is being written by a bulk copy"},
		{"a wait", fill + proxy + syncAll + storeBox + commit + waitAll + syncAll, ""},
		{"a wait without a barrier", fill + proxy + syncAll + storeBox + commit + waitAll,
			"no barrier lies between"},
	} {
		l := Launch{Order: Order{Backward: true}}
		if err := runBulk(t, "mov.b64 %rd4, %rd3;\n"+c.body+load, at, l).err; !wants(err, c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestBulkShown: bulk copies see what threads have stored to global memory behind a fence for it.
func TestBulkShown(t *testing.T) {
	at := func(tm *TensorMap) { tm.Address = globalBase } // the buffer p
	const put = "st.global.v4.b32 [%rd3], {%r20, %r21, %r22, %r23};\n"
	const load, store = expect + loadBox + await, storeBox + commit + waitRead
	reduce := strings.Replace(store, "cp.async.bulk.tensor.2d.global.shared::cta",
		"cp.reduce.async.bulk.tensor.2d.global.shared::cta.add", 1)
	for _, copies := range []string{load, store, reduce} {
		for fence, want := range map[string]string{
			"": "no fence.proxy.async", "fence.proxy.async.shared::cta;\n": "no fence.proxy.async",
			"fence.proxy.async.global;\n": "", "fence.proxy.async;\n": "",
		} {
			for _, order := range []string{put + fence + syncAll, put + syncAll + fence} {
				body := fill + proxy + makeBar + order + copies
				if err := runBulk(t, body, at, Launch{}).err; !wants(err, want) {
					t.Errorf("%s%s: %v, want %q", order, copies, err, want)
				}
			}
		}
	}
}

// TestBulkData: what copies move.
func TestBulkData(t *testing.T) {
	same := func(name string, got []uint32, want func(i int) uint32) {
		t.Helper()
		for i, v := range got {
			if v != want(i) {
				t.Errorf("%s: word %d is %d, not %d", name, i, v, want(i))
				return
			}
		}
	}
	run := func(name, body string, change func(*TensorMap)) bulkRun {
		t.Helper()
		r := runBulk(t, body, change, Launch{})
		if r.err != nil {
			t.Errorf("%s: %v", name, r.err)
		}
		return r
	}
	load := makeBar + expect + loadBox + await + copyOut
	same("load", run("load", load, nil).out, func(i int) uint32 { return uint32(i) })
	same("row 8", run("row 8", "mov.b32 %r11, 8;\n"+load, nil).out, func(i int) uint32 {
		if i >= 12*16 {
			return 0 // behind the last row
		}
		return uint32(i + 128)
	})
	same("a hint", run("a hint", strings.Replace(load, ", [%r2];\n{", ", [%r2], %rd5;\n{", 1), nil).out,
		func(i int) uint32 {
			return uint32(i)
		})
	same("phases", run("phases", makeBar+expect+loadBox+await+syncAll+"mov.b32 %r11, 4;\n"+expect+loadBox+
		await1+copyOut, nil).out,
		func(i int) uint32 { return uint32(i + 64) })
	same("state", run("state", "@%p0 mbarrier.init.shared.b64 [%r2], 64;\n"+syncAll+
		"mbarrier.arrive.shared.b64 %rd4, [%r2];\n"+
		"{\nW:\nmbarrier.test_wait.shared.b64 %p1, [%r2], %rd4;\n@!%p1 bra.uni W;\n}\n"+fill+copyOut,
		nil).out, func(i int) uint32 {
		return uint32(5 + i%4)
	})
	same("expected apart",
		run("expected apart", makeBar+"@%p0 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r2], 1024;\n"+
			"@%p0 mbarrier.arrive.release.cta.shared::cta.b64 _, [%r2];\n"+loadBox+await+copyOut, nil).out,
		func(i int) uint32 {
			return uint32(i)
		})
	// rows of 16 words are 64 bytes: narrower boxes for the others
	for width := 32; width <= 128; width *= 2 {
		r := run("swizzle", strings.ReplaceAll(load, "1024", fmt.Sprint(16*min(width, 64))),
			func(m *TensorMap) {
				m.Swizzle, m.Box[0] = width, uint32(min(width, 64)/4)
			})
		same(fmt.Sprint("swizzle ", width), r.out[:4*min(width, 64)], func(i int) uint32 {
			at := 4 * i
			at ^= at >> 3 & ((width/16 - 1) << 4)
			row := min(width, 64)
			return uint32(at/row*16 + at%row/4)
		})
	}
	store := fill + proxy + syncAll + storeBox + commit + waitRead
	same("store", run("store", "mov.b32 %r11, 10;\nmov.b32 %r10, 8;\n"+store, nil).tensor,
		func(i int) uint32 {
			if i >= 160 && i%16 >= 8 {
				return uint32(5 + i%4)
			}
			return uint32(i)
		})
	same("plain", run("plain", makeBar+"ld.param.u64 %rd6, [p];\n"+strings.ReplaceAll(expect, "1024", "512")+
		fill+proxy+syncAll+
		"@%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd6], [%r1], 512;\n"+commit+waitAll+syncAll+
		"@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd6], 512, [%r2];\n"+
		await+syncAll+
		"@%p2 st.shared.b32 [%r3], %r10;\n"+copyOut, nil).out[:128], func(i int) uint32 {
		if i%4 == 0 {
			return 0
		}
		return uint32(5 + i%4)
	})
}

// TestBulkReduce: reductions of 5, 6, 7, 8 with what is there.
func TestBulkReduce(t *testing.T) {
	for name, f := range map[string]func(old, x uint32) uint32{
		"add": func(a, b uint32) uint32 {
			return a + b
		}, "min": func(a, b uint32) uint32 {
			return min(a, b)
		}, "max": func(a, b uint32) uint32 { return max(a, b) },
		"and": func(a, b uint32) uint32 {
			return a & b
		}, "or": func(a, b uint32) uint32 { return a | b }, "xor": func(a, b uint32) uint32 { return a ^ b },
		"inc": func(a, b uint32) uint32 {
			if a >= b {
				return 0
			}
			return a + 1
		},
		"dec": func(a, b uint32) uint32 {
			if a == 0 || a > b {
				return b
			}
			return a - 1
		},
	} {
		r := runBulk(t, fill+proxy+syncAll+"@%p0 cp.reduce.async.bulk.tensor.2d.global.shared::cta."+name+
			".tile.bulk_group [%rd1, {%r10, %r11}], [%r1];\n"+commit+waitRead, nil, Launch{})
		if r.err != nil {
			t.Errorf("%s: %v", name, r.err)
		}
		for i, v := range r.tensor {
			want := uint32(i)
			if i < 256 {
				want = f(want, uint32(5+i%4))
			}
			if v != want {
				t.Errorf("%s: word %d is %d, not %d", name, i, v, want)
				break
			}
		}
	}
}

// TestIllegalBulk: copies at columns that are no multiples of 16 bytes, stores and reductions at negative
// coordinates, and bitwise reductions of signed integers of 64 bits are illegal instructions on hardware.
func TestIllegalBulk(t *testing.T) {
	at := func(column int) string { return fmt.Sprintf("mov.b32 %%r10, %d;\n", column) }
	const done = "mov.b32 %r10, 0;\n"
	reduce := func(kind string) string {
		return fill + proxy + syncAll + "@%p0 cp.reduce.async.bulk.tensor.2d.global.shared::cta." + kind +
			".bulk_group [%rd1, {%r10, %r11}], [%r1];\n" + commit + waitRead
	}
	for column := -5; column <= 16; column++ {
		for name, body := range map[string]string{
			"load":   makeBar + expect + at(column) + loadBox + done + await + copyOut,
			"store":  fill + proxy + syncAll + at(column) + storeBox + commit + waitRead,
			"reduce": at(column) + reduce("add"),
		} {
			err := runBulk(t, body, nil, Launch{}).err
			legal := column%4 == 0 && (column >= 0 || name == "load")
			if legal != (err == nil) || !legal && !strings.Contains(err.Error(), "illegal instruction") {
				t.Errorf("%s at column %d: %v", name, column, err)
			}
		}
	}
	for _, kind := range []string{"and", "or", "xor", "min", "max"} {
		for typ, legal := range map[int]bool{3: true, 4: true, 5: kind == "min" || kind == "max"} {
			err := runBulk(t, reduce(kind), func(m *TensorMap) {
				if m.Type = typ; typ > 3 { // elements of 8 bytes
					m.Dims[0], m.Box[0] = 8, 8
				}
			}, Launch{}).err
			if legal != (err == nil) || !legal && !strings.Contains(err.Error(), "illegal instruction") {
				t.Errorf("%s of type %d: %v", kind, typ, err)
			}
		}
	}
}

// TestMadeMap: a kernel makes a map in shared memory, publishes it and uses it.
func TestMadeMap(t *testing.T) {
	field := func(name, rest string) string {
		bits := "b32"
		if name == "global_address" || name == "global_stride" {
			bits = "b64"
		}
		return "@%p0 tensormap.replace.tile." + name + ".shared::cta.b1024." + bits + " [%r1+2048], " +
			rest + ";\n"
	}
	make := "add.u32 %r5, %r1, 2048;\nmad.lo.u32 %r5, %r0, 4, %r5;\n@%p2 st.shared.b32 [%r5], %r10;\n" +
		"bar.warp.sync -1;\nmov.b32 %r6, 16;\nmov.b64 %rd6, 64;\n" +
		field("global_address", "%rd0") + field("rank", "0x1") + field("box_dim", "0, %r6") +
		field("box_dim", "1, %r6") +
		field("global_dim", "0, %r6") + field("global_dim", "1, %r6") + field("global_stride", "0, %rd6") +
		field("element_stride", "0, %r13") +
		field("element_stride", "1, %r13") + field("elemtype", "2") + field("interleave_layout", "0") +
		field("swizzle_mode", "0") + field("fill_mode", "0")
	publish := "bar.warp.sync -1;\n@%p2 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic" +
		".release.gpu.sync.aligned " +
		"[%rd5], [%r1+2048], 128;\n"
	acquire := "@%p2 fence.proxy.tensormap::generic.acquire.gpu [%rd5], 128;\n"
	use := syncAll + fill + proxy + syncAll + strings.Replace(storeBox, "%rd1", "%rd5", 1) + commit + waitRead
	r := runBulk(t, make+publish+acquire+use, nil, Launch{})
	if r.err != nil || !slices.Equal(r.out[:8], []uint32{5, 6, 7, 8, 5, 6, 7, 8}) {
		t.Errorf("%v, %v", r.err, r.out[:8])
	}
	oneLane := strings.Replace(publish, "@%p2", "@%p0", 1)
	for body, want := range map[string]string{
		make + publish + use:           "not made visible by fence.proxy.tensormap",
		make + acquire + publish + use: "not made visible by fence.proxy.tensormap",
		publish + acquire + use:        "no tensor map",
		make + oneLane + use:           "waits for the lanes 0xfffffffe of its member mask",
	} {
		if err := runBulk(t, body, nil, Launch{}).err; !wants(err, want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestMapChecks: maps that the hardware would not take.
func TestMapChecks(t *testing.T) {
	for want, change := range map[string]func(*TensorMap){
		"is not aligned to 16": func(m *TensorMap) { m.Address += 8 },
		"a box of 257":         func(m *TensorMap) { m.Box[1] = 257 },
		"no multiple of 16":    func(m *TensorMap) { m.Strides[0] = 68 },
		"rows of 12 bytes":     func(m *TensorMap) { m.Box[0] = 3 },
		"with a swizzle of 32": func(m *TensorMap) { m.Swizzle = 32 },
		"2 coordinates for a tensor map": func(m *TensorMap) {
			m.Dims, m.Box, m.Strides = m.Dims[:1], m.Box[:1], nil
		},
		"a bulk copy of 64 bytes: address": func(m *TensorMap) { m.Dims[1] = 30; m.Address += 640 },
	} {
		if err := runBulk(t, makeBar+expect+loadBox+await+copyOut, change, Launch{}).err; !wants(err, want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestMapRows compares the rows of boxes with one element after another, for ranks 1 to 5.
func TestMapRows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 500 {
		rank := 1 + n%5
		m := &TensorMap{Address: 1 << 20, Type: 1}
		at := make([]int64, rank)
		want := map[int]uint64{} // byte of the box to its address
		stride := uint64(2)
		strides := []uint64{2}
		for d := range rank {
			m.Dims, m.Box = append(m.Dims, 1+r.Uint64N(9)), append(m.Box, 1+uint32(r.IntN(4)))
			at[d] = int64(r.IntN(14)) - 4
			stride = (stride*m.Dims[d] + 15) &^ 15
			if d < rank-1 {
				m.Strides, strides = append(m.Strides, stride), append(strides, stride)
			}
		}
		for i := range m.bytes() / 2 {
			addr, in, rest := m.Address, true, i
			for d := range rank {
				x := at[d] + int64(rest%int(m.Box[d]))
				rest /= int(m.Box[d])
				in = in && x >= 0 && x < int64(m.Dims[d])
				addr += uint64(x) * strides[d]
			}
			if in {
				want[2*i] = addr
			}
		}
		m.rows(at, func(addr uint64, off, n int) {
			for i := 0; i < n; i += 2 {
				if want[off+i] != addr+uint64(i) {
					t.Fatalf("%+v at %v: byte %d comes from %#x, not %#x", m, at, off+i, addr+uint64(i),
						want[off+i])
				}
				delete(want, off+i)
			}
		})
		if len(want) > 0 {
			t.Fatalf("%+v at %v: %d elements are missing", m, at, len(want))
		}
	}
}

// TestNamedBarriers: barriers of some of the threads.
func TestNamedBarriers(t *testing.T) {
	const (
		half   = "@!%p2 bra X;\nbar.sync 1, 32;\nX:\n"
		number = "add.u32 %r5, %r1, 0;\nmad.lo.u32 %r5, %r0, 4, %r5;\nst.shared.b32 [%r5], %r0;\n"
		next   = "xor.b32 %r6, %r0, 1;\nmad.lo.u32 %r6, %r6, 4, %r1;\nld.shared.b32 %r7, [%r6];\n"
		other  = "xor.b32 %r6, %r0, 32;\nmad.lo.u32 %r6, %r6, 4, %r1;\nld.shared.b32 %r7, [%r6];\n"
	)
	for _, c := range []struct{ name, body, want string }{
		{"all", number + "barrier.sync 3;\n" + other, ""},
		{"all, counted", number + "bar.sync 3, 64;\n" + other, ""},
		{"half", "@!%p2 bra Y;\n" + number + half + next + "Y:\n", ""},
		{"half is not all", number + half + other, "no barrier lies between"},
		{"a warp's own", number + "bar.warp.sync -1;\n" + next, ""},
		{"too few", half + "@%p2 bar.sync 2, 64;\n",
			"deadlock: 32 threads came to barrier 2, which is for 64"},
		{"two counts", "@%p2 bar.sync 2, 64;\n@!%p2 bar.sync 2, 32;\n", "barrier 2 is for|deadlock"},
		{"no warps", "bar.sync 2, 40;\n", "a barrier of 40 threads in a block of 64"},
		{"no such barrier", "bar.sync 16;\n", "barrier 16 of 16"},
		{"an arrival", "@!%p2 bra Y;\n" + number + "bar.arrive 1, 64;\nbra Z;\nY:\nbar.sync 1, 64;\n" +
			other + "Z:\n", ""},
		{"an arrival does not wait", "@!%p2 bra Y;\nbar.arrive 1, 64;\n" + other + "bra Z;\nY:\n" + number +
			"bar.sync 1, 64;\nZ:\n", "no barrier lies between"},
		{"different places", "@%p2 bra Y;\nbar.sync 0;\nbra Z;\nY:\nbar.sync 0;\nZ:\n",
			"threads wait at different barriers"},
		{"registers", "setmaxnreg.dec.sync.aligned.u32 40;\nsetmaxnreg.inc.sync.aligned.u32 232;\n", ""},
	} {
		for _, l := range []Launch{{}, {Order: Order{Backward: true}}} {
			if err := runBulk(t, c.body, nil, l).err; !wantsAny(err, c.want) {
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
		}
	}
	for _, text := range []string{
		"setmaxnreg.dec.sync.aligned.u32 41;", "bar.red.popc.u32 %r0, 1, %p0;",
		"mbarrier.pending_count.b64 %r0, %rd0;", "bar.arrive 1;",
		"cp.async.bulk.tensor.2d.im2col.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, " +
			"{%r10, %r11}], [%r2];",
		"cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r10, " +
			"%r11}], [%r2];",
		"tensormap.replace.tile.color.shared::cta.b1024.b32 [%r1], 1;",
		"tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r1], 5, %r1;",
	} {
		if _, err := Parse([]byte(strings.Replace(bulkKernel, "BODY", text, 1))); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}

// TestMulticast: one copy fills the shared memory of two blocks, and completes on the mbarrier of each.
func TestMulticast(t *testing.T) {
	text := strings.Replace(bulkKernel, ".reqntid 64",
		".explicitcluster\n.reqntid 64\n.reqnctapercluster 2", 1)
	body := "mov.u32 %r30, %cluster_ctarank;\nmad.wide.u32 %rd3, %r30, 1024, %rd3;\n" +
		"setp.eq.u32 %p3, %r30, 0;\nand.pred %p4, %p3, %p0;\nmov.b16 %h0, 3;\n" +
		makeBar + expect + meet +
		strings.NewReplacer("@%p0", "@%p4", "::bytes", "::bytes.multicast::cluster", "[%r2]",
			"[%r2], %h0").Replace(loadBox) + await + copyOut + meet
	text = strings.Replace(strings.Replace(text, "BODY", body, 1), ".reg .pred",
		".reg .b16 %h<2>;\n.reg .pred", 1)
	m, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	mem := NewMemory()
	out, tensor := make([]byte, 2048), make([]byte, 1024)
	for i := range tensor {
		tensor[i] = byte(i * 7)
	}
	p := mem.Alloc(out)
	tm := &TensorMap{Address: mem.Alloc(tensor), Type: 2, Dims: []uint64{16, 16}, Strides: []uint64{64},
		Box: []uint32{16, 16}}
	err = m.Run(context.Background(), &Launch{
		Kernel: "k", Grid: [3]int{2, 1, 1}, Shared: 8192, Memory: mem, Args: []uint64{p, 0, 0},
		Bytes: map[int][]byte{1: tm.Encode()},
	})
	if err != nil || !slices.Equal(out[:1024], tensor) || !slices.Equal(out[1024:], tensor) {
		t.Errorf("%v", err)
	}
}
