package ptxsim

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"
)

// clusterKernel stores each thread's number, plus 100 for each block, to shared memory, runs body, and
// writes %r9 to global memory.
const clusterKernel = `
.version 8.3
.target sm_90a
.address_size 64
.extern .shared .align 16 .b8 smem[];
.visible .entry k(.param .u64 p)
.explicitcluster
.reqntid 64
.reqnctapercluster 2
{
	.reg .b32 %r<20>;
	.reg .b64 %rd<5>;
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, %cluster_ctarank;
	mad.lo.s32 %r2, %r1, 100, %r0;
	shl.b32 %r3, %r0, 2;
	mov.u32 %r4, smem;
	add.s32 %r4, %r4, %r3;
	xor.b32 %r5, %r1, 1;
	mapa.shared::cluster.u32 %r6, %r4, %r5;
	mov.u32 %r9, 0;
BODY
	ld.param.u64 %rd0, [p];
	mov.u32 %r10, %ctaid.x;
	mad.lo.s32 %r11, %r10, 64, %r0;
	mul.wide.u32 %rd1, %r11, 4;
	add.s64 %rd2, %rd0, %rd1;
	st.global.b32 [%rd2], %r9;
	ret;
}
`

const (
	meet  = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
	write = "st.shared.b32 [%r4], %r2;\n"
	read  = "ld.shared::cluster.b32 %r9, [%r6];\n"
)

// runClusterKernel runs two clusters of two blocks, in both orders.
func runClusterKernel(t *testing.T, body string, backward bool) ([]uint32, error) {
	t.Helper()
	m, err := Parse([]byte(strings.Replace(clusterKernel, "BODY", body, 1)))
	if err != nil {
		t.Fatal(err)
	}
	mem := NewMemory()
	out := make([]byte, 4*64*4)
	err = m.Run(context.Background(), &Launch{Kernel: "k", Grid: [3]int{4, 1, 1}, Shared: 256,
		Args: []uint64{mem.Alloc(out)}, Memory: mem, Order: Order{Backward: backward}})
	var words []uint32
	for i := 0; i < len(out); i += 4 {
		words = append(words, binary.LittleEndian.Uint32(out[i:]))
	}
	return words, err
}

func TestCluster(t *testing.T) {
	for _, backward := range []bool{false, true} {
		got, err := runClusterKernel(t, write+meet+read+meet, backward)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			rank, thread := i/64%2, i%64
			if want := uint32((1-rank)*100 + thread); v != want {
				t.Errorf("backward %v: word %d is %d, want %d", backward, i, v, want)
			}
		}
	}
}

func TestClusterIDs(t *testing.T) {
	got, err := runClusterKernel(t, `
	mov.u32 %r12, %clusterid.x;
	mov.u32 %r13, %nclusterid.x;
	mov.u32 %r14, %cluster_nctarank;
	mad.lo.s32 %r9, %r12, 100, %r13;
	mad.lo.s32 %r9, %r9, 100, %r14;
`, false)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if want := uint32(i/128*10000 + 202); v != want {
			t.Errorf("word %d is %d, want %d", i, v, want)
		}
	}
}

// TestClusterFaults: what is wrong between the blocks of a cluster is found whatever the order of their
// turns.
func TestClusterFaults(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"no barrier before the read", meet + write + read + meet, "no barrier of the cluster lies between"},
		{"a barrier of the block alone", meet + write + "bar.sync 0;\n" + read + meet,
			"no barrier of the cluster lies between"},
		{"no barrier before the next write", write + meet + read + "bar.sync 0;\n" + write + meet,
			"no barrier of the cluster lies between"},
		{"leaves early", write + meet + read, "leave|has left"},
		{"has not met", read + meet, "may not have begun"},
		{"a block that is not there", "mov.u32 %r5, 2;\nmapa.shared::cluster.u32 %r6, %r4, %r5;\n",
			"block 2 of a cluster of 2"},
		{"a wait without an arrival", "barrier.cluster.wait.aligned;\n", "without having arrived"},
		{"two arrivals", "barrier.cluster.arrive.aligned;\nbarrier.cluster.arrive.aligned;\n", "twice"},
		{"outside of the other's memory", meet + "add.s32 %r6, %r6, 1024;\n" + read + meet, "is outside of"},
	} {
		for _, backward := range []bool{false, true} {
			_, err := runClusterKernel(t, c.body, backward)
			found := false
			for _, w := range strings.Split(c.want, "|") {
				found = found || err != nil && strings.Contains(err.Error(), w)
			}
			if !found {
				t.Errorf("%s, backward %v: %v, want %q", c.name, backward, err, c.want)
			}
		}
	}
}

func TestClusterLaunch(t *testing.T) {
	m, err := Parse([]byte(strings.Replace(clusterKernel, "BODY", "", 1)))
	if err != nil {
		t.Fatal(err)
	}
	for want, l := range map[string]*Launch{
		"no whole clusters":   {Kernel: "k", Grid: [3]int{3, 1, 1}},
		"clusters of 2 block": {Kernel: "k", Grid: [3]int{4, 1, 1}, Cluster: 4},
	} {
		if err := m.Run(context.Background(), l); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
