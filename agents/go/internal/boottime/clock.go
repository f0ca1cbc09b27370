// Package boottime is the clock by which leases are counted: it also counts while the machine is suspended, and nobody
// can set it.
package boottime

import (
	"syscall"
	"time"
	"unsafe"
)

const clockBoottime = 7

// Instant is a moment on this clock, valid in every process until the machine is restarted.
type Instant time.Duration

// Now reads the clock.
func Now() Instant {
	var at syscall.Timespec
	if _, _, code := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockBoottime, uintptr(unsafe.Pointer(&at)), 0); code != 0 {
		panic("CLOCK_BOOTTIME cannot be read: " + code.Error())
	}
	return Instant(at.Nano())
}

// Add is the moment so much later.
func (i Instant) Add(d time.Duration) Instant { return i + Instant(d) }

// Until is the time that remains; negative if the moment is over.
func (i Instant) Until() time.Duration { return time.Duration(i - Now()) }

// Since is the time that has passed.
func (i Instant) Since() time.Duration { return time.Duration(Now() - i) }
