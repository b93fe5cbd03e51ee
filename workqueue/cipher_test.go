package workqueue

import (
	"encoding/json"
	"testing"
)

func TestSealed(t *testing.T) {
	for text, want := range map[string]bool{
		SealedPrefix + "AbCd":    true,
		"botwork:sealed:2:AbCd":  true, // of a later version: it must not count as plain text
		"":                       false,
		`{"a": 1}`:               false,
		`"botwork:sealed:1:AbCd`: false,
		"botwork:sealed":         false,
	} {
		if got := Sealed(text); got != want {
			t.Errorf("Sealed(%q) = %t, want %t", text, got, want)
		}
		if want && json.Valid([]byte(text)) {
			t.Errorf("%q is both JSON and sealed", text)
		}
	}
}
