//go:build linux

package winetest

import (
	"os"
	"path/filepath"
	"strings"
)

// testDocument runs the commands of docs/windows.md, from top to bottom, in C:\botwork.
// Every command must succeed.
func (m *machine) testDocument() {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "windows.md"))
	if err != nil {
		m.Fatal(err)
	}
	lines := 0
	for i, block := range strings.Split(string(text), "```bat\n") {
		block, _, _ = strings.Cut(block, "```")
		if i == 0 {
			continue
		}
		for line := range strings.Lines(block) {
			words := strings.Fields(line)
			if words[0] != "botwork" {
				continue // cd
			}
			lines++
			cmd := m.command(wine, append([]string{`C:\botwork\botwork.exe`}, words[1:]...)...)
			cmd.Dir = m.path("botwork")
			r := m.run(cmd)
			r.want(0)
			switch strings.Join(words[1:3], " ") {
			case "service status":
				r.want(0, "running")
			case "service logs":
				r.want(0, "worker started")
			case "items list":
				r.want(0, "hello")
			}
		}
	}
	if lines < 10 {
		m.Errorf("docs/windows.md has %d commands, want at least 10", lines)
	}
	m.botwork("service", "status", "--all").want(4)
}
