package pipelines

import (
	"strings"
	"testing"
)

// A pipeline whose name or file another system cannot have is refused on every system.
func TestReservedNames(t *testing.T) {
	const steps = "steps: [{handler: Echo}]"
	for _, c := range []struct{ file, text, want string }{
		{"con.yaml", steps, "CON is a device"},
		{"LPT1.yaml", "name: fine\n" + steps, "LPT1 is a device"},
		{"fine.yaml", "name: nul\n" + steps, "NUL is a device"},
		{"fine.yaml", "name: COM1.old\n" + steps, "COM1 is a device"},
		{"fine.yaml", "name: \"ends.\"\n" + steps, "removes dots and spaces"},
		{"fine.yaml", "name: \"ends \"\n" + steps, "removes dots and spaces"},
		{"fine:stream.yaml", "name: fine\n" + steps, "does not allow"},
		{"fine?.yaml", "name: fine\n" + steps, "does not allow"},
		{"console.yaml", steps, ""},
	} {
		findings := NewCatalogue(testCompiler(nil)).Add(c.file, []byte(c.text))
		if c.want == "" && len(findings) == 0 {
			continue
		}
		if len(findings) != 1 || findings[0].Code != CodeInvalidName || c.want == "" || !strings.Contains(findings[0].Message, c.want) {
			t.Errorf("%s with %q: got %v, want %q", c.file, c.text, findings, c.want)
		}
	}
}

// Two files are two pipelines on every system.
func TestFilesDifferInMoreThanCase(t *testing.T) {
	k := NewCatalogue(testCompiler(nil))
	text := func(name string) []byte { return []byte("name: " + name + "\nsteps: [{handler: Echo}]") }
	if findings := k.Add("mail/letters.yaml", text("a")); len(findings) > 0 {
		t.Fatal(findings)
	}
	if findings := k.Add("mail/Letters.yaml", text("b")); len(findings) != 1 || findings[0].Code != CodeInvalidName || !strings.Contains(findings[0].Message, "upper and lower case") {
		t.Errorf("a file with the same name: got %v", findings)
	}
	if findings := k.Add("post/letters.yaml", text("c")); len(findings) > 0 {
		t.Errorf("a file in another folder: got %v", findings)
	}
}
