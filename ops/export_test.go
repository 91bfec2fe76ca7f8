package ops

import "maps"

// Texts returns the generated files of a library by name.
func (l *Library) Texts() map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.texts)
}
