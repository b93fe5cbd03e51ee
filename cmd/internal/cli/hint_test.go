package cli

import (
	"path/filepath"
	"testing"
)

func TestCommandIn(t *testing.T) {
	for _, c := range []struct{ dir, startedAs, want string }{
		{".", "botwork", "botwork"},
		{"project", "botwork", "botwork"},
		{".", "./botwork", "./botwork"},
		{"project", "./botwork", "../botwork"},
		{"project", "bin/botwork", "../bin/botwork"},
		{"my project", "my tools/botwork", `"../my tools/botwork"`},
		{"/srv/project", "./botwork", "botwork"},
		{".", filepath.Join(t.TempDir(), "botwork"), "botwork"},
	} {
		if got := filepath.ToSlash(CommandIn(filepath.FromSlash(c.dir), filepath.FromSlash(c.startedAs))); got != c.want {
			t.Errorf("commandIn(%q, %q) = %s, want %s", c.dir, c.startedAs, got, c.want)
		}
	}
}
