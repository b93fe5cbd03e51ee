package sql_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"

	"github.com/sqlc-dev/teesql/ast"
	"github.com/sqlc-dev/teesql/parser"
)

// statement is one statement in a form that rules can search: its words in capitals with a
// blank around each, every literal as two quotes and every quoted name as [ID]. top leaves out what is
// between parentheses.
type statement struct {
	flat, top string
}

// lineComment is the only form of comment that the files may use: an open block comment would
// hide the rest of a file, and the parser would not report it.
var lineComment = regexp.MustCompile(`--[^\n]*`)

// checkTSQL returns all faults of one batch of T-SQL.
//
// The parser alone is too lenient: it skips tokens that it does not expect, such as a LIMIT at
// the end, and reads a string that is never closed up to the end. So each token must be inside
// a statement that the parser understood, tokens are checked one by one, and rules refuse what
// the parser accepts but the project does not.
func checkTSQL(ctx context.Context, text string) []string {
	script, err := parser.Parse(ctx, strings.NewReader(text))
	if err != nil {
		return []string{err.Error()}
	}
	tokens, faults := tokenize(text)
	var spans []*ast.Fragment
	for _, batch := range script.Batches {
		for _, s := range batch.Statements {
			spans = append(spans, s.(interface{ Frag() *ast.Fragment }).Frag())
		}
	}
	words := make([][]string, len(spans))
	for _, token := range tokens {
		at := len(utf16.Encode([]rune(text[:token.Pos]))) // spans count UTF-16 units, like .NET strings
		inside := false
		for i, span := range spans {
			if span.StartOffset <= at && at < span.EndOffset() {
				words[i] = append(words[i], word(token))
				inside = true
				break
			}
		}
		if !inside && token.Type != parser.TokenSemicolon {
			faults = append(faults, fmt.Sprintf("%q belongs to no statement", token.Literal))
		}
	}
	if len(spans) == 0 {
		faults = append(faults, "contains no statement")
	}
	for _, w := range words {
		s := newStatement(w)
		for _, r := range rules {
			if r.broken(s) {
				faults = append(faults, r.name+": "+r.hint)
			}
		}
		if len(words) > 1 && strings.HasPrefix(s.flat, " CREATE VIEW ") {
			faults = append(faults, "CREATE VIEW among others: it must be the only statement of its batch")
		}
	}
	return faults
}

// tokenize returns the tokens, and faults for tokens that the lexer accepts unfinished.
func tokenize(text string) ([]parser.Token, []string) {
	var tokens []parser.Token
	var faults []string
	lexer := parser.NewLexer(text)
	end := 0
	for {
		token := lexer.NextToken()
		gap := lineComment.ReplaceAllString(text[end:min(token.Pos, len(text))], "")
		if strings.TrimSpace(gap) != "" {
			faults = append(faults, fmt.Sprintf("a block comment, or text outside of tokens: %q; comments must begin with --", strings.TrimSpace(gap)))
		}
		if token.Type == parser.TokenEOF {
			return tokens, faults
		}
		if unclosed(token) {
			faults = append(faults, fmt.Sprintf("%.20q is never closed", token.Literal))
		}
		tokens = append(tokens, token)
		end = token.Pos + len(token.Literal)
	}
}

func unclosed(token parser.Token) bool {
	literal := token.Literal
	switch {
	case token.Type == parser.TokenString, token.Type == parser.TokenNationalString:
		return strings.Count(literal, "'")%2 != 0 // a doubled quote is one quote character
	case strings.HasPrefix(literal, `"`):
		return strings.Count(literal, `"`)%2 != 0
	case strings.HasPrefix(literal, "["):
		return !strings.HasSuffix(literal, "]")
	}
	return false
}

// word returns the token in the form that rules search.
func word(token parser.Token) string {
	switch {
	case token.Type == parser.TokenString, token.Type == parser.TokenNationalString:
		return "''"
	case strings.HasPrefix(token.Literal, `"`), strings.HasPrefix(token.Literal, "["):
		return "[ID]"
	}
	return strings.ToUpper(token.Literal)
}

func newStatement(words []string) statement {
	var top []string
	depth := 0
	for _, w := range words {
		if w == ")" {
			depth--
		}
		if depth == 0 {
			top = append(top, w)
		}
		if w == "(" {
			depth++
		}
	}
	return statement{
		flat: " " + strings.Join(words, " ") + " ",
		top:  " " + strings.Join(top, " ") + " ",
	}
}
