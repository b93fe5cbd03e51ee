package builtin

import (
	"errors"
	"testing"
	"time"

	"botwork/handlers"
)

func TestOutcomeKinds(t *testing.T) {
	_, err := run(t, breakKind(), map[string]any{"reason": "done"}, nil)
	var ended *handlers.BreakError
	if !errors.As(err, &ended) || ended.Reason != "done" {
		t.Errorf("Break = %v", err)
	}
	_, err = run(t, snoozeKind(), map[string]any{"for": "15m", "reason": "later"}, nil)
	var snoozed *handlers.SnoozeError
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

	_, err = run(t, dropKind(), map[string]any{"reason": "withdrawn"}, nil)
	if dropped, ok := errors.AsType[*handlers.DropError](err); !ok || dropped.Reason != "withdrawn" {
		t.Errorf("Drop = %v, want a *DropError with the reason", err)
	}
	for counted, want := range map[bool]bool{true: false, false: true} {
		_, err = run(t, failKind(), map[string]any{"message": "away", "counted": counted}, nil)
		if _, uncounted := errors.AsType[*handlers.UncountedError](err); uncounted != want || err.Error() != "away" {
			t.Errorf("Fail with counted %t = %#v, want an uncounted failure: %t", counted, err, want)
		}
	}
	wantInvalid(t, failKind(), map[string]any{"message": "no", "kind": "business", "counted": false}, "counted: only a failure of the kind error")
}
