package builtin

import (
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"botwork/handlers"
	"botwork/internal/values"
)

// source returns the text to parse, with line ends that package csv knows.
func (s *csvStep) source(call *handlers.Call) (string, error) {
	text, err := s.content(call)
	if err != nil {
		return "", err
	}
	if i := strings.IndexByte(text, 0); i >= 0 {
		return "", handlers.Business(fmt.Errorf("got the character NUL at byte %d: this may be UTF-16 without a byte order mark; save it as UTF-8", i))
	}
	if !strings.Contains(text, "\n") { // the line ends of old programs for the Mac
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	return text, nil
}

func (s *csvStep) content(call *handlers.Call) (string, error) {
	switch {
	case s.Text != nil:
		return strings.TrimPrefix(*s.Text, "\uFEFF"), nil
	case s.Path != "":
		data, _, err := s.folders.read(s.Path, s.MaxSize)
		if err != nil {
			return "", err
		}
		text, err := decodeText(data)
		if err != nil {
			return "", handlers.Business(fmt.Errorf("read %q: %w", s.Path, err))
		}
		return text, nil
	}
	text, ok := call.Input.(string)
	if !ok {
		return "", handlers.Permanent(fmt.Errorf("the step's input is %s, want text; or give text or path", values.Describe(call.Input)))
	}
	return strings.TrimPrefix(text, "\uFEFF"), nil
}

// decodeText decodes UTF-8, and UTF-16 with a byte order mark.
func decodeText(data []byte) (string, error) {
	order := utf16Order(data)
	if order == nil {
		return textOf(data)
	}
	if len(data)%2 != 0 {
		return "", fmt.Errorf("this is UTF-16 with an odd number of bytes (%d): the file is incomplete", len(data))
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 2; i < len(data); i += 2 {
		units = append(units, order.Uint16(data[i:]))
	}
	return string(utf16.Decode(units)), nil
}

// utf16Order returns the byte order that a byte order mark of UTF-16 names; nil: there is none.
func utf16Order(data []byte) binary.ByteOrder {
	switch {
	case len(data) >= 2 && data[0] == 0xff && data[1] == 0xfe:
		return binary.LittleEndian
	case len(data) >= 2 && data[0] == 0xfe && data[1] == 0xff:
		return binary.BigEndian
	}
	return nil
}

// csvReader is a csv.Reader that reports an open quote as such.
type csvReader struct {
	*csv.Reader
	text string
}

// separatorLine is a first line that names the delimiter, as Excel writes it.
var separatorLine = regexp.MustCompile(`^"?(?i:sep)=(.)"?(\r?\n|$)`)

// reader returns a reader of the rows, without a first line that names the delimiter.
func (s *csvStep) reader(text string) (*csvReader, error) {
	r := &csvReader{csv.NewReader(strings.NewReader(text)), text}
	r.Comma, _ = utf8.DecodeRuneInString(s.separator())
	r.FieldsPerRecord = -1 // a row with another number of values is a bad row, not a parse error
	named := separatorLine.FindStringSubmatch(text)
	if named == nil {
		return r, nil
	}
	r.Comma, _ = utf8.DecodeRuneInString(named[1])
	if strings.ContainsRune("\"\r\n\uFFFD", r.Comma) {
		return nil, fmt.Errorf("line 1: got sep=%s, want a delimiter other than a quote or a line break", named[1])
	}
	_, _ = r.Reader.Read() // the line itself: its fields and errors mean nothing, its number counts
	return r, nil
}

// Read reads the next record. A quote that is not closed is an error of the whole text: all rows
// after it are in one value.
func (r *csvReader) Read() ([]string, error) {
	start := r.InputOffset()
	record, err := r.Reader.Read()
	if syntax, ok := errors.AsType[*csv.ParseError](err); ok && errors.Is(err, csv.ErrQuote) && r.InputOffset() == int64(len(r.text)) {
		before := r.text[:start]
		if at := openQuote(r.text[start:], r.Comma); at >= 0 {
			line := strings.Count(before, "\n") + strings.Count(r.text[start:][:at], "\n") + 1
			return nil, fmt.Errorf("line %d: a quote begins here and is not closed; the rows after it cannot be read (record on line %d)", line, syntax.StartLine)
		}
	}
	return record, err
}

// openQuote returns where in a record the quote begins that is not closed, or -1.
func openQuote(record string, comma rune) int {
	at, fieldStart := -1, true
	for i := 0; i < len(record); i++ {
		c, size := utf8.DecodeRuneInString(record[i:])
		switch {
		case at >= 0 && strings.HasPrefix(record[i:], `""`):
			i++
		case at >= 0 && c == '"':
			at = -1
		case at >= 0:
		case c == '"' && fieldStart:
			at = i
		default:
			fieldStart = c == comma || c == '\n' || c == '\r'
			i += size - 1
			continue
		}
		fieldStart = false
	}
	return at
}
