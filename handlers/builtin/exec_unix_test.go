//go:build unix

package builtin

import (
	"context"
	"errors"
	"io"
	"net"
	"os/exec"
	"testing"
	"time"

	"botwork/handlers"
)

// grandchild makes a program that starts another one; both hold a connection
// to the test, which breaks when the last of them dies. script follows the
// connect; it starts the grandchild.
func grandchild(t *testing.T, script string) (h handlers.Handler, connected, died func()) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is needed for its /dev/tcp:", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	h, err = execKind(Resources{}).Build(map[string]any{
		"program": "bash", "args": []any{"-c", "exec 3<>/dev/tcp/127.0.0.1/" + port + "; " + script},
	})
	if err != nil {
		t.Fatal(err)
	}
	var conn net.Conn
	connected = func() {
		if conn, err = listener.Accept(); err != nil {
			t.Fatal(err)
		}
	}
	died = func() {
		defer conn.Close()
		if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("read from the grandchild: %v, want the end of the connection", err)
		}
	}
	return h, connected, died
}

func TestExecKillsGrandchildrenWhenCancelled(t *testing.T) {
	h, connected, died := grandchild(t, "sleep 1000 & wait")
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := h.Handle(ctx, &handlers.Call{})
		done <- err
	}()
	connected()
	cancel()
	wantError(t, <-done, "error", "context canceled")
	died()
}

func TestExecKillsLeftoverProcesses(t *testing.T) {
	for _, c := range []struct{ name, script, outcome string }{
		{"quietly", "sleep 1000 >/dev/null 2>&1 &", "success"},
		{"holding the output", "sleep 1000 &", "error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, connected, died := grandchild(t, c.script)
			if c.outcome == "error" {
				h.(*execStep).waitDelay = 10 * time.Millisecond // else the test waits for two seconds
			}
			_, err := h.Handle(context.Background(), &handlers.Call{})
			wantError(t, err, c.outcome)
			if err != nil {
				wantError(t, err, c.outcome, "left processes running")
			}
			connected()
			died()
		})
	}
}
