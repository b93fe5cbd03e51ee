package pipelines_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"botwork/cmd"
	pipelinescmd "botwork/cmd/pipelines"

	"botwork/cmd/internal/cli"
	"botwork/handlers"
)

// deaf is a handler that ignores the cancellation of its context.
type deaf struct{ begun, end chan bool }

func (d *deaf) Handle(context.Context, *handlers.Call) (any, error) {
	close(d.begun)
	<-d.end
	return nil, nil
}

func TestInterruptedRunAbandonsDeafHandler(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.Mkdir("pipelines", 0o755), os.WriteFile("pipelines/deaf.yaml", []byte("steps: [{handler: Deaf}]\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		step := &deaf{begun: make(chan bool), end: make(chan bool)}
		kind := handlers.Kind{
			Name: "Deaf", Summary: "Ignore the end", Doc: "Waits.", Output: "nothing.", Example: "- handler: Deaf\n",
			New: func() handlers.Handler { return step },
		}
		ctx, cancel := context.WithCancel(t.Context())
		var stderr bytes.Buffer
		code := make(chan int, 1)
		go func() {
			code <- cmd.Run(ctx, []string{"pipelines", "run", "deaf"}, strings.NewReader(""), &bytes.Buffer{}, &stderr, nil, kind)
		}()
		<-step.begun
		interrupted := time.Now()
		cancel()
		got := <-code
		if took := time.Since(interrupted); got != cli.ExitFailed || took != pipelinescmd.StopWithin || !strings.Contains(stderr.String(), "has not stopped within 10s") {
			t.Errorf("exit code %d after %v, want %d after %v; standard error: %s", got, took, cli.ExitFailed, pipelinescmd.StopWithin, &stderr)
		}
		close(step.end)
	})
}
