package compile

import (
	"encoding/json"
	"strings"

	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/target"
)

// Specs returns the specializations that are compiled for a device: those in memory, and with kept those that
// this build of the compiler has in the cache.
func (k *Kernel) Specs(dev *args.Device, kept bool) (list []Spec) {
	k.built.mu.Lock()
	for _, key := range k.built.order {
		b := k.built.byKey[key]
		select {
		case <-b.done:
			if b.err == nil && b.spec.Dev == dev {
				list = append(list, b.spec)
			}
		default: // being compiled
		}
	}
	k.built.mu.Unlock()
	if kept {
		list = append(list, k.keptSpecs(dev)...)
	}
	return list
}

// keptSpecs returns the specializations in the cache.
func (k *Kernel) keptSpecs(dev *args.Device) (list []Spec) {
	keeper, ok := dev.Backend.(target.Keeper)
	if !ok || k.Set.Store == nil {
		return nil
	}
	entries, err := k.Set.Store.List()
	if err != nil {
		return nil
	}
	looks := 0
	for _, it := range entries {
		if it.Key.Kernel != k.Name {
			continue
		}
		if looks++; looks > maxLooks {
			break
		}
		e, err := it.Describe()
		var o target.Options
		if err != nil || e.Compiler != cache.Build() || e.Generator != keeper.Fingerprint() ||
			e.Target != device.Kind(dev.Backend) || json.Unmarshal(e.Options, &o) != nil {
			continue
		}
		if specs, err := lang.ParseSignature(k.Params, e.Signature); err == nil {
			list = append(list, Spec{dev, specs, o})
		}
	}
	return list
}

// Cause says why a specialization is not among those that are compiled: how it differs from the nearest. It
// is "" if it does not.
func (k *Kernel) Cause(s Spec) string {
	var nearest []string
	found := false
	for _, o := range k.Specs(s.Dev, false) {
		diff := args.Differences(k.Params, o.Args, s.Args)
		if s.Dev.Defaults(o.Opts) != s.Dev.Defaults(s.Opts) {
			diff = append(diff, "its options are others")
		}
		if !found || len(diff) < len(nearest) {
			found, nearest = true, diff
		}
	}
	if !found {
		return "the kernel was not compiled before"
	}
	return strings.Join(nearest, "; ")
}
