//go:build !unix

package safefile

import "io/fs"

// NonBlock is the flag with which opening a pipe does not wait for the other end; there is none here.
const NonBlock, noFollow = 0, 0

// owner returns nothing: the operating system has no owners in this sense, and every folder is trusted.
func owner(fs.FileInfo) (uid, gid int, ok bool) { return 0, 0, false }

func privateGroup(int, int) bool { return false }
