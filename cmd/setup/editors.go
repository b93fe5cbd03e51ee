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

// Files for editors in a project: schemas in a separate folder, a line at the top of each YAML
// file that refers to one, and the settings of VS Code, which find the schemas without the
// line.
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
			continue // schemas without a file
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

// withSchemaLine adds the line at the top of a file, after a byte-order mark and with the
// file's line endings. A file that has such a line is not changed.
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

// schemaFrom returns the relative path from a file of a project to one of its schemas, with
// slashes. It returns a URL if there is no relative path, as between two drives.
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
