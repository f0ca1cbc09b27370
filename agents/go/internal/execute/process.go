package execute

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
)

// process is a program to run under a keeper (keeper.go).
type process struct {
	command     []string
	environment []string
	directory   string
}

// ending is how a keeper tells the end of its program.
type ending struct {
	Status int    `json:"status"` // as wait(2) has it
	Error  string `json:"error"`  // why it could not be started
}

// run returns when the program and everything that it started have ended.
func (p *process) run(attempt *Attempt) (*ending, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	controlled, control, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer control.Close() // its end ends the program
	told, telling, err := os.Pipe()
	if err != nil {
		controlled.Close()
		return nil, err
	}
	defer told.Close()
	keeper := exec.Command(self, append([]string{KeepCommand}, p.command...)...)
	keeper.Env, keeper.Dir = p.environment, p.directory
	keeper.ExtraFiles = []*os.File{controlled, telling}
	keeper.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if attempt.Run.Input != nil {
		keeper.Stdin = strings.NewReader(*attempt.Run.Input)
	}
	readers, err := follow(keeper, attempt)
	if err == nil {
		err = keeper.Start()
	}
	controlled.Close()
	telling.Close()
	if err != nil {
		return nil, fmt.Errorf("the script cannot be started: %w", err)
	}
	over := make(chan struct{})
	go direct(control, attempt, over)
	var end ending
	heard := json.NewDecoder(told).Decode(&end)
	if heard == nil {
		readers.Wait()
	}
	close(over)
	_ = keeper.Wait() // closes what the readers read
	if heard != nil {
		return nil, fmt.Errorf("the process that supervised the script was killed, so it was stopped")
	}
	return &end, nil
}

// direct tells the keeper how long the lease is valid, and when to stop.
func direct(control io.Writer, attempt *Attempt, over <-chan struct{}) {
	asked := attempt.Stop.Asked
	fmt.Fprintf(control, "lease %d\n", attempt.Lease.Until())
	for {
		select {
		case <-attempt.Lease.moved:
			fmt.Fprintf(control, "lease %d\n", attempt.Lease.Until())
		case <-attempt.Stop.Killed:
			fmt.Fprintln(control, "kill 0")
			return
		case <-asked:
			fmt.Fprintf(control, "stop %d\n", int64(attempt.Grace*1e9))
			asked = nil
		case <-over:
			return
		}
	}
}

// follow reads both outputs of a program until they are closed.
func follow(program *exec.Cmd, attempt *Attempt) (*sync.WaitGroup, error) {
	made := &sync.WaitGroup{}
	out, err := program.StdoutPipe()
	if err != nil {
		return nil, err
	}
	complaints, err := program.StderrPipe()
	if err != nil {
		return nil, err
	}
	made.Add(2)
	for stream, pipe := range map[string]io.Reader{"stdout": out, "stderr": complaints} {
		go func(stream string, pipe io.Reader) {
			defer made.Done()
			newOutput(stream, attempt).copy(pipe)
		}(stream, pipe)
	}
	return made, nil
}
