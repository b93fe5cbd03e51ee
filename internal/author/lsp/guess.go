package lsp

import (
	"cmp"

	"botwork/internal/author/lsp/sketch"
)

// Guess is what a settings file seems to say that is no YAML at this moment.
type Guess struct {
	Dir                  string // of the pipelines, as it is written
	Secrets, Connections []string
	Folders              []string // as they are written
}

// GuessSettings reads what it can. The names are never nil: none are none.
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

// keysOf lists the keys of a mapping.
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
