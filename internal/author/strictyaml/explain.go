package strictyaml

import "strings"

// explanations maps the library's messages to explanations of the text, with the
// most likely fix. The first entry whose words occur in the message is used.
var explanations = []struct{ words, text, hint string }{
	{"mapping values are not allowed", "a key is not allowed here", "fix the indentation, or put a value that contains a colon in quotes"},
	{"did not find expected key", "wrong indentation, or a key without a colon", "align the keys of a mapping, or add the colon"},
	{"could not find expected ':'", "got a key without a colon", "add the colon and a space"},
	{"did not find expected '-' indicator", "wrong indentation", "align the keys of a list item with its first key, such as `with` with `handler`, or begin a new item with a dash and a space"},
	{"block sequence entries are not allowed", "a list item is not allowed here", "begin the list on a new line"},
	{"cannot start any token", "no value can begin with this character", "put the value in quotes"},
	{"did not find expected alphabetic or numeric character", "a value that begins with * or & names an alias or an anchor", "put the value in quotes"},
	{"unknown escape character", "a backslash begins an escape in double quotes, and this one is unknown", "use single quotes, or two backslashes"},
	{"unknown anchor", "this alias refers to an unknown anchor", "put the value in quotes if it is text"},
	{"tab character", "a tab is not allowed here, want spaces", ""},
	{"control characters are not allowed", "got a control character", "remove it, or write it as an escape in double quotes"},
	{"expected ',' or ']'", "want a comma or a ] here", ""},
	{"expected ',' or '}'", "want a comma or a } here", ""},
	{"did not find expected node content", "want a value here", "put the value in quotes"},
	{"exceeded max depth", "nested too deep", ""},
}

func explain(message string) (text, hint string) {
	for _, e := range explanations {
		if strings.Contains(message, e.words) {
			return e.text, e.hint
		}
	}
	return "invalid YAML: " + message, ""
}
