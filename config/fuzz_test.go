package config_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botwork/config"
)

// FuzzParse checks that Parse never panics, reports positions inside the text, finds
// everything that Validate finds, is deterministic, and shows no secret, neither in a finding
// nor in the settings that it returns.
func FuzzParse(f *testing.F) {
	f.Add(config.Sample())
	f.Add([]byte("database: {driver: postgres, dsn: {env: X}}\nsecrets: {a: {file: b}, c: d}\nworker: {labels: {a: 1}}\n"))
	for _, pattern := range []string{"testdata/wrong/*.yaml", "../examples/*/project/botwork.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds in %s (error %v)", pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	const hidden = "Zq8hiddenZq8"
	f.Fuzz(func(t *testing.T, data []byte) {
		checkParse(t, data)
		if bytes.Contains(data, []byte(hidden)) {
			return
		}
		// The same before and after settings with secrets.
		withSecrets := "secrets: {probe: " + hidden + "}\nconnections: {probe: {driver: postgres, dsn: 'postgres://u:" + hidden + "@h/d'}}\n"
		for _, text := range []string{withSecrets + string(data), string(data) + "\n" + withSecrets} {
			c, findings := config.Parse("botwork.yaml", []byte(text))
			if shown := fmt.Sprintf("%v\n%+v", findings, c); strings.Contains(shown, hidden) {
				t.Errorf("Parse(%q) shows the secret:\n%s", text, findings)
			}
		}
	})
}

func checkParse(t *testing.T, data []byte) {
	t.Helper()
	c, findings := config.Parse("botwork.yaml", data)
	if err := c.Validate(); err != nil && len(findings) == 0 {
		t.Errorf("Parse(%q) found nothing, Validate %v", data, err)
	}
	lines := 1
	for _, r := range string(data) {
		if strings.ContainsRune("\n\r\u0085\u2028\u2029", r) {
			lines++
		}
	}
	for _, finding := range findings {
		if finding.Line < 1 || finding.Line > lines+1 || finding.Column < 1 || finding.Message == "" || finding.Code == "" {
			t.Errorf("Parse(%q) found %+v, which has no place in %d lines", data, finding, lines)
		}
	}
	if _, again := config.Parse("botwork.yaml", data); again.Error() != findings.Error() {
		t.Errorf("Parse(%q) found\n%v\nand then\n%v", data, findings, again)
	}
}
