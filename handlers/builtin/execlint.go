package builtin

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"botwork/handlers"
)

// lintExec finds arguments in the wrong parameter, and several of them in one text.
func lintExec(with map[string]any) []handlers.ParamError {
	var found []handlers.ParamError
	if program, ok := with["program"].(string); ok && hasArguments(program) {
		found = append(found, handlers.ParamError{
			Path: []string{"program"}, Code: handlers.WrongValue, Message: "got a program and its arguments in one text, want the program alone",
			Hint: "write program: " + strings.Fields(program)[0] + ", and each argument as an element of args",
		})
	}
	if args, ok := with["args"].(string); ok && strings.ContainsAny(strings.TrimSpace(withoutExpressions(args)), " \t\n") {
		found = append(found, handlers.ParamError{
			Path: []string{"args"}, Code: handlers.WrongValue, Message: "got one text, which the program gets as a single argument, with its spaces",
			Hint: "write a list, one element for each argument: args: [-f, data.csv]", Warning: true,
		})
	}
	return found
}

// hasArguments reports whether a program's name is followed by arguments: a name without a folder
// that is followed by words, or an argument such as -x after any path. A file's name can contain
// spaces, so "C:\Program Files\app.exe" and "My App.exe" have none.
func hasArguments(program string) bool {
	words := strings.Fields(program)
	if len(words) < 2 || strings.Contains(program, "${{") {
		return false
	}
	isFlag := func(word string) bool { return len(word) > 1 && word[0] == '-' && !strings.ContainsAny(word, `/\`) }
	if strings.ContainsAny(words[0], `/\`) {
		return slices.ContainsFunc(words[1:], isFlag)
	}
	return slices.ContainsFunc(words[1:], func(word string) bool { return isFlag(word) || strings.HasPrefix(word, "/") }) ||
		!slices.Contains([]string{".exe", ".bat", ".cmd", ".com"}, strings.ToLower(filepath.Ext(program)))
}

// expressionPart matches an expression in a text.
var expressionPart = regexp.MustCompile(`(?s)\$\{\{.*?\}\}`)

// withoutExpressions returns a text with x in place of its expressions.
func withoutExpressions(text string) string { return expressionPart.ReplaceAllString(text, "x") }
