package execute

import (
	"os"
	"testing"
)

// TestMain lets the program of the tests be its own keeper.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == KeepCommand {
		Keep(os.Args[2:])
		return
	}
	os.Exit(m.Run())
}

// The end of a script and the end of its last process are seen at the same moment: the status must not get lost.
func TestTheStatusOfAScriptIsNeverLost(t *testing.T) {
	definition := `{"name": "j", "timeout": 5, "target": {"kind": "script", "interpreter": "sh", "source": "exit 3"}}`
	for try := 0; try < 60; try++ {
		if made := Script(attemptOf(t, definition, nil)); made.ExitCode == nil || *made.ExitCode != 3 {
			t.Fatalf("try %d: %+v", try, made)
		}
	}
}
