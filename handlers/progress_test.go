package handlers

import "testing"

func TestProgress(t *testing.T) {
	var told []string
	call := &Call{Input: "in", OnProgress: func(text string) { told = append(told, text) }}
	for _, text := range []string{"half of 12", "all of 12"} {
		if out, err := run(t, progressKind(), map[string]any{"text": text}, call); err != nil || out != "in" {
			t.Errorf("Progress = %v, %v, want its input", out, err)
		}
	}
	if len(told) != 2 || told[0] != "half of 12" || told[1] != "all of 12" {
		t.Errorf("told %q, want both texts in order", told)
	}
	// In a run that belongs to no item nobody listens.
	if out, err := run(t, progressKind(), map[string]any{"text": "half"}, &Call{Input: "in"}); err != nil || out != "in" {
		t.Errorf("Progress without a listener = %v, %v, want its input", out, err)
	}
	wantInvalid(t, progressKind(), map[string]any{}, "text")
}
