//go:build unix

package safefile

import (
	"io/fs"
	"os/user"
	"strconv"
	"strings"
	"syscall"
)

const (
	// NonBlock is the flag with which opening a pipe does not wait for the other end.
	NonBlock = syscall.O_NONBLOCK
	noFollow = syscall.O_NOFOLLOW
)

// owner returns the user and the group of a file.
func owner(info fs.FileInfo) (uid, gid int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(st.Uid), int(st.Gid), true
}

// privateGroup reports whether a group has the user's name and no other member. Distributions that make such
// a group for each user also have them create folders that the group may write to.
func privateGroup(uid, gid int) bool {
	u, err := user.LookupId(strconv.Itoa(uid))
	if err != nil {
		return false
	}
	data, err := Read("/etc/group", 1<<20)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSpace(line), ":")
		if len(f) == 4 && f[2] == strconv.Itoa(gid) {
			return f[0] == u.Username && (f[3] == "" || f[3] == u.Username)
		}
	}
	return false
}
