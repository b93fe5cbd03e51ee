package handlers

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90s":     90 * time.Second,
		"7s":      7 * time.Second,
		"1h30m":   90 * time.Minute,
		"250ms":   250 * time.Millisecond,
		"7d":      7 * 24 * time.Hour,
		"-5s":     -5 * time.Second,
		"-7d":     -7 * 24 * time.Hour,
		"0s":      0,
		"106751d": 106751 * 24 * time.Hour,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "7", "0", "7 d", "1.5d", "--1d", "106752d", "-106752d", "7days", "d", "ten"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("ParseDuration(%q) = %v, want an error", text, got)
		}
	}
}

func TestDurationString(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"15m": 15 * time.Minute, "2h": 2 * time.Hour, "1h30m": 90 * time.Minute, "1m30s": 90 * time.Second,
		"10s": 10 * time.Second, "20m": 20 * time.Minute, "0s": 0, "1h0m5s": time.Hour + 5*time.Second,
		"7d": 7 * 24 * time.Hour, "-1d": -24 * time.Hour, "25h": 25 * time.Hour,
	} {
		if got := Duration(d).String(); got != want {
			t.Errorf("Duration(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestSize(t *testing.T) {
	for text, want := range map[string]Size{"10MB": 10 << 20, "512kb": 512 << 10, "1 GB": 1 << 30, "100": 100, "7B": 7, "0": 0} {
		var got Size
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("size %q = %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "MB", "1.5MB", "-1", "9999999999GB", "10 apples"} {
		var got Size
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("size %q = %d, want an error", text, got)
		}
	}
	for want, s := range map[string]Size{"10MB": 10 << 20, "1025B": 1025, "0B": 0} {
		if got := s.String(); got != want {
			t.Errorf("Size(%d) = %q, want %q", int64(s), got, want)
		}
	}
}

func TestSecretNeverPrints(t *testing.T) {
	s := Secret("hunter2")
	text, err := json.Marshal(map[string]any{"password": s})
	if err != nil {
		t.Fatal(err)
	}
	all := fmt.Sprintf("%v %s %q %#v %+v %s", s, s, s, s, struct{ P Secret }{s}, text)
	if strings.Contains(all, "hunter2") {
		t.Errorf("the secret shows: %s", all)
	}
	if got := fmt.Sprint(Secret("")); got != "" {
		t.Errorf("an empty secret prints as %q, want nothing", got)
	}
}
