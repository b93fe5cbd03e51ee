package builtin

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The attacks work on a batch file that is started as any other program is.
func TestNoArgumentOfABatchFileIsACommand(t *testing.T) {
	// Not the test's own folder: Wine cannot remove that with what is in it.
	folder, err := os.MkdirTemp("", "batch")
	if err != nil {
		t.Fatal(err)
	}
	tool := filepath.Join(folder, "tool.bat")
	t.Cleanup(func() {
		if err := errors.Join(os.Remove(tool), os.Remove(folder)); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(tool, []byte("@echo off\r\necho got %*\r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+";"+os.Getenv("PATH"))
	owned := filepath.Join(folder, "owned")
	attacks := []string{"x&echo owned>" + owned, "x&echo.>" + owned, `x"&echo.>` + owned + `&rem "`}
	worked := 0
	for _, attack := range attacks {
		_ = exec.Command(tool, attack).Run()
		if os.Remove(owned) == nil {
			worked++
		}
	}
	if worked == 0 {
		t.Error("no attack works here: the test shows nothing")
	}
	for _, attack := range attacks {
		for _, with := range []map[string]any{
			{"program": "tool"}, {"program": "tool.bat"}, {"program": filepath.Join(folder, "tool")},
			{"program": filepath.Join(folder, "TOOL.BAT")}, {"program": `.\tool`, "dir": folder},
			{"program": filepath.Join(folder, "tool.bat.")}, {"program": filepath.Join(folder, "tool.bat ")},
		} {
			with["args"] = []any{attack}
			_, err := run(t, execKind(Resources{}), with, nil)
			wantError(t, err, "permanent", "batch file", "env or stdin")
			if os.Remove(owned) == nil {
				t.Errorf("%v: the argument was a command", with)
			}
		}
	}
	out, err := run(t, execKind(Resources{}), map[string]any{"program": "tool", "args": []any{"run", "--a=b c"}}, nil)
	if err != nil || !strings.Contains(out.(map[string]any)["output"].(string), `got run "--a=b c"`) {
		t.Errorf("plain arguments: %v, %v, want them passed", out, err)
	}
}
