// Package shipped contains the system pipelines of the program. `botwork init` writes
// them to new projects.
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
			panic(fmt.Sprintf("shipped pipelines: %v", err)) // the file is embedded
		}
		list[i] = File{Name: name, Data: data}
	}
	return list
}
