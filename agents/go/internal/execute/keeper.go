package execute

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"horae-agent/internal/boottime"
)

// KeepCommand is how this program is called as a keeper: a small process around each script that adopts its orphans,
// so that nothing escapes, and that ends them all when the agent says so, is gone, or hangs for longer than its lease.
const KeepCommand = "keep-a-script"

const (
	prSetChildSubreaper = 36
	controlFile         = 3
	tellingFile         = 4
	sweepEvery          = 50 * time.Millisecond
	lingering           = time.Second // for what a script leaves running when it exits
)

type keeper struct {
	lease  boottime.Instant
	killAt boottime.Instant // 0: not asked to stop
}

// Keep runs a program until it and everything that it started have ended.
func Keep(command []string) {
	runtime.LockOSThread() // a child that is to die with its parent dies with the parent's thread
	syscall.CloseOnExec(controlFile)
	syscall.CloseOnExec(tellingFile)
	telling := json.NewEncoder(os.NewFile(tellingFile, "telling"))
	if _, _, code := syscall.Syscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0); code != 0 {
		_ = telling.Encode(ending{Error: "orphans cannot be adopted: " + code.Error()})
		return
	}
	orders := listen()
	first, open := <-orders
	if !open {
		return
	}
	made := &keeper{}
	made.obey(first)
	pid, err := syscall.ForkExec(command[0], command, &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2},
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		_ = telling.Encode(ending{Error: fmt.Sprintf("%s cannot be executed: %v", command[0], err)})
		return
	}
	_ = telling.Encode(ending{Status: int(made.watch(pid, orders))})
}

type order struct {
	verb  string
	value int64
}

// listen reads the agent's orders. The channel is closed when the agent is gone.
func listen() <-chan order {
	orders := make(chan order)
	go func() {
		defer close(orders)
		lines := bufio.NewScanner(os.NewFile(controlFile, "control"))
		for lines.Scan() {
			var next order
			if _, err := fmt.Sscan(lines.Text(), &next.verb, &next.value); err == nil {
				orders <- next
			}
		}
	}()
	return orders
}

func (k *keeper) obey(next order) {
	switch next.verb {
	case "lease":
		k.lease = boottime.Instant(next.value)
	case "stop":
		signalAll(syscall.SIGTERM)
		k.killWithin(time.Duration(next.value))
	case "kill":
		k.killWithin(0)
	}
}

func (k *keeper) killWithin(pause time.Duration) {
	if at := boottime.Now().Add(pause); k.killAt == 0 || at < k.killAt {
		k.killAt = at
	}
}

// watch returns the program's status when nothing of it is left.
func (k *keeper) watch(pid int, orders <-chan order) syscall.WaitStatus {
	ended, gone := reap(pid)
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	var status syscall.WaitStatus
	for {
		select {
		case next, open := <-orders:
			if !open {
				orders = nil
				k.killWithin(0)
			} else {
				k.obey(next)
			}
		case status = <-ended:
			k.killWithin(lingering)
		case <-gone:
			select {
			case status = <-ended: // both may have come at once
			default:
			}
			return status
		case <-sweep.C:
		}
		now := boottime.Now()
		if now >= k.lease || (k.killAt != 0 && now >= k.killAt) {
			signalAll(syscall.SIGKILL)
		}
	}
}

// reap waits for all children, adopted ones too.
func reap(pid int) (<-chan syscall.WaitStatus, <-chan struct{}) {
	ended, gone := make(chan syscall.WaitStatus, 1), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			var status syscall.WaitStatus
			child, err := syscall.Wait4(-1, &status, 0, nil)
			if err == syscall.EINTR {
				continue
			}
			if err != nil {
				return
			}
			if child == pid {
				ended <- status
			}
		}
	}()
	return ended, gone
}

// signalAll signals every descendant. What is forked meanwhile gets it at the next sweep, if it matters.
func signalAll(signal syscall.Signal) {
	parents := map[int]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		after := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if len(after) > 1 {
			parents[pid], _ = strconv.Atoi(after[1])
		}
	}
	self := os.Getpid()
	for pid := range parents {
		for above, steps := parents[pid], 0; above > 1 && steps < len(parents); above, steps = parents[above], steps+1 {
			if above == self {
				_ = syscall.Kill(pid, signal)
				break
			}
		}
	}
}
