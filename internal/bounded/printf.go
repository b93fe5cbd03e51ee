package bounded

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// sprintf is the function printf of templates. Where fmt.Sprintf would write one of its
// marks, such as %!d(string=x) or %!(EXTRA …), it returns an error.
func sprintf(format string, args []any) (string, error) {
	var wrong error
	eachVerb(format, func(_ string, verb rune) {
		if verb == 'T' || verb == 'p' { // package fmt does not ask the argument for these
			wrong = fmt.Errorf("printf: %%%c shows how Go stores a value; use %%v for the value", verb)
		}
	})
	if wrong != nil {
		return "", wrong
	}
	given, blanks := make([]any, len(args)), make([]any, len(args))
	widths := widthsOf(format, len(args))
	for i, arg := range args {
		switch n, whole := arg.(int); {
		case widths[i] && whole:
			given[i], blanks[i] = n, n
		default:
			given[i], blanks[i] = printed{shown(arg), &wrong}, blank{}
		}
	}
	text := fmt.Sprintf(format, given...)
	if wrong != nil {
		return "", wrong
	}
	return text, checkFormat(format, blanks)
}

// blank prints nothing.
type blank struct{}

// Format implements fmt.Formatter.
func (blank) Format(fmt.State, rune) {}

// checkFormat returns an error if the number of arguments is wrong, or a width. blanks are the
// arguments without their text. A ! of the format itself cannot look like a mark: its letter
// is replaced, and no verb is a z.
func checkFormat(format string, blanks []any) error {
	_, mark, found := strings.Cut(fmt.Sprintf(strings.ReplaceAll(format, "!", "z"), blanks...), "%!")
	switch {
	case !found:
		return nil
	case strings.HasPrefix(mark, "(EXTRA"):
		return fmt.Errorf("printf: the format %q has fewer verbs than there are arguments (%d)", format, len(blanks))
	case strings.HasPrefix(mark, "(NOVERB"):
		return fmt.Errorf("printf: the format %q ends with a %%; write %%%% for a percent sign", format)
	case strings.HasPrefix(mark, "(BADWIDTH"), strings.HasPrefix(mark, "(BADPREC"):
		return fmt.Errorf("printf: in the format %q, the argument for a * is no whole number, or is too large", format)
	default: // MISSING, BADINDEX
		return fmt.Errorf("printf: the format %q names more arguments than there are (%d)", format, len(blanks))
	}
}

// widthsOf returns which arguments are the width or the precision of a verb: those of each *.
// With indexes, as in %[2]*d, any argument may be one.
func widthsOf(format string, n int) []bool {
	widths := make([]bool, n)
	indexed, next := strings.ContainsRune(format, '['), 0
	eachVerb(format, func(flags string, verb rune) {
		for range strings.Count(flags, "*") {
			if next < n {
				widths[next] = true
			}
			next++
		}
		if verb != '%' {
			next++
		}
	})
	for i := range widths {
		widths[i] = widths[i] || indexed && strings.ContainsRune(format, '*')
	}
	return widths
}

// eachVerb calls f for each verb of a format, with what is between the % and the verb.
func eachVerb(format string, f func(flags string, verb rune)) {
	for {
		_, rest, found := strings.Cut(format, "%")
		if !found {
			return
		}
		after := strings.TrimLeft(rest, "+-# 0123456789.[]*")
		if after == "" {
			return
		}
		verb, size := utf8.DecodeRuneInString(after)
		f(rest[:len(rest)-len(after)], verb)
		format = after[size:]
	}
}
