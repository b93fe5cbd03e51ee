package builtin

import (
	"bytes"
	"testing"

	"github.com/rs/zerolog"

	"botwork/handlers"
)

func TestLog(t *testing.T) {
	var b bytes.Buffer
	call := &handlers.Call{Input: "in", Log: zerolog.New(&b)}
	for level, want := range map[string]string{
		"info": `{"level":"info","fields":{"a":1},"message":"hi"}`,
		"warn": `{"level":"warn","fields":{"a":1},"message":"hi"}`,
	} {
		b.Reset()
		out, err := run(t, logKind(), map[string]any{"message": "hi", "level": level, "fields": map[string]any{"a": 1}}, call)
		if err != nil || out != "in" {
			t.Errorf("Log = %v, %v, want its input", out, err)
		}
		if got := b.String(); got != want+"\n" {
			t.Errorf("logged %s want %s", got, want)
		}
	}
	wantInvalid(t, logKind(), map[string]any{"message": "hi", "level": "fatal"}, "want one of debug, info, warn, error")
}
