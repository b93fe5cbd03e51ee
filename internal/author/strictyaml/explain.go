package strictyaml

import "strings"

// explanations puts the library's messages into words about the text, with
// the most likely mend. The first whose words occur in the message counts.
var explanations = []struct{ words, text, hint string }{
	{"mapping values are not allowed", "a key and colon cannot stand here", "mend the indentation, or put a value that holds a colon in quotes"},
	{"did not find expected key", "got something that is no key of the mapping around it", "mend the indentation, or add the colon"},
	{"could not find expected ':'", "got a key without a colon", "add the colon and a space"},
	{"did not find expected '-' indicator", "got something that is no item of the list around it", "mend the indentation, or begin the item with a dash and a space"},
	{"block sequence entries are not allowed", "a list item cannot stand here", "begin the list in a line of its own"},
	{"cannot start any token", "no value can begin with this character", "put the value in quotes"},
	{"did not find expected alphabetic or numeric character", "a value that begins with * or & names an alias or an anchor", "put the value in quotes"},
	{"unknown escape character", "a backslash begins an escape in double quotes, and this one is unknown", "use single quotes, or two backslashes"},
	{"unknown anchor", "this alias names no anchor", "put the value in quotes if it is text"},
	{"tab character", "a tab cannot stand here, want spaces", ""},
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
	return "this is not YAML: " + message, ""
}
