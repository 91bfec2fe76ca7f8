package knob

import (
	"fmt"
	"os"
	"path/filepath"
)

// CacheFolder is where compiled kernels are kept: the variable's, or else that of the user's cache folder.
func CacheFolder() (string, error) {
	if dir := CacheDir.Get(); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for the cache: %w", err)
	}
	return filepath.Join(dir, "nereid"), nil
}
