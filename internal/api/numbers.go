package api

import (
	"bytes"
	"io"
	"maps"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// exactJSON is the media type of answers for clients that read all numbers as floating-point
// numbers of 64 bits, as browsers do: a number that would lose digits is written as a string.
const exactJSON = "application/vnd.botwork.strings+json"

// maxExact is the largest whole number that such clients distinguish from its neighbours: 2^53-1.
const maxExact = 1<<53 - 1

// exactFormat writes answers of the type exactJSON.
var exactFormat = huma.Format{
	Marshal: func(w io.Writer, v any) error {
		var text bytes.Buffer
		if err := huma.DefaultJSONFormat.Marshal(&text, v); err != nil {
			return err
		}
		_, err := w.Write(quoteInexact(text.Bytes()))
		return err
	},
	Unmarshal: huma.DefaultJSONFormat.Unmarshal,
}

// quoteInexact writes the numbers of a JSON text that lose digits as strings of these digits.
func quoteInexact(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		end := i + 1
		switch c := text[i]; {
		case c == '"':
			for ; text[end] != '"'; end++ {
				if text[end] == '\\' {
					end++
				}
			}
			end++
		case c == '-' || c >= '0' && c <= '9':
			for end < len(text) && strings.IndexByte("+-.eE0123456789", text[end]) >= 0 {
				end++
			}
			if !isExact(string(text[i:end])) {
				out = append(out, '"')
				out = append(out, text[i:end]...)
				out = append(out, '"')
				i = end
				continue
			}
		}
		out = append(out, text[i:end]...)
		i = end
	}
	return out
}

// isExact reports whether a JSON number is the same number after it was read as a floating-point
// number of 64 bits and written with the fewest digits that are read as that.
func isExact(number string) bool {
	if !strings.ContainsAny(number, ".eE") {
		n, err := strconv.ParseInt(number, 10, 64)
		return err == nil && n >= -maxExact && n <= maxExact
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return false
	}
	digits, exponent, ok := decimal(number)
	read, readExponent, _ := decimal(strconv.FormatFloat(f, 'e', -1, 64))
	return ok && digits == read && exponent == readExponent
}

// decimal returns the digits of a number without zeros around them, and its power of ten. ok is
// false if the exponent is too large to be one.
func decimal(number string) (digits string, exponent int, ok bool) {
	mantissa, power := strings.TrimPrefix(strings.ToLower(number), "-"), ""
	mantissa, power, _ = strings.Cut(mantissa, "e")
	if power != "" {
		var err error
		if exponent, err = strconv.Atoi(power); err != nil {
			return "", 0, false
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	exponent -= len(fraction)
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return "", 0, true
	}
	return trimmed, exponent + len(digits) - len(trimmed), true
}

// documentExact adds the media type to the successes that are JSON. Its schema says no more than the
// description: with the types of the answer as JSON, a number that became a string would not fit.
func (a *API) documentExact() {
	for _, path := range a.huma.OpenAPI().Paths {
		for _, op := range []*huma.Operation{path.Get, path.Post, path.Put, path.Patch, path.Delete} {
			if op == nil {
				continue
			}
			for status, response := range op.Responses {
				media := response.Content["application/json"]
				if !strings.HasPrefix(status, "2") || media == nil || media.Schema == nil || media.Schema.Ref == "" {
					continue
				}
				if response.Content[exactJSON] == nil { // two statuses may share a response
					response.Content[exactJSON] = &huma.MediaType{Schema: &huma.Schema{
						Description: "as application/json, except that numbers which a floating-point number of 64 bits cannot hold exactly, and whole numbers beyond 2^53-1, are strings of their digits",
					}}
				}
			}
		}
	}
}

// formats are the forms of answers.
func formats(base map[string]huma.Format) map[string]huma.Format {
	all := maps.Clone(base)
	all[exactJSON] = exactFormat
	return all
}
