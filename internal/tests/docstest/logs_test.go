package docstest

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// logLine is a line of the console log as documents show it, without its time.
var logLine = regexp.MustCompile(`^(?:INF|WRN|ERR) (.+?) [a-z_]+=`)

// TestLogLines checks that the log messages that documents show are messages of the program.
func TestLogLines(t *testing.T) {
	source := programText(t)
	found := 0
	for _, d := range readAll(t) {
		for _, b := range d.blocks {
			if !b.is("text") {
				continue
			}
			for line := range strings.Lines(b.text) {
				m := logLine.FindStringSubmatch(line)
				if m == nil {
					continue
				}
				found++
				if !strings.Contains(source, `"`+m[1]+`"`) {
					t.Errorf("%s, in the block of line %d: the program has no message %q", d.path, b.line, m[1])
				}
			}
		}
	}
	if found == 0 {
		t.Error("no document shows a log line")
	}
}

// programText returns the Go files of the program, without tests.
func programText(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	files := os.DirFS(root)
	for _, folder := range []string{"cmd", "handlers", "internal", "pipelines", "workqueue"} {
		err := fs.WalkDir(files, folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			data, err := fs.ReadFile(files, path)
			all.Write(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}
