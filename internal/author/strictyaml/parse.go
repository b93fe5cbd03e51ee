package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Parse reads one YAML document (or JSON, which is also YAML) and returns its
// top node and all mistakes in the order of the file. file is the name used in
// findings; Parse does not read it. The node is nil if the text has a syntax
// error, several documents or no content. Otherwise it is usable even if there
// are findings, so that a caller can check further.
//
// The text must be UTF-8, with or without a byte order mark; line endings can
// be of any kind. The codes are:
//
//	empty-file          the file is empty or has only comments
//	not-utf8            the file is in another encoding
//	yaml-syntax         invalid YAML
//	yaml-tab            a line is indented with a tab
//	yaml-trap           valid YAML with an unexpected meaning
//	yaml-tag            a tag such as !!binary, which is not supported
//	yaml-merge          the value of a merge key (<<) is not a mapping
//	yaml-limit          nesting too deep, or aliases that expand to too many values
//	several-documents   more than one document, separated by ---
//	duplicate-key       a key that the mapping already has
//	non-string-key      a key that is a number, a bool, null or a collection
func Parse(file string, data []byte) (*Node, Findings) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if at := invalidUTF8(data); at >= 0 {
		line, column := position(data, at)
		return nil, Findings{{File: file, Line: line, Column: column, Code: "not-utf8",
			Message: "got bytes that are not UTF-8", Hint: "save the file as UTF-8"}}
	}
	docs, err := read(data)
	if err != nil {
		findings := diagnose(file, data, err)
		findings.Sort()
		return nil, findings
	}
	if len(docs) == 0 || isNull(docs[0]) && len(docs) == 1 {
		return nil, Findings{{File: file, Line: 1, Column: 1, Code: "empty-file", Message: "the file has no content"}}
	}
	c := converter{file: file, lines: strings.Split(string(data), "\n")}
	node := c.convert(docs[0].Content[0], "", 0)
	if len(docs) > 1 {
		node = nil
		c.add(docs[1].Line, docs[1].Column, "several-documents",
			"got a second document, want one document per file", "remove the line ---, or split the file in two")
	}
	c.findings.Sort()
	return node, c.findings
}

// read parses data with the library and returns its first two documents.
func read(data []byte) (docs []*yaml.Node, err error) {
	// The library is no longer maintained. An input that makes it panic must
	// not end the process.
	defer func() {
		if r := recover(); r != nil {
			docs, err = nil, fmt.Errorf("yaml: the parser panicked: %v", r)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for len(docs) < 2 {
		doc := new(yaml.Node)
		if err := decoder.Decode(doc); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return docs, err
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

func isNull(doc *yaml.Node) bool {
	return len(doc.Content) == 0 || doc.Content[0].Kind == yaml.ScalarNode && doc.Content[0].ShortTag() == "!!null"
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// position returns the line and column of the offset at, counted from 1.
func position(data []byte, at int) (line, column int) {
	before := data[:at]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}
