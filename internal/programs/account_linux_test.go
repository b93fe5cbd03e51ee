package programs

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// Kill kills the programs, and their calls of Run do not return an error.
func TestKill(t *testing.T) {
	says, sayer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer says.Close()
	account := New()
	returned := make(chan error, 2)
	run := func(script string) {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
		cmd.ExtraFiles = []*os.File{sayer}
		returned <- account.Run(t.Context(), cmd, zerolog.Nop())
	}
	go run("setsid sleep 1000 & echo ready >&3; wait")
	if _, err := says.Read(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	if n := account.Kill(); n != 1 {
		t.Errorf("Kill() = %d, want 1", n)
	}
	go run("echo too late >&3")
	if err := errors.Join(sayer.Close(), says.SetReadDeadline(time.Now().Add(patience))); err != nil {
		t.Fatal(err)
	}
	wantEnd(t, says)
	select {
	case err := <-returned:
		t.Errorf("Run returned %v after Kill, want it not to return", err)
	default:
	}
}

func wantEnd(t *testing.T, says *os.File) {
	t.Helper()
	buffer := make([]byte, 100)
	if n, err := says.Read(buffer); n > 0 || !errors.Is(err, os.ErrClosed) && err.Error() != "EOF" {
		t.Errorf("read %q, %v, want the end: a process of the run still runs", buffer[:n], err)
	}
}

func TestTimeoutKillsProcessesOutsideTheGroup(t *testing.T) {
	says, sayer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer says.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, "sh", "-c", "setsid sleep 1000 & echo ready >&3; wait")
	cmd.ExtraFiles = []*os.File{sayer}
	go func() {
		_, _ = says.Read(make([]byte, 16))
		cancel()
	}()
	if err := New().Run(ctx, cmd, zerolog.Nop()); !errors.Is(err, context.Canceled) && err == nil {
		t.Errorf("Run = %v, want an error", err)
	}
	if err := errors.Join(sayer.Close(), says.SetReadDeadline(time.Now().Add(patience))); err != nil {
		t.Fatal(err)
	}
	wantEnd(t, says)
}

// The number of an ended group may belong to a process of another program.
func TestReusedProcessIDIsNotKilled(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	cmd.SysProcAttr = attributes()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	start, ok := startOf(cmd.Process.Pid)
	if !ok || start == 0 {
		t.Fatalf("startOf = %d, %t, want its start time", start, ok)
	}
	if err := (tree{cmd.Process.Pid, start - 1}).kill(); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("kill of an older group = %v, want ErrProcessDone", err)
	}
	if err := (tree{cmd.Process.Pid, start}).kill(); err != nil {
		t.Errorf("kill = %v, want none", err)
	}
	if state, err := cmd.Process.Wait(); err != nil || state.ExitCode() != -1 {
		t.Errorf("it ended with %v, %v, want killed", state, err)
	}
	if err := (tree{cmd.Process.Pid, start}).kill(); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("kill of an ended group = %v, want ErrProcessDone", err)
	}
}
