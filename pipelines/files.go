package pipelines

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"botwork/internal/author/strictyaml"
)

// File is the text of a pipeline file, or the error of reading it.
type File struct {
	Path string
	Data []byte
	Err  error
}

// ReadDir reads the pipeline files of a folder, ordered by path: *.yaml and *.yml in it and
// its subfolders, except names that begin with a dot or an underscore, and tests (see
// IsTestFile). read reads one file; nil reads it from disk. The error is about the folder
// itself.
func ReadDir(dir string, read func(path string) ([]byte, error)) ([]File, error) {
	if read == nil {
		read = os.ReadFile
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the pipelines folder %s does not exist: want a folder of *.yaml files; "+
			"hint: create it (botwork init makes one), or set pipelines.dir or BOTWORK_PIPELINES_DIR", absolute(dir))
	case err != nil:
		return nil, fmt.Errorf("pipelines folder: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("the pipelines folder %s is a file, want a folder of *.yaml files", absolute(dir))
	}
	paths, err := pipelineFiles(dir)
	if err != nil {
		return nil, fmt.Errorf("pipelines folder: %w", err)
	}
	files := make([]File, len(paths))
	for i, path := range paths {
		data, err := read(path)
		files[i] = File{Path: path, Data: data, Err: err}
	}
	return files, nil
}

// Load compiles files into a catalogue. A file with errors does not hide the others: its
// findings are returned, and the catalogue has the rest. If two files have the same name,
// the first one counts.
func Load(c *Compiler, files []File) (*Catalogue, strictyaml.Findings) {
	k := NewCatalogue(c)
	var findings strictyaml.Findings
	for _, file := range files {
		if file.Err != nil {
			findings = append(findings, k.addUnreadable(file)...)
			continue
		}
		findings = append(findings, k.add(file.Path, file.Data)...)
	}
	findings = append(findings, k.link()...)
	findings.Sort()
	return k, findings
}

// addUnreadable adds a file that could not be read. Only its path is known, so its name is
// a guess. A file that was deleted has no other name.
func (k *Catalogue) addUnreadable(file File) strictyaml.Findings {
	base := filepath.Base(file.Path)
	findings := strictyaml.Findings{{File: file.Path, Code: CodeUnreadableFile, Message: file.Err.Error()}}
	k.broken = append(k.broken, Broken{
		Name: strings.TrimSuffix(base, filepath.Ext(base)), File: file.Path, Findings: findings,
		Guessed: !errors.Is(file.Err, fs.ErrNotExist), Trigger: true,
	})
	return findings
}
