// Package safefile handles files and names that another user may have chosen.
//
// What comes in is a path of this process's own making, or a name that was read from somewhere. What goes out
// is the content of a file, bounded in size and never of a pipe or a device; a verdict on a folder that code
// is loaded from; or a name that cannot leave its folder.
//
// The verdict is that of ssh on its own files: whoever can change a folder or a file on the way to it must be
// this process's user or root. Where the operating system has no owners (Windows) only the kind and the size
// of files are looked at.
package safefile
