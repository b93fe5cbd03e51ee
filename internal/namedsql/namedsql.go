// Package namedsql converts SQL with named parameters (@name) to the positional
// parameters of each driver, so that one form of a statement works for all of them.
package namedsql

import (
	"fmt"
	"strconv"
	"strings"
)

// Style is a driver's syntax for the n-th parameter.
type Style string

// The styles of the three engines.
const (
	Question  Style = "?"  // ?1, ?2: SQLite
	Dollar    Style = "$"  // $1, $2: PostgreSQL
	AtP       Style = "@p" // @p1, @p2: SQL Server
	identByte       = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
)

// Statement is a text in a driver's syntax with the names of its parameters.
type Statement struct {
	// Text has a numbered parameter for each @name; a name that occurs twice has one
	// number.
	Text string

	// Names has the parameter names in the order of their numbers.
	Names []string
}

// Compile replaces each @name of text by a numbered parameter. It does not change names
// in comments, string literals and quoted identifiers, or @@name.
func Compile(text string, style Style) Statement {
	var out strings.Builder
	out.Grow(len(text))
	var names []string
	number := map[string]int{}
	for i := 0; i < len(text); {
		if n := literalLen(text[i:]); n > 0 {
			out.WriteString(text[i : i+n])
			i += n
			continue
		}
		if strings.HasPrefix(text[i:], "@@") {
			out.WriteString("@@")
			i += 2
			for i < len(text) && strings.IndexByte(identByte, text[i]) >= 0 {
				out.WriteByte(text[i])
				i++
			}
			continue
		}
		if text[i] != '@' {
			out.WriteByte(text[i])
			i++
			continue
		}
		end := i + 1
		for end < len(text) && strings.IndexByte(identByte, text[end]) >= 0 {
			end++
		}
		name := text[i+1 : end]
		if name == "" {
			out.WriteByte('@')
			i++
			continue
		}
		n, seen := number[name]
		if !seen {
			names = append(names, name)
			n = len(names)
			number[name] = n
		}
		out.WriteString(string(style) + strconv.Itoa(n))
		i = end
	}
	return Statement{Text: out.String(), Names: names}
}

// literalLen returns the length of the comment, string literal or quoted identifier at
// the start of text; 0 if there is none. An unclosed one extends to the end.
func literalLen(text string) int {
	closed := func(skip int, end string) int {
		if n := strings.Index(text[skip:], end); n >= 0 {
			return skip + n + len(end)
		}
		return len(text)
	}
	switch {
	case strings.HasPrefix(text, "--"):
		return closed(2, "\n")
	case strings.HasPrefix(text, "/*"):
		return closed(2, "*/")
	case text[0] == '\'', text[0] == '"':
		// A doubled quote ends one literal and starts the next, which has the same
		// result.
		return closed(1, text[:1])
	case text[0] == '[':
		// Brackets quote identifiers in T-SQL and SQLite and index arrays in PostgreSQL;
		// only an identifier cannot contain a parameter.
		if n := strings.IndexByte(text, ']'); n > 0 && !strings.Contains(text[:n], "@") {
			return n + 1
		}
	}
	return 0
}

// Args returns the values in the order of the statement's parameters. A parameter without
// a value, and a value without a parameter, are errors with the name.
func (s Statement) Args(values map[string]any) ([]any, error) {
	args := make([]any, len(s.Names))
	for i, name := range s.Names {
		v, ok := values[name]
		if !ok {
			return nil, fmt.Errorf("sql parameter @%s has no value", name)
		}
		args[i] = v
	}
	if len(values) > len(s.Names) {
		known := make(map[string]bool, len(s.Names))
		for _, name := range s.Names {
			known[name] = true
		}
		for name := range values {
			if !known[name] {
				return nil, fmt.Errorf("value %q has no parameter @%s in the statement", name, name)
			}
		}
	}
	return args, nil
}
