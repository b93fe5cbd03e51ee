package programs

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// These processes work in the same way on all systems. A worker runs a program, which starts
// another one. Both have a connection to the test, which closes when they end.

// self returns a command that runs this test binary in a role.
func self(ctx context.Context, role string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	return cmd
}

// workerRole runs a program. A line on its standard input is the second Ctrl-C.
func workerRole(args []string) int {
	account := Watched()
	go func() {
		_ = account.Run(context.Background(), self(context.Background(), "program", args...), zerolog.Nop())
		panic("the program has ended")
	}()
	if _, err := os.Stdin.Read(make([]byte, 1)); err != nil {
		return 3
	}
	return account.Kill()
}

func programRole(args []string) int {
	if err := self(context.Background(), "grandchild", args...).Start(); err != nil {
		panic(err)
	}
	return grandchildRole(args)
}

func grandchildRole(args []string) int {
	conn, err := net.Dial("tcp", args[0])
	if err != nil {
		panic(err)
	}
	_, _ = io.Copy(io.Discard, conn)
	select {} // it continues even after the end of the test
}

func TestProgramsEndWithTheirWorker(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, worker *exec.Cmd, stdin io.Writer){
		"killed": func(t *testing.T, worker *exec.Cmd, _ io.Writer) {
			if err := worker.Process.Kill(); err != nil {
				t.Error(err)
			}
			_ = worker.Wait()
		},
		"by a forced exit": func(t *testing.T, worker *exec.Cmd, stdin io.Writer) {
			if _, err := stdin.Write([]byte("\n")); err != nil {
				t.Error(err)
			}
			_ = worker.Wait()
			if n := worker.ProcessState.ExitCode(); n != 1 {
				t.Errorf("Kill() = %d, want 1", n)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			worker := self(t.Context(), "worker", listener.Addr().String())
			stdin, err := worker.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := worker.Start(); err != nil {
				t.Fatal(err)
			}
			var conns []net.Conn
			for range 2 {
				if err := listener.(*net.TCPListener).SetDeadline(time.Now().Add(patience)); err != nil {
					t.Fatal(err)
				}
				conn, err := listener.Accept()
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				conns = append(conns, conn)
			}
			end(t, worker, stdin)
			for _, conn := range conns {
				if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
					t.Fatal(err)
				}
				if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("read from a program: %v, want the end of the connection", err)
				}
			}
		})
	}
}
