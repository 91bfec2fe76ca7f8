package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// inEmptyRoot has a command run where there is nothing but its folder, if we may do that.
func inEmptyRoot(cmd *exec.Cmd, dir string) {
	if os.Geteuid() != 0 {
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: dir}
	cmd.Path, cmd.Dir = "/"+filepath.Base(cmd.Path), "/"
}
