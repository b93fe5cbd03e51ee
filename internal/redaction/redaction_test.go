package redaction

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

func TestRedact(t *testing.T) {
	r := New("abc", "pass word/1", "pass word/1 and more", `a"b<c`)
	for text, want := range map[string]string{
		"abc is too short":     "abc is too short",
		"xpass word/1x":        "x<secret>x",
		"pass word/1 and more": "<secret>",
		"?p=pass+word%2F1&q":   "?p=<secret>&q",
		"/pass%20word%2F1/":    "/<secret>/",
		`{"x":"a\"b<c"}`:       `{"x":"<secret>"}`,
		`{"x":"a\"b\u003cc"}`:  `{"x":"<secret>"}`,
		`a"b<c`:                "<secret>",
		"says pass wo…":        "says <secret>…",
		"says pas…":            "says pas…",
		"…word/1, more":        "…<secret>, more",
		"…nd more x":           "…<secret> x",
	} {
		if got := r.Redact(text); got != want {
			t.Errorf("Redact(%s) = %s, want %s", text, got, want)
		}
	}
	var none *Redactor
	if got := none.Redact("a"); got != "a" || New("x") != nil {
		t.Errorf("without secrets: %q", got)
	}
}

// levels records the levels and texts that a LevelWriter receives.
type levels struct {
	bytes.Buffer
	level zerolog.Level
}

func (l *levels) WriteLevel(level zerolog.Level, line []byte) (int, error) {
	l.level = level
	return l.Write(line)
}

func TestRedactEncodings(t *testing.T) {
	const secret = "hu?nt>er~22"
	r := New(secret)
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if got := r.Redact("x " + encoding.EncodeToString([]byte(secret)) + " y"); got != "x <secret> y" {
			t.Errorf("in base64: %s", got)
		}
		for _, before := range []string{"a:", "ab:", "abc:"} {
			for _, after := range []string{"", "x", "xy", "xyz"} {
				text := encoding.EncodeToString([]byte(before + secret + after))
				got := r.Redact(text)
				if !strings.Contains(got, "<secret>") {
					t.Errorf("%s within base64, %s, stays %s", before+secret+after, text, got)
				}
				// The remaining characters may contain one or two bits at each end.
				if left := len(got) - len("<secret>"); left > len(encoding.EncodeToString([]byte(before)))+len(encoding.EncodeToString([]byte(after)))+4 {
					t.Errorf("%s within base64, %s, leaves %s", before+secret+after, text, got)
				}
			}
		}
	}
	for _, text := range []string{hex.EncodeToString([]byte(secret)), fmt.Sprintf("%X", secret), url.QueryEscape(secret), url.PathEscape(secret)} {
		if got := r.Redact("x " + text + " y"); got != "x <secret> y" {
			t.Errorf("%s stays %s", text, got)
		}
	}
	control := New("a\x00bc\td")
	if got := control.Redact(fmt.Sprintf("%q", "a\x00bc\td")); got != `"<secret>"` {
		t.Errorf("in quotes: %s", got)
	}
}

func TestRedactingWriter(t *testing.T) {
	to := &levels{}
	log := zerolog.New(New("hunter22").Writer(to))
	log.Warn().Str("password", "hunter22").Msg("with hunter22")
	want := `{"level":"warn","password":"<secret>","message":"with <secret>"}` + "\n"
	if to.String() != want || to.level != zerolog.WarnLevel {
		t.Errorf("line at %v: %s, want %s", to.level, to, want)
	}
	var plain bytes.Buffer
	w := New("hunter22").Writer(&plain)
	if n, err := w.Write([]byte("hunter22")); n != 8 || err != nil || plain.String() != "<secret>" {
		t.Errorf("Write = %d, %v, %q", n, err, plain.String())
	}
}
