// Package shipped holds the system pipelines that come with the program, as the
// files that `botwork init` writes and the quickstart runs.
package shipped

import (
	"embed"
	"fmt"
	"io/fs"
)

//go:embed *.yaml
var files embed.FS

// File is one shipped pipeline.
type File struct {
	Name string // such as "ExecuteWorkQueue.yaml"
	Data []byte
}

// Files returns the shipped pipelines in the order of their names.
func Files() []File {
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		panic(fmt.Sprintf("shipped pipelines: %v", err)) // the pattern is a constant
	}
	list := make([]File, len(names))
	for i, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			panic(fmt.Sprintf("shipped pipelines: %v", err)) // it is in the program
		}
		list[i] = File{Name: name, Data: data}
	}
	return list
}
