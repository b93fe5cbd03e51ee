package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/handlers"
	"botwork/internal/tests/chaos/ledger"
)

var errOver = errors.New("over")

func TestRunWritesLedgerLines(t *testing.T) {
	over, end := context.WithCancelCause(t.Context())
	end(errOver)
	tests := map[string]struct {
		ctx      context.Context
		attempt  int
		failures int
		fails    bool
		cause    error
		last     ledger.Kind
		step     string
	}{
		"a success":                     {t.Context(), 1, 0, false, nil, ledger.End, ""},
		"a failure by design":           {t.Context(), 2, 2, true, nil, ledger.Fail, ""},
		"a success after failures":      {t.Context(), 3, 2, false, nil, ledger.End, ""},
		"a run whose context has ended": {over, 1, 0, true, errOver, ledger.Cancelled, ""},
		"one of several steps":          {t.Context(), 1, 0, false, nil, ledger.End, "lines[2]"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ledger")
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			w := &work{Ledger: path, For: handlers.Duration(4 * tick), Failures: tt.failures, Steps: tt.step != ""}
			_, err := w.Handle(tt.ctx, &handlers.Call{ItemID: 7, Fence: 3, Attempt: tt.attempt, Step: "lines[2]"})
			if (err != nil) != tt.fails || !errors.Is(err, tt.cause) && tt.cause != nil {
				t.Errorf("Handle = %v, want an error: %t (%v)", err, tt.fails, tt.cause)
			}
			file, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			lines, err := ledger.Read(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(lines) < 2 || lines[0].Kind != ledger.Begin || lines[len(lines)-1].Kind != tt.last {
				t.Fatalf("lines = %+v, want them to begin with %s and to end with %s", lines, ledger.Begin, tt.last)
			}
			want := ledger.Run{Item: 7, Fence: 3, Attempt: tt.attempt, PID: os.Getpid(), Worker: os.Getenv("BOTWORK_WORKER_NAME"), Step: tt.step}
			for i, l := range lines {
				if diff := cmp.Diff(want, l.Run); diff != "" {
					t.Errorf("line %d (-want +got):\n%s", i, diff)
				}
				if i > 0 && i < len(lines)-1 && l.Kind != ledger.Tick {
					t.Errorf("line %d is %s, want tick", i, l.Kind)
				}
			}
			if took := lines[len(lines)-1].Time().Sub(lines[0].Time()); tt.last != ledger.Cancelled && took < 3*tick {
				t.Errorf("the run took %v, want 4 ticks of %v", took, tick)
			}
		})
	}
}
