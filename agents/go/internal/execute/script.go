package execute

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"horae-agent/internal/protocol"
	"horae-agent/internal/template"
)

const largestResult = 64 << 10 // bytes

// Of the agent's environment, scripts see only these.
var inherited = []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"}

// ScriptTarget is a target of kind script (docs/targets/script.md).
type ScriptTarget struct {
	Kind        string            `json:"kind"`
	Interpreter string            `json:"interpreter"`
	Source      *string           `json:"source"`
	File        *string           `json:"file"`
	Args        []string          `json:"args"`
	Env         map[string]string `json:"env"`
	Cwd         *string           `json:"cwd"`
	Limits      map[string]*any   `json:"limits"`
	Sandbox     *map[string]*any  `json:"sandbox"`
	env         map[string]*template.Template
}

func readScript(text []byte) (*ScriptTarget, error) {
	made := &ScriptTarget{Interpreter: "bash"}
	if err := strictly(text, made); err != nil {
		return nil, err
	}
	if (made.Source == nil) == (made.File == nil) {
		return nil, fmt.Errorf("must have either source or file")
	}
	for name, limit := range made.Limits {
		if limit != nil {
			return nil, fmt.Errorf("limits.%s: this agent does not limit scripts", name)
		}
	}
	if made.Sandbox != nil {
		return nil, fmt.Errorf("sandbox: this agent has none")
	}
	var err error
	made.env, err = parseAll("env", made.Env)
	return made, err
}

// Script carries out a script.
func Script(attempt *Attempt) protocol.Outcome {
	folder, err := os.MkdirTemp("", "horae-")
	if err != nil {
		return Failure(false, "no folder for the script: "+err.Error())
	}
	defer os.RemoveAll(folder)
	target := attempt.Definition.Script
	command, err := target.command(folder)
	if err != nil {
		return Failure(true, err.Error())
	}
	result := filepath.Join(folder, "result")
	environment, err := target.environment(attempt, result)
	if err != nil {
		return Failure(true, err.Error())
	}
	directory := os.Getenv("HOME")
	if target.Cwd != nil {
		directory = *target.Cwd
	}
	if at, err := os.Stat(directory); directory != "" && (err != nil || !at.IsDir()) {
		return Failure(true, fmt.Sprintf("the folder %s does not exist on this machine", directory))
	}
	end, err := (&process{command, environment, directory}).run(attempt)
	if err != nil {
		return Failure(false, err.Error())
	}
	return end.outcome(result)
}

func (t *ScriptTarget) command(folder string) ([]string, error) {
	name := t.Interpreter
	var command []string
	switch {
	case name == "python":
		name, command = "python3", []string{"-u"}
	case name != "bash" && name != "sh" && !strings.HasPrefix(name, "/"):
		return nil, fmt.Errorf("the interpreter must be bash, sh, python or an absolute path")
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("the interpreter %s does not exist on this machine", name)
	}
	script := filepath.Join(folder, "script")
	if t.Source != nil {
		if err := os.WriteFile(script, []byte(*t.Source), 0o600); err != nil {
			return nil, err
		}
	} else {
		script = *t.File
		if at, err := os.Stat(script); err != nil || !at.Mode().IsRegular() {
			return nil, fmt.Errorf("the file %s does not exist on this machine", script)
		}
	}
	command = append(append([]string{path}, command...), script)
	return append(command, t.Args...), nil
}

func (t *ScriptTarget) environment(attempt *Attempt, result string) ([]string, error) {
	values := map[string]string{}
	for _, name := range inherited {
		if value, there := os.LookupEnv(name); there {
			values[name] = value
		}
	}
	run := attempt.Run
	if run.Traceparent != nil {
		values["TRACEPARENT"] = *run.Traceparent
	}
	for name, text := range t.env {
		value, err := attempt.fill("env."+name, text)
		if err != nil {
			return nil, err
		}
		if strings.ContainsRune(value, 0) {
			return nil, refuse("env.%s has a NUL character, which no environment can hold", name)
		}
		values[name] = value
	}
	values["HORAE_RUN_ID"], values["HORAE_JOB_NAME"] = run.ID, attempt.Definition.Name
	values["HORAE_ATTEMPT"], values["HORAE_TRIGGER"] = strconv.Itoa(run.Attempt), run.Trigger
	values["HORAE_SCHEDULED_FOR"], values["HORAE_RESULT"] = "", result
	if run.ScheduledFor != nil {
		values["HORAE_SCHEDULED_FOR"] = *run.ScheduledFor
	}
	made := make([]string, 0, len(values))
	for name, value := range values {
		made = append(made, name+"="+value)
	}
	return made, nil
}

// outcome is what the end of a script means.
func (e *ending) outcome(path string) protocol.Outcome {
	if e.Error != "" {
		return Failure(true, e.Error)
	}
	result, complaint := readResult(path)
	status := syscall.WaitStatus(e.Status)
	code := status.ExitStatus()
	made := protocol.Outcome{Kind: protocol.Succeeded}
	switch {
	case status.Signaled():
		code = 128 + int(status.Signal())
		made = Failure(false, "killed by signal "+signalName(status.Signal()))
	case code != 0:
		made = Failure(false, fmt.Sprintf("exit code %d", code))
	case complaint != "":
		made = Failure(true, complaint) // the work itself is done, and repeating it would write the same
	}
	made.ExitCode, made.Result = &code, result
	return made
}

func signalName(signal syscall.Signal) string {
	names := map[syscall.Signal]string{
		syscall.SIGHUP: "HUP", syscall.SIGINT: "INT", syscall.SIGQUIT: "QUIT", syscall.SIGILL: "ILL",
		syscall.SIGABRT: "ABRT", syscall.SIGBUS: "BUS", syscall.SIGFPE: "FPE", syscall.SIGKILL: "KILL",
		syscall.SIGSEGV: "SEGV", syscall.SIGPIPE: "PIPE", syscall.SIGALRM: "ALRM", syscall.SIGTERM: "TERM",
		syscall.SIGUSR1: "USR1", syscall.SIGUSR2: "USR2", syscall.SIGXCPU: "XCPU",
	}
	if name, known := names[signal]; known {
		return name
	}
	return strconv.Itoa(int(signal))
}

// readResult is the JSON that the script left, or what is wrong with it. The script could have put anything there.
func readResult(path string) (*string, string) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if os.IsNotExist(err) {
		return nil, ""
	}
	if err != nil {
		return nil, "the result cannot be read: " + err.Error()
	}
	defer file.Close()
	if at, err := file.Stat(); err != nil || !at.Mode().IsRegular() {
		return nil, "the result is not a file"
	}
	raw := make([]byte, largestResult+1)
	size, _ := io.ReadFull(file, raw)
	text := strings.TrimSpace(string(raw[:size]))
	switch {
	case text == "":
		return nil, ""
	case size > largestResult:
		return nil, "the result is longer than 64 KiB"
	case !json.Valid([]byte(text)):
		return nil, "the result is not JSON"
	}
	return &text, ""
}
