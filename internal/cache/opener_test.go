package cache

import (
	"strings"
	"testing"
)

// A program without the Redis level is told what to import.
func TestOpenSharedWithout(t *testing.T) {
	level, err := OpenShared("redis://localhost:6379/0")
	if level != nil || err == nil ||
		!strings.Contains(err.Error(), `import _ "github.com/nereid-lang/nereid/redis"`) {
		t.Errorf("level %v, error %v", level, err)
	}
}

// A program with it is handed what its opener made.
func TestOpenShared(t *testing.T) {
	defer opener.Store(nil)
	asked := ""
	SetOpener(func(address string) (Shared, error) { asked = address; return nil, nil })
	if _, err := OpenShared("redis://there"); err != nil || asked != "redis://there" {
		t.Errorf("asked %q, error %v", asked, err)
	}
}
