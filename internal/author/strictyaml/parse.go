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

// Parse reads one YAML document (or JSON, which is YAML too) and returns its
// top node and every mistake that it finds in file's order. file is the name
// for findings; nothing is read from it. The node is nil when the text has a
// syntax error, several documents or no content; otherwise it is usable even
// when there are findings, so that a caller can look for more.
//
// The text must be UTF-8, with or without a byte order mark, with line ends of
// any kind. The codes are:
//
//	empty-file          there is nothing but comments
//	not-utf8            the bytes are in another encoding
//	yaml-syntax         this is not YAML
//	yaml-tab            a line is indented with a tab
//	yaml-trap           legal, but it does not mean what it looks like
//	yaml-tag            a tag such as !!binary, which has no use here
//	yaml-merge          a merge key (<<) that names no mapping
//	yaml-limit          nested too deep, or aliases that grow without end
//	several-documents   more than one document, separated by ---
//	duplicate-key       a key that the same mapping has already
//	non-string-key      a key that is a number, a bool, null or a collection
func Parse(file string, data []byte) (*Node, Findings) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if at := invalidUTF8(data); at >= 0 {
		line, column := place(data, at)
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
			"a second document starts here, want one in a file", "remove the line ---, or make two files")
	}
	c.findings.Sort()
	return node, c.findings
}

// read returns the documents of data, at most two of them, as the library
// sees them.
func read(data []byte) (docs []*yaml.Node, err error) {
	// The library's syntax errors are errors, but it is no longer maintained:
	// a text that makes it panic must not end the process.
	defer func() {
		if r := recover(); r != nil {
			docs, err = nil, fmt.Errorf("yaml: the reader gave up: %v", r)
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

// place tells the line and column of the offset at.
func place(data []byte, at int) (line, column int) {
	before := data[:at]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}
