package handlers

import (
	"errors"
	"testing"
	"time"
)

func TestOutcomeKinds(t *testing.T) {
	_, err := run(t, breakKind(), map[string]any{"reason": "done"}, nil)
	var ended *BreakError
	if !errors.As(err, &ended) || ended.Reason != "done" {
		t.Errorf("Break = %v", err)
	}
	_, err = run(t, snoozeKind(), map[string]any{"for": "15m", "reason": "later"}, nil)
	var snoozed *SnoozeError
	if !errors.As(err, &snoozed) || snoozed.After != 15*time.Minute || snoozed.Reason != "later" {
		t.Errorf("Snooze = %v", err)
	}
	for _, kind := range []string{"error", "business", "permanent"} {
		_, err := run(t, failKind(), map[string]any{"message": "no", "kind": kind}, nil)
		wantError(t, err, kind, "no")
	}
	_, err = run(t, failKind(), map[string]any{"message": "no"}, nil)
	wantError(t, err, "error", "no")
	wantInvalid(t, snoozeKind(), map[string]any{"for": "-1s"}, "for: want 0s or more")
}
