package bounded

import (
	"fmt"
	"strings"
	"text/template"
)

const (
	// plainBytes is the length of a number or a bool in a text.
	plainBytes = 24

	// mostWidth is the largest width and precision that package fmt accepts.
	mostWidth = 1_000_000
)

// textFunctions returns the functions of text/template that create texts.
func textFunctions(b *Budget) template.FuncMap {
	growing := func(call func(...any) string, growth int) func(...any) (string, error) {
		return func(args ...any) (string, error) {
			w, err := b.weighDeep(args)
			if err != nil {
				return "", err
			}
			if err := b.Memory(plus(times(w.nodes, plainBytes), times(w.text, growth))); err != nil {
				return "", err
			}
			for i := range args {
				args[i] = shown(args[i])
			}
			return call(args...), nil
		}
	}
	return template.FuncMap{
		"print": growing(fmt.Sprint, 1), "println": growing(fmt.Sprintln, 1),
		"html": growing(template.HTMLEscaper, 5), "js": growing(template.JSEscaper, 6), "urlquery": growing(template.URLQueryEscaper, 3),
		"printf": func(format string, args ...any) (string, error) {
			n, err := b.formatted(format, args)
			if err != nil {
				return "", err
			}
			if err := b.Memory(n); err != nil {
				return "", err
			}
			return sprintf(format, args)
		},
	}
}

// formatted returns the largest possible length of a formatted text: its format, the
// width and precision of each verb, and each argument as often as a verb may name it.
func (b *Budget) formatted(format string, args []any) (int, error) {
	all, largest := 0, 0
	for _, arg := range args {
		w, err := b.weighDeep(arg)
		if err != nil {
			return 0, err
		}
		size := plus(times(w.text, growthOf(format)), times(w.nodes, 2*plainBytes))
		all, largest = plus(all, size), max(largest, size)
	}
	verbs := strings.Count(format, "%")
	if strings.ContainsRune(format, '[') { // %[1]s: any verb may name any argument
		all = times(verbs, largest)
	}
	return plus(plus(len(format), all), widths(format)), b.Steps(len(format))
}

// growthOf returns how many bytes a byte of a text becomes at most. Only %s and %v copy
// it unchanged.
func growthOf(format string) int {
	for i, c := range format {
		if c == '%' {
			rest := strings.TrimLeft(format[i+1:], "+- 0123456789.[]*")
			if rest != "" && !strings.ContainsRune("sv%fgeEG", rune(rest[0])) {
				return 6
			}
		}
	}
	return 1
}

// widths returns the sum of all numbers in a format, which are widths, precisions and
// numbers of arguments; each * counts as the largest width.
func widths(format string) int {
	sum, number := 0, 0
	for i := range len(format) {
		switch c := format[i]; {
		case c >= '0' && c <= '9':
			number = min(number*10+int(c-'0'), mostWidth)
			continue
		case c == '*':
			sum = plus(sum, mostWidth)
		}
		sum, number = plus(sum, number), 0
	}
	return sum
}

// JSON charges the JSON text of a value.
func (b *Budget) JSON(v any) error {
	w, err := b.weighDeep(v)
	if err != nil {
		return err
	}
	return b.Memory(w.json)
}
