package filenames_test

import (
	"strings"
	"testing"

	"botwork/internal/filenames"
)

func TestCheck(t *testing.T) {
	for name, want := range map[string]string{ // "": the name is good
		"hello.yaml": "", "Ship orders": "", "a.b.c": "", ".hidden": "", "São Paulo": "", "-": "", "naïve_1": "",
		"console": "", "nul1": "", "com": "", "com10": "", "lpt": "", "auxiliary.yaml": "", "my con": "", "common.yaml": "", "con_test.yaml": "",
		strings.Repeat("a", 255): "",

		"CON": "device", "con": "device", "Con.yaml": "device", "con.tar.gz": "device", "NUL": "device", "nul.yaml": "device", "PRN": "device", "aux.yml": "device",
		"COM1": "device", "com9.yaml": "device", "COM0": "device", "LPT1.yaml": "device", "lpt0": "device", "COM¹": "device", "LPT³.yaml": "device",
		"CONIN$": "device", "conout$.yaml": "device", "aux .yaml": "device", "CLOCK$": "device",

		"a.": "removes dots", "a ": "removes dots", "a.yaml.": "removes dots", "con. ": "removes dots", "...": "removes dots", " ": "removes dots",
		"a:b": "does not allow", "hello.yaml:stream": "does not allow", "c:": "does not allow", "a/b": "does not allow", `a\b`: "does not allow",
		"a*": "does not allow", "a?": "does not allow", `a"b`: "does not allow", "a<b": "does not allow", "a>b": "does not allow", "a|b": "does not allow",
		"a\x00b": "does not allow", "a\nb": "does not allow", "a\x7f": "does not allow",
		"": "no file", ".": "no file", "..": "no file",
		strings.Repeat("a", 256): "256 bytes", "a\xff": "not UTF-8",
	} {
		err := filenames.Check(name)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), ", want ")) {
			t.Errorf("Check(%q) = %v, want %q", name, err, want)
		}
	}
}

func TestCheckPath(t *testing.T) {
	for path, good := range map[string]bool{"mail/letters.yaml": true, "aux/letters.yaml": false, "mail/nul.yaml": false, "mail./a.yaml": false, "/a.yaml": false, "a//b": false} {
		if err := filenames.CheckPath(path); (err == nil) != good {
			t.Errorf("CheckPath(%q) = %v, want good: %t", path, err, good)
		}
	}
}
