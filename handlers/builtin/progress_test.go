package builtin

import (
	"errors"
	"testing"

	"botwork/handlers"
)

func TestProgress(t *testing.T) {
	var told []string
	call := &handlers.Call{Input: "in", OnProgress: func(text string) { told = append(told, text) }}
	for _, text := range []string{"half of 12", "all of 12"} {
		if out, err := run(t, progressKind(), map[string]any{"text": text}, call); err != nil || out != "in" {
			t.Errorf("Progress = %v, %v, want its input", out, err)
		}
	}
	if len(told) != 2 || told[0] != "half of 12" || told[1] != "all of 12" {
		t.Errorf("reported %q, want both texts in order", told)
	}
	// In a run without an item there is no listener.
	if out, err := run(t, progressKind(), map[string]any{"text": "half"}, &handlers.Call{Input: "in"}); err != nil || out != "in" {
		t.Errorf("Progress without a listener = %v, %v, want its input", out, err)
	}
	wantInvalid(t, progressKind(), map[string]any{}, "at least one of text, percent, output and analytics")
	wantInvalid(t, progressKind(), map[string]any{"percent": 101}, "percent: want 0 to 100")
}

func TestProgressInNumbers(t *testing.T) {
	var percent int
	var shown any
	call := &handlers.Call{
		Input: "in", OnPercent: func(p int) { percent = p },
		OnOutput: func(v any) error { shown = v; return nil },
	}
	with := map[string]any{"percent": 40, "output": map[string]any{"order": 4711}}
	if out, err := run(t, progressKind(), with, call); err != nil || out != "in" {
		t.Errorf("Progress = %v, %v, want its input", out, err)
	}
	if order, _ := shown.(map[string]any); percent != 40 || order["order"] != 4711 {
		t.Errorf("reported %d %% and %v, want 40 %% and the order", percent, shown)
	}
	call.OnAnalytics = func(v any) error { shown = v; return nil }
	if _, err := run(t, progressKind(), map[string]any{"analytics": map[string]any{"pages": 7}}, call); err != nil {
		t.Error(err)
	}
	if pages, _ := shown.(map[string]any); pages["pages"] != 7 {
		t.Errorf("analysed %v, want the pages", shown)
	}
	call.OnOutput = func(any) error { return errors.New("no JSON") }
	_, err := run(t, progressKind(), with, call)
	wantError(t, err, "permanent", "no JSON")
}
