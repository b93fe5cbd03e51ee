package strictyaml_test

import (
	"strings"
	"testing"
	"time"

	"botwork/internal/author/strictyaml"
)

// The time for a long line grows with its length, not with the square of it.
func TestLongLine(t *testing.T) {
	for name, text := range map[string]string{
		"plain":  "a: [" + strings.Repeat("1,", 200_000) + "1]\n",
		"quoted": "a: [" + strings.Repeat(`"ä",`, 200_000) + "1]\n",
		"nested": strings.Repeat("- ", 50_000),
		"keys":   "{" + strings.Repeat(`"a": 1,`, 50_000) + "}\n",
	} {
		began := time.Now()
		if _, findings := strictyaml.Parse("f", []byte(text)); name != "keys" && name != "nested" && len(findings) > 0 {
			t.Errorf("%s: %v", name, findings[0])
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: took %v, want at most 5s", name, took)
		}
	}
}
