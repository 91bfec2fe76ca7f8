package intern

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
)

type node struct {
	name  string
	child *node
}

type nodeKey struct {
	name  string
	child uintptr
}

var nodes Table[nodeKey, node]

func get(name string, child *node) *node {
	return nodes.Get(nodeKey{name, Address(child)}, func() *node { return &node{name, child} })
}

// Equal keys are one value while somebody holds it, whatever the collector does meanwhile.
func TestIdentity(t *testing.T) {
	a := get("a", get("b", nil))
	for range 3 {
		runtime.GC()
		if get("a", get("b", nil)) != a {
			t.Fatal("two values for one key")
		}
	}
	runtime.KeepAlive(a)
}

// Chains of values that nobody holds leave a table of the smallest size behind.
func TestDeadAreSwept(t *testing.T) {
	var table Table[nodeKey, node]
	chain := func(i int) {
		var n *node
		for depth := range 10 {
			name, child := fmt.Sprint(i, depth), n
			n = table.Get(nodeKey{name, Address(child)}, func() *node { return &node{name, child} })
		}
	}
	most := 0
	for i := range 20_000 {
		chain(i)
		if i%500 == 0 {
			runtime.GC()
		}
		most = max(most, table.Len())
	}
	if most > 40_000 {
		t.Errorf("%d keys at once, of 5,000 values between collections", most)
	}
	t.Log(most, "keys at most")
}

// An address that is used again names the new value, not the dead one.
func TestAddressesAreReused(t *testing.T) {
	var table Table[nodeKey, node]
	for i := range 2000 {
		child := &node{name: fmt.Sprint(i)}
		n := table.Get(nodeKey{"parent", Address(child)}, func() *node { return &node{"parent", child} })
		if n.child != child {
			t.Fatalf("a parent of %s, not of %s", n.child.name, child.name)
		}
		if i%100 == 0 {
			runtime.GC()
		}
	}
}

// Goroutines that ask for the same keys while the collector runs get the same values.
func TestConcurrent(t *testing.T) {
	var table Table[int, node]
	stop := make(chan struct{})
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	var wg sync.WaitGroup
	for round := range 20 {
		held := make([][]*node, 4)
		for g := range held {
			wg.Go(func() {
				for k := range 2000 {
					held[g] = append(held[g], table.Get(round*1000+k, func() *node {
						return &node{name: fmt.Sprint(k)}
					}))
				}
			})
		}
		wg.Wait()
		for g := range held {
			for k, n := range held[g] {
				if n != held[0][k] {
					t.Fatalf("two values for key %d", k)
				}
			}
		}
	}
	close(stop)
}
