package setup

import (
	"bytes"
	"encoding/json"
	"path"
	"path/filepath"
	"strings"
)

const (
	codeSettings   = ".vscode/settings.json"
	codeExtensions = ".vscode/extensions.json"
	yamlExtension  = "redhat.vscode-yaml"
)

// codeFiles are the settings of VS Code for a project. dir is the folder of the pipelines, relative to
// the project; settings is the settings file, which the files of the environments are named after.
func codeFiles(dir, settings string) []projectFile {
	dir = strings.Trim(filepath.ToSlash(dir), "/")
	indented := func(value any) []byte {
		var text bytes.Buffer
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		_ = enc.Encode(value) // maps of strings can always be encoded
		return text.Bytes()
	}
	return []projectFile{
		{codeSettings, indented(map[string]any{
			"yaml.schemas": map[string]any{
				"./" + pipelineSchema: []string{
					dir + "/**/*.yaml", dir + "/**/*.yml", "!" + dir + "/**/*_test.yaml", "!" + dir + "/**/*_test.yml",
				},
				"./" + settingsSchema: []string{settings, strings.TrimSuffix(settings, path.Ext(settings)) + ".*" + path.Ext(settings)},
			},
		})},
		{codeExtensions, indented(map[string]any{"recommendations": []string{yamlExtension}})},
	}
}

// mergeCode adds our keys to a file of VS Code. It reports whether that was possible without
// changing the user's keys: none of our keys may exist in the file. Comments, which VS Code
// allows, are kept.
func mergeCode(theirs, ours []byte) (merged []byte, ok bool) {
	at, empty := openingBrace(theirs)
	if at < 0 {
		return nil, false
	}
	var keys map[string]json.RawMessage
	if json.Unmarshal(ours, &keys) != nil {
		return nil, false
	}
	for key := range keys {
		if bytes.Contains(theirs, []byte(`"`+key+`"`)) {
			return nil, false
		}
	}
	inner := bytes.TrimSpace(ours)
	inner = bytes.TrimRight(inner[1:len(inner)-1], "\n ")
	end := ","
	if empty {
		end = "\n"
	}
	merged = append(merged, theirs[:at+1]...)
	merged = append(merged, inner...)
	merged = append(merged, end...)
	return append(merged, theirs[at+1:]...), true
}

// openingBrace finds the brace that opens an object, after comments, and whether it contains
// nothing but comments; -1 if the text does not have that form.
func openingBrace(text []byte) (at int, empty bool) {
	at = skipComments(text, 0)
	if at >= len(text) || text[at] != '{' {
		return -1, false
	}
	next := skipComments(text, at+1)
	return at, next < len(text) && text[next] == '}'
}

// skipComments passes over white space, a byte-order mark and comments.
func skipComments(text []byte, at int) int {
	for at < len(text) {
		rest := text[at:]
		switch {
		case bytes.HasPrefix(rest, []byte("\xef\xbb\xbf")):
			at += 3
		case bytes.ContainsRune([]byte(" \t\r\n"), rune(rest[0])):
			at++
		case bytes.HasPrefix(rest, []byte("//")):
			line := bytes.IndexByte(rest, '\n')
			if line < 0 {
				return len(text)
			}
			at += line
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest, []byte("*/"))
			if end < 0 {
				return len(text)
			}
			at += end + 2
		default:
			return at
		}
	}
	return at
}

// hasOurs reports whether a file of VS Code contains all values of ours.
func hasOurs(text []byte, path string) bool {
	if path == codeExtensions {
		return bytes.Contains(text, []byte(yamlExtension))
	}
	return bytes.Contains(text, []byte(pipelineSchema)) && bytes.Contains(text, []byte(settingsSchema))
}
