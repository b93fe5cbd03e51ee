package lsp

import (
	"cmp"

	"botwork/internal/author/lsp/sketch"
)

// Guess contains the settings that could be extracted from a file that is currently not
// valid YAML.
type Guess struct {
	Dir                  string // the pipelines folder as in the file
	Secrets, Connections []string
	Folders              []string // the folders of handlers as in the file
}

// GuessSettings extracts settings from a text. Secrets and Connections are never nil.
func GuessSettings(text string) Guess {
	g := Guess{Secrets: []string{}, Connections: []string{}}
	if len(text) > maxDocument {
		return g
	}
	tree := sketch.Parse(text)
	dir := tree.Get("pipelines").Get("dir")
	if dir != nil {
		g.Dir = dir.Text
	}
	g.Dir = cmp.Or(g.Dir, "pipelines")
	g.Secrets = append(g.Secrets, keysOf(tree.Get("secrets"))...)
	g.Connections = append(g.Connections, keysOf(tree.Get("connections"))...)
	if folders := tree.Get("handlers").Get("folders"); folders != nil {
		for _, item := range folders.Items {
			g.Folders = append(g.Folders, item.Text)
		}
	}
	return g
}

// keysOf returns the keys of a mapping.
func keysOf(n *sketch.Node) []string {
	if n == nil {
		return nil
	}
	var names []string
	for _, e := range n.Entries {
		if e.Colon >= 0 {
			names = append(names, e.Key)
		}
	}
	return names
}
