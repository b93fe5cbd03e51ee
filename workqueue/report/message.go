package report

import (
	"regexp"
	"strings"
	"unicode"
)

const (
	// messageLen is the length of a message, in characters, and messageRead how much of the
	// text of a failure is read for it.
	messageLen  = 200
	messageRead = 1000
)

// Message returns the text of a failure without what differs between failures of the same
// cause: numbers, ids, times, paths and addresses are replaced, such as by <n>. Numbers that
// say what failed, such as an HTTP status, stay, and so do hosts of URLs. White space becomes
// one blank, and the text is cut to 200 characters.
func Message(text string) string {
	text = strings.ToValidUTF8(cutRunes(text, messageRead), "�")
	fields := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	var out []string
	before := ""
	for _, field := range fields {
		plain := field
		if strings.ContainsAny(field, `0123456789/\@`) {
			field = replaceWord(field, before)
		}
		before = plain
		// A date, a time of day and an offset are one time.
		if n := len(out); n > 0 && continues(out[n-1], field) {
			out[n-1] = strings.TrimSuffix(out[n-1], "<time>") + field
			continue
		}
		out = append(out, field)
	}
	return shorten(strings.Join(out, " "), messageLen)
}

// continues reports whether a word is the second half of a time such as "2026-01-31 13:45:00".
func continues(before, word string) bool {
	return strings.HasSuffix(before, "<time>") && strings.HasPrefix(word, "<time>")
}

// These match whole words, without the punctuation around them.
var (
	urlWord      = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*://[^/?#]*)[/?#]?.*$`)
	mailWord     = regexp.MustCompile(`^[^@\s]+@[^@\s]+\.[^@\s]+$`)
	pathWord     = regexp.MustCompile(`^(?:[A-Za-z]:[\\/]|\\\\|~?\.{0,2}/.|[^=]*\\)`)
	uuidWord     = regexp.MustCompile(`^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`)
	timeWord     = regexp.MustCompile(`^(?:\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}\S*)?|\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?|[+-]\d{4})$`)
	addressWord  = regexp.MustCompile(`^\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?:->.*)?$`)
	durationWord = regexp.MustCompile(`^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h|d))+$`)
	codeWord     = regexp.MustCompile(`^(?i:status|code|http|sqlstate|errno|error|ora|msg)[-:=#/][0-9A-Z]{1,5}$`)
	codeValue    = regexp.MustCompile(`^[0-9A-Z]{1,5}$`)
	codeName     = regexp.MustCompile(`^\W*(?i:status|code|http|sqlstate|errno|error|msg)[:=#]?$`)
)

const punctuation = `"'()[]{}<>,;:.!?` + "`"

// replaceWord replaces a word of a message. before is the word in front of it.
func replaceWord(word, before string) string {
	core := strings.TrimLeft(word, punctuation)
	front := word[:len(word)-len(core)]
	core = strings.TrimRight(core, punctuation)
	back := word[len(front)+len(core):]
	if strings.HasPrefix(core, "/") && strings.HasSuffix(front, ".") { // ./a and ../a
		dots := len(front) - len(strings.TrimRight(front, "."))
		core, front = front[len(front)-dots:]+core, front[:len(front)-dots]
	}
	return front + replaceCore(core, before) + back
}

func replaceCore(core, before string) string {
	switch {
	case strings.Contains(core, "://"):
		if found := urlWord.FindStringSubmatch(core); found != nil {
			if len(found[1]) == len(core) {
				return core
			}
			return found[1] + "/<path>"
		}
	case strings.Contains(core, "@"):
		if mailWord.MatchString(core) {
			return "<mail>"
		}
	case strings.ContainsAny(core, `/\`) && pathWord.MatchString(core):
		return "<path>"
	}
	if !strings.ContainsAny(core, "0123456789") {
		return core
	}
	switch {
	case uuidWord.MatchString(core):
		return "<id>"
	case timeWord.MatchString(core):
		return "<time>"
	case addressWord.MatchString(core):
		return "<address>"
	case durationWord.MatchString(core):
		return "<duration>"
	case codeWord.MatchString(core), codeValue.MatchString(core) && codeName.MatchString(before):
		return core
	}
	if name, value, ok := strings.Cut(core, "="); ok {
		return name + "=" + replaceWord(value, "")
	}
	return replaceNumbers(core)
}

// replaceNumbers replaces numbers and ids inside a word.
func replaceNumbers(word string) string {
	var b strings.Builder
	for i := 0; i < len(word); {
		end := i
		for end < len(word) && alphanumeric(word[end]) {
			end++
		}
		if end == i {
			b.WriteByte(word[i])
			i++
			continue
		}
		if isDigit(word[i]) && !isID(word[i:end]) {
			// Points and commas between digits belong to the number.
			end = i
			for end < len(word) && (isDigit(word[end]) || end+1 < len(word) && (word[end] == '.' || word[end] == ',') && isDigit(word[end+1])) {
				end++
			}
			b.WriteString("<n>")
			for ; end < len(word) && alphanumeric(word[end]); end++ { // its unit
				b.WriteByte(word[end])
			}
		} else {
			b.WriteString(replaceName(word[i:end]))
		}
		i = end
	}
	return b.String()
}

// replaceName replaces ids, and the numbers of a word such as INV2026001. Shorter numbers, as in
// x509 and sha256, are part of a name.
func replaceName(word string) string {
	if isID(word) {
		return "<id>"
	}
	letters := strings.TrimRight(word, "0123456789")
	if len(word)-len(letters) >= 5 {
		return letters + "<n>"
	}
	return word
}

// isID reports whether a word is a long hexadecimal number, or letters and digits at random.
func isID(word string) bool {
	digits, hex, changes := 0, true, 0
	for i := range len(word) {
		if isDigit(word[i]) {
			digits++
		} else if c := word[i] | 0x20; c > 'f' {
			hex = false
		}
		if i > 0 && isDigit(word[i]) != isDigit(word[i-1]) {
			changes++
		}
	}
	return digits > 0 && digits < len(word) && (hex && len(word) >= 8 || len(word) >= 12 && changes >= 4)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func alphanumeric(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' }

// shorten cuts a text to n characters and marks that.
func shorten(text string, n int) string {
	cut := cutRunes(text, n)
	if cut == text {
		return text
	}
	return strings.TrimRight(cutRunes(text, n-1), " ") + "…"
}

// cutRunes returns the first n characters of a text.
func cutRunes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
