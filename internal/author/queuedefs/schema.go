package queuedefs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"botwork/internal/author/strictyaml"
	"botwork/internal/jsonschemas"
	"botwork/workqueue"
)

// MaxSchemaFile is the maximum size of a schema file in bytes.
const MaxSchemaFile = 1 << 20

// readFile reads a file up to MaxSchemaFile.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxSchemaFile+1))
	if err == nil && len(data) > MaxSchemaFile {
		err = fmt.Errorf("%s is larger than %d KiB", path, MaxSchemaFile>>10)
	}
	return data, err
}

// schema reads a JSON Schema in place, or from the JSON or YAML file that `file`
// names.
func (r *reader) schema(n *strictyaml.Node) workqueue.JSONText {
	if !n.HasValue() {
		return ""
	}
	if file := n.Get("file"); file != nil {
		if n = r.schemaFile(n, file); n == nil {
			return ""
		}
	}
	if _, isBool := n.Value.(bool); n.Kind != strictyaml.Mapping && !isBool {
		r.Report(n, "invalid-schema", fmt.Sprintf("got %s, want a JSON Schema, which is a mapping, or {file: path}", n.Kind), "")
		return ""
	}
	doc := n.Any()
	_, err := jsonschemas.Compile(doc)
	if wrong, ok := errors.AsType[jsonschemas.Problems](err); ok {
		for _, one := range wrong {
			r.Report(n.Descend(one.Path), "invalid-schema", one.Text, "")
		}
		return ""
	}
	if err != nil {
		r.Report(n, "invalid-schema", err.Error(), "")
		return ""
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false) // to keep the database row readable
	if err := enc.Encode(doc); err != nil {
		r.Report(n, "invalid-schema", err.Error(), "")
		return ""
	}
	return workqueue.JSONText(bytes.TrimSpace(text.Bytes()))
}

// schemaFile reads the file of a schema. It returns nil after it has reported an error.
func (r *reader) schemaFile(n, file *strictyaml.Node) *strictyaml.Node {
	if len(n.Entries) > 1 {
		r.Report(n, "invalid-schema", "got other keys together with file, want only file", "move them to the file, or remove the key file")
		return nil
	}
	name, ok := file.Value.(string)
	if !ok || name == "" {
		r.Report(file, "wrong-type", "want the path of a file", "")
		return nil
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(n.File), path)
	}
	data, err := r.read(path)
	if errors.Is(err, errNamesFile) {
		r.Report(file, "no-file", err.Error(), "")
		return nil
	}
	if err != nil {
		r.Report(file, "no-file", err.Error(), "relative paths are resolved against the folder of "+filepath.Base(n.File))
		return nil
	}
	content, findings := strictyaml.Parse(path, data)
	r.Findings = append(r.Findings, findings...)
	if len(findings) > 0 {
		return nil
	}
	return content
}
