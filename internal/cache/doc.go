// Package cache keeps compiled kernels on disk, for later processes, for other processes at the same time,
// and for other machines.
//
// An entry is one file, `DIR/3f/add_kernel-3f….kernel`: a line with a checksum of all that follows, a
// header, and then every stage of the compilation as text, the code that runs among them. It names nothing
// outside of itself, so a folder can be moved or copied. A key is a hash of everything that the code
// depends on, so an entry is never out of date, only unused.
//
// What always holds, whatever other processes do and whenever they are killed:
//
//   - An entry that is there is whole: it is written to another file first and renamed. One that is damaged
//     all the same, or is another's, does not pass its checksum or has another key: it counts as absent and
//     is removed.
//   - Nothing that goes wrong with files is the user's problem: a folder that cannot be written to, a lock
//     that cannot be had, a shared level that is down cost compilations, never an error.
//   - Processes that want a kernel at the same time compile it once, as far as the file system has locks.
//   - The folder stays within its limit: what was used longest ago goes first.
package cache
