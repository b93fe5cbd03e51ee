package builtin

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestBatchFilesAreFound(t *testing.T) {
	// As on Windows, of files that are there.
	files := []string{"/bin/npm.cmd", "/bin/node.exe", "/work/tool.bat", "/work/both.exe", "/work/both.bat"}
	look := func(file string) (string, error) {
		for _, ext := range []string{"", ".exe", ".bat", ".cmd"} {
			for _, known := range files {
				if filepath.ToSlash(file)+ext == known {
					return known, nil
				}
			}
		}
		return "", exec.ErrNotFound
	}
	for _, c := range []struct {
		path, dir string
		want      bool
	}{
		{"/bin/npm.cmd", "", true}, // as exec.Command found it
		{"/bin/npm", "", true},
		{"/bin/NPM.CMD", "", true},
		{"/bin/node", "", false},
		{"/bin/node.exe", "/work", false},
		{"tool", "/work", true},
		{"./tool", "/work", true},
		{"../work/tool", "/bin", true},
		{"both", "/work", false},
		{"both.bat", "/work", true},
		{"gone.bat", "/work", true}, // started as it is, and not found then
		{"gone", "/work", false},
		{"x.bat. .", "", true},
		{"x.cmd ", "", true},
		{`C:x.bat`, "", true},
		{`C:\a\x.bat::$DATA`, "", true},
		{`C:\x.bat\node.exe`, "", false},
		{"x.bat.exe", "", false},
		{"", "", false},
	} {
		if got := batchFile(c.path, c.dir, look) != ""; got != c.want {
			t.Errorf("batchFile(%q, %q) = %t, want %t", c.path, c.dir, got, c.want)
		}
	}
}

func TestBatchFilesGetPlainTextOnly(t *testing.T) {
	found := func(file string) (string, error) { return file, nil }
	for _, arg := range []string{"", "a", "run build", "--prefix=C:\\work\\x_1", "a,b", "user@host:80", "1+1", "../x"} {
		if err := checkBatch("x.bat", "", []string{"x.bat", "run", arg}, found); err != nil {
			t.Errorf("argument %q: %v, want it allowed", arg, err)
		}
	}
	for _, arg := range []string{
		"x&echo owned>FILE", `x"&calc`, "%COMSPEC%", "!x!", "^", "a|b", "a<b", "a;b", "(a)", "a\nb", "a\rb", "a\tb", "*", "?", "'", "`",
		"ol\u00e1", "\uff02", "\u02ba", "\xff", "a\x00b", "~", "{a}", "[a]", "$x", "#",
	} {
		err := checkBatch("x.bat", "", []string{"x.bat", "run", arg}, found)
		if err == nil || !strings.Contains(err.Error(), "argument 2") || !strings.Contains(err.Error(), "env or stdin") {
			t.Errorf("argument %q: %v, want it refused, with a hint", arg, err)
		}
		if err := checkBatch("x.exe", "", []string{"x.exe", arg}, found); err != nil {
			t.Errorf("argument %q of another program: %v, want it allowed", arg, err)
		}
	}
	for path, allowed := range map[string]bool{
		`C:\Program Files (x86)\nodejs\npm.cmd`: true, `C:\PROGRA~1\npm.cmd`: true, `C:\R&D\npm.cmd`: false, `C:\%x%\npm.cmd`: false,
	} {
		if err := checkBatch(path, "", []string{path}, found); (err == nil) != allowed {
			t.Errorf("path %q: %v, want allowed: %t", path, err, allowed)
		}
	}
}
