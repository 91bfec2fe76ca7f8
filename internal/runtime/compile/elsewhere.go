package compile

import (
	"encoding/json"
	"fmt"

	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/target"
)

// found is the answer of elsewhere for a variant.
type found struct {
	v    code.Variant
	dev  *args.Device
	text string
}

// elsewhere says that the cache has a variant that another build of Nereid or another code generator
// compiled, or returns "". A program finds only what a program with the same compiler has kept, which is
// hard to guess for somebody who has warmed the cache. The last answer is kept, because a service may ask
// again and again.
func (k *Kernel) elsewhere(dev *args.Device, v code.Variant) string {
	if last := k.found.Load(); last != nil && last.v == v && last.dev == dev {
		return last.text
	}
	text := k.lookElsewhere(dev, v)
	k.found.Store(&found{v, dev, text})
	return text
}

// maxLooks bounds the entries that lookElsewhere reads.
const maxLooks = 500

func (k *Kernel) lookElsewhere(dev *args.Device, v code.Variant) string {
	keeper, ok := dev.Backend.(target.Keeper)
	if !ok || k.Set.Store == nil {
		return ""
	}
	list, err := k.Set.Store.List()
	if err != nil {
		return ""
	}
	looks := 0
	for _, it := range list {
		if it.Key.Kernel != k.Name {
			continue
		}
		if looks++; looks > maxLooks {
			break
		}
		e, err := it.Describe()
		var o target.Options
		if err != nil || e.Signature != v.Signature || e.Target != device.Kind(dev.Backend) ||
			json.Unmarshal(e.Options, &o) != nil || o != v.Options {
			continue
		}
		switch {
		case e.Compiler != cache.Build():
			return fmt.Sprintf("; the cache has it from %q, and this program is %q: Module.Warmup or "+
				"nereid.WarmMain compiles it in this program", e.Compiler, cache.Build())
		case e.Generator != keeper.Fingerprint():
			return fmt.Sprintf("; the cache has it for %q, and this is %q", e.Generator, keeper.Fingerprint())
		}
	}
	return ""
}
