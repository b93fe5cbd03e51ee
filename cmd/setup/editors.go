package setup

import (
	"bytes"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"botwork/pipelines"
)

// What helps editors in a project: schemas in a folder of their own, a line at the
// head of each YAML file that leads to one, and the settings of VS Code, which
// find them without the line.
const (
	schemasFolder  = ".botwork/schemas"
	pipelineSchema = schemasFolder + "/pipeline.schema.json"
	settingsSchema = schemasFolder + "/settings.schema.json"
)

// editorSchemas are the schemas of a project by their paths in it.
var editorSchemas = map[string]string{"pipeline": pipelineSchema, "settings": settingsSchema}

// schemaFiles are the schemas of a project.
func (a *command) schemaFiles() ([]projectFile, error) {
	var files []projectFile
	for _, k := range schemaKinds() {
		to, ok := editorSchemas[k.Name]
		if !ok {
			continue // of what has no file
		}
		text, err := a.schemaText(k)
		if err != nil {
			return nil, err
		}
		files = append(files, projectFile{to, text})
	}
	return files, nil
}

// schemaLine is the line by which a file names its schema for the YAML language server, which
// many editors use. The schema's path is relative to the file's folder.
func schemaLine(schema string) string { return "# yaml-language-server: $schema=" + schema }

var hasSchemaLine = regexp.MustCompile(`(?m)^#\s*yaml-language-server\s*:`)

// withSchemaLine puts the line at the head of a file, behind a byte-order mark and
// with the file's line ends. A file that has such a line stays as it is.
func withSchemaLine(text []byte, schema string) []byte {
	if hasSchemaLine.Match(text) {
		return text
	}
	const mark = "\xef\xbb\xbf"
	rest, marked := bytes.CutPrefix(text, []byte(mark))
	end := "\n"
	if first, _, ok := bytes.Cut(rest, []byte("\n")); ok && bytes.HasSuffix(first, []byte("\r")) {
		end = "\r\n"
	}
	var b bytes.Buffer
	if marked {
		b.WriteString(mark)
	}
	b.WriteString(schemaLine(schema) + end)
	b.Write(rest)
	return b.Bytes()
}

// schemaFrom is the way from a file of a project to one of its schemas, with
// slashes. It is an address where there is no way, as between two drives.
func schemaFrom(project, file, schema string) string {
	target := filepath.Join(project, filepath.FromSlash(schema))
	way, err := filepath.Rel(filepath.Dir(file), target)
	if err != nil {
		return fileAddress(target)
	}
	return filepath.ToSlash(way)
}

// fileAddress is the URL of a file.
func fileAddress(file string) string {
	slashed := filepath.ToSlash(file)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String()
}

// forEditors adds the line to those files of a new project that have a schema.
func forEditors(files []projectFile) {
	for i, f := range files {
		switch {
		case f.path == "botwork.yaml":
			files[i].data = withSchemaLine(f.data, settingsSchema)
		case path.Dir(f.path) == "pipelines" && !pipelines.IsTestFile(f.path):
			files[i].data = withSchemaLine(f.data, "../"+pipelineSchema)
		}
	}
}
