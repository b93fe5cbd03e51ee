package builtin

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"botwork/handlers"
	"botwork/internal/values"
)

// stdin returns what the program reads; an error is a wrong parameter.
func (s *execStep) stdin(call *handlers.Call) (string, error) {
	input := s.Input
	if input == nil {
		input = call.Input
	}
	switch s.Stdin {
	case "text":
		text, ok := input.(string)
		if !ok {
			return "", fmt.Errorf("exec %s: input is %s, want text; or set stdin: json", s.Program, values.Describe(input))
		}
		return text, nil
	case "lines":
		list, ok := input.([]any)
		if !ok {
			return "", fmt.Errorf("exec %s: input is %s, want a list; or set stdin: json", s.Program, values.Describe(input))
		}
		var b strings.Builder
		for i, line := range list {
			text, err := valueText(line)
			if err != nil {
				return "", fmt.Errorf("exec %s: input, element %d: %w", s.Program, i, err)
			}
			b.WriteString(text + "\n")
		}
		return b.String(), nil
	case "json":
		text, err := encodeJSON(input, "")
		if err != nil {
			return "", fmt.Errorf("exec %s: write input as json: %w", s.Program, err)
		}
		return text, nil
	}
	return "", nil
}

// environment returns botwork's own environment without variables that may contain its
// secrets, and with variables that identify the run.
func (s *execStep) environment(call *handlers.Call) []string {
	env := slices.DeleteFunc(os.Environ(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return strings.HasPrefix(strings.ToUpper(pair), "BOTWORK_") || slices.ContainsFunc(s.secretEnv, func(secret string) bool {
			return name == secret || runtime.GOOS == "windows" && strings.EqualFold(name, secret)
		})
	})
	env = append(env,
		"BOTWORK_PIPELINE="+call.Pipeline, "BOTWORK_STEP="+call.Step,
		"BOTWORK_ITEM_ID="+strconv.FormatInt(call.ItemID, 10), "BOTWORK_ATTEMPT="+strconv.Itoa(call.Attempt),
		"BOTWORK_FENCE="+strconv.FormatInt(call.Fence, 10))
	if key := idempotencyKey(call); key != "" {
		env = append(env, "BOTWORK_IDEMPOTENCY_KEY="+key)
	}
	for name, value := range s.Env {
		env = append(env, name+"="+value)
	}
	return env
}

// output reads what the program wrote.
func (s *execStep) output(stdout []byte) (any, error) {
	if s.Stdout == "json" {
		v, err := values.DecodeJSON(bytes.TrimSpace(stdout))
		if err != nil {
			return nil, fmt.Errorf("read the output: %w", err)
		}
		return v, nil
	}
	text := strings.ToValidUTF8(string(stdout), "�")
	if s.Stdout == "text" {
		return text, nil
	}
	lines := []any{}
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimRight(line, "\r\n"))
	}
	return lines, nil
}

// limitedBuffer keeps up to limit bytes and calls full once when there are more. It drops the
// other bytes, so that the writer does not block before it is stopped. It does not embed the
// buffer, whose ReadFrom has no limit.
type limitedBuffer struct {
	kept  bytes.Buffer
	limit int64
	full  func()

	overflowed bool
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if room := b.limit - int64(b.kept.Len()); int64(len(p)) > room {
		b.kept.Write(p[:room])
		if !b.overflowed {
			b.overflowed = true
			b.full()
		}
		return len(p), nil
	}
	return b.kept.Write(p)
}

// tailBuffer keeps the last limit bytes.
type tailBuffer struct {
	kept  []byte
	limit int
	cut   bool
}

func (b *tailBuffer) Write(p []byte) (int, error) {
	b.kept = append(b.kept, p...)
	if extra := len(b.kept) - b.limit; extra > 0 {
		b.kept, b.cut = append(b.kept[:0], b.kept[extra:]...), true
	}
	return len(p), nil
}

// String returns the kept text, with a … before it if the start is missing; a cut character is
// replaced.
func (b *tailBuffer) String() string {
	text := strings.ToValidUTF8(string(b.kept), "�")
	if b.cut {
		return cutMark + text
	}
	return text
}
