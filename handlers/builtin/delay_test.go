package builtin

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"botwork/handlers"
)

func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		out, err := run(t, delayKind(), map[string]any{"for": "90s"}, &handlers.Call{Input: "in"})
		if took := time.Since(began); err != nil || out != "in" || took != 90*time.Second {
			t.Errorf("Delay = %v, %v after %s, want its input after 1m30s", out, err, took)
		}
	})
}

func TestDelayStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := delayKind().Build(map[string]any{"for": "1h"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		began := time.Now()
		_, err = h.Handle(ctx, &handlers.Call{})
		wantError(t, err, "error", "deadline exceeded")
		if took := time.Since(began); took != time.Minute {
			t.Errorf("stopped after %s, want 1m", took)
		}
	})
	wantInvalid(t, delayKind(), map[string]any{"for": "-1s"}, "for: want 0s or more")
}
