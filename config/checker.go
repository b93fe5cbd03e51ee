package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"botwork/internal/author/strictyaml"
	"botwork/internal/database"
)

// namePattern matches valid names of connections, secrets and labels: names that expressions
// can use.
var namePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// checker collects errors in the settings. Its methods have the path of a setting as an
// argument, for the position.
type checker struct {
	*Config
	findings strictyaml.Findings
}

func (k *checker) add(path, code, message, hint string) {
	k.findings = append(k.findings, k.finding(path, code, message, hint))
}

// present reports a key that is neither in the file nor in the environment. It does not report
// an invalid value, which the reader has already reported.
func (k *checker) present(path, key string, is bool) bool {
	if !is && !k.broken[path] && !k.broken[path+"."+key] {
		k.add(path, "missing-key", fmt.Sprintf("key %q is missing", key), "")
	}
	return is
}

func (k *checker) driver(path string, driver database.Driver) bool {
	names := make([]string, len(database.Drivers))
	for i, d := range database.Drivers {
		names[i] = string(d)
	}
	return k.choice(path, string(driver), names)
}

// name checks the name of a key in a section.
func (k *checker) name(section, name string) {
	if !namePattern.MatchString(name) {
		k.add(section+"."+name, "invalid-name", fmt.Sprintf("got the name %q, want letters, digits, _ and -, and no digit in front", name), "")
	}
}

func (k *checker) choice(path, got string, known []string) bool {
	if slices.Contains(known, got) {
		return true
	}
	k.add(path, "invalid-value", fmt.Sprintf("got %q, want %s", got, strings.Join(known, ", ")), strictyaml.Suggest(got, known))
	return false
}

func (k *checker) between(path string, got, low, high int) bool {
	if got >= low && got <= high {
		return true
	}
	k.add(path, "out-of-range", fmt.Sprintf("got %d, want %d to %d", got, low, high), "")
	return false
}

func (k *checker) atLeast(path string, got, low time.Duration) bool {
	if got >= low {
		return true
	}
	k.add(path, "out-of-range", fmt.Sprintf("got %s, want %s or more", brief(got), brief(low)), "")
	return false
}

// brief formats a duration in short form: 1m, not 1m0s.
func brief(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
