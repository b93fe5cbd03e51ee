package apitest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"botwork/internal/api"
	"botwork/internal/httpserver"
)

// The bounds of an answer to any request.
const (
	MostAnswered = 5 << 20
	LongestTaken = 10 * time.Second
)

// FuzzOptions say how an API is fuzzed.
type FuzzOptions struct {
	Seed   uint64
	Tokens []string

	// PerOperation bounds the requests for one operation with one token. They are chosen by the
	// seed.
	PerOperation int

	// Pipeline is a pipeline that exists; "": none.
	Pipeline string

	// Skip names operations that are left out, such as streams.
	Skip []string
}

// Fuzz sends hostile requests to each operation of the document: values of wrong types, huge and
// deep bodies, bad encodings, extreme numbers and long paths. No answer may be a 5xx, larger
// than MostAnswered or slower than LongestTaken, and each 4xx must be a problem with a code.
// Equal seeds send equal requests.
func Fuzz(t *testing.T, s *Server, o FuzzOptions) {
	text, err := s.API.Document()
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	f := &fuzzer{server: s, doc: doc, pipeline: o.Pipeline, random: rand.New(rand.NewPCG(o.Seed, 1))}
	for _, op := range s.API.Operations() {
		if slices.Contains(o.Skip, op.ID) {
			continue
		}
		requests := f.requests(op)
		for _, token := range o.Tokens {
			f.random.Shuffle(len(requests), func(i, j int) { requests[i], requests[j] = requests[j], requests[i] })
			for _, r := range requests[:min(len(requests), o.PerOperation)] {
				f.send(t, op, token, r)
			}
		}
	}
	t.Logf("sent %d requests, of which %d succeeded", f.sent, f.succeeded)
}

type fuzzer struct {
	server          *Server
	doc             map[string]any
	pipeline        string
	random          *rand.Rand
	sent, succeeded int
}

// hostile is one request.
type hostile struct {
	name   string // of the case
	path   string
	query  url.Values
	header map[string]string
	body   []byte
}

// texts are values for paths and queries.
func texts() []string {
	return []string{
		"", " ", "x", "default", "0", "-1", "99999999999999999999", "-9223372036854775808", "1e309", "NaN", "true", "null", "a,b,,c",
		"\x00", "a\x00b", "\xff\xfe", "..", "../../etc/passwd", "a/b", "%", "%s%n", "'; DROP TABLE BotQueues; --", "{{.}}", "\u202e\U0001F600", "2026-13-45T99:00:00Z",
		"0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "-1h", "292000000h", "yesterday", strings.Repeat("a", 201), strings.Repeat("ä", 5000), strings.Repeat("9", 1000),
	}
}

// values are values for properties of a body, as JSON; some are not JSON.
func values() []string {
	quoted := func(s string) string { return `"` + s + `"` }
	return []string{
		"null", "true", "0", "-1", "1.5", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "1e308", "1e400", "-0", quoted(""), quoted("x"),
		quoted(`\u0000`), quoted(`\ud800`), quoted("\xff\xfe"), quoted("\x01"), quoted(strings.Repeat("a", 100_000)), quoted(`'; DROP TABLE BotQueues; --`), quoted("${{ env }}"),
		quoted("0001-01-01T00:00:00Z"), quoted("9999-12-31T23:59:59.999999999Z"), quoted("-1h"), quoted("9999999h"),
		quoted(bomb()), quoted("a: " + strings.Repeat("[", 100_000)), quoted(strings.Repeat("- ", 50_000)), quoted(strings.Repeat("a: {", 20_000)), quoted("steps: [" + strings.Repeat("{handler: Log},", 20_000) + "]"), "[]", "{}", "[null]", `[[1]]`, `{"a":{"b":{"c":null}}}`, `{"":1}`, `["x","x"]`,
		nested("[", "]", 10_000, ""), nested(`{"a":`, "}", 10_000, "1"), nested(`{"limits":`, "}", 500, "1"), "[" + strings.Repeat("1,", 20_000) + "1]", "NaN", "tru",
	}
}

// bomb returns YAML whose aliases expand to a billion values.
func bomb() string {
	var text strings.Builder
	text.WriteString(`a0: &a0 [x]\n`)
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&text, `a%d: &a%d [%s]\n`, i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	return text.String()
}

func nested(open, end string, depth int, inner string) string {
	return strings.Repeat(open, depth) + inner + strings.Repeat(end, depth)
}

// bodies are whole bodies.
func (f *fuzzer) bodies() [][]byte {
	list := [][]byte{
		nil, []byte(" "), []byte("null"), []byte("[]"), []byte("{}"), []byte("1"), []byte(`"x"`), []byte("{"), []byte(`{"a"`), []byte("\xef\xbb\xbf{}"), []byte("\xff\xfe{}"), []byte("\x00"),
		[]byte(`{"unknown": 1}`), []byte(`{"reason": 1, "reason": 2}`), []byte(`{"__proto__": {}}`), []byte("{} {}"), []byte("<a/>"),
		[]byte(nested("[", "]", 10_000, "")), []byte(nested(`{"a":`, "}", 10_000, "1")), []byte(strings.Repeat("[", 100_000)),
		bytes.Repeat([]byte(" "), int(Limits.Body)+1), []byte(`{"reason": "` + strings.Repeat("a", int(Limits.Body)) + `"}`),
	}
	return list
}

// requests lists the hostile requests of an operation.
func (f *fuzzer) requests(op api.Operation) []hostile {
	described, _ := f.at("paths", op.Path, strings.ToLower(op.Method)).(map[string]any)
	plainPath := func(of string) string {
		path := strings.TrimPrefix(op.Path, api.Prefix)
		for strings.Contains(path, "{") {
			from, to := strings.Index(path, "{"), strings.Index(path, "}")
			value := of
			if value == "" {
				switch path[from : to+1] {
				case "{queue}":
					value = "default"
				case "{pipeline}":
					value = f.pipeline
				}
				value = cmp.Or(value, "987654")
			}
			path = path[:from] + url.PathEscape(value) + path[to+1:]
		}
		return path
	}
	base := func() hostile { return hostile{path: plainPath(""), query: url.Values{}, header: map[string]string{}} }
	list := []hostile{base()}
	add := func(name string, change func(h *hostile)) {
		h := base()
		h.name = name
		change(&h)
		list = append(list, h)
	}
	if strings.Contains(op.Path, "{") {
		for _, text := range texts() {
			if text != "" && text != ".." {
				add("path", func(h *hostile) { h.path = plainPath(text) })
			}
		}
	}
	for _, p := range slice(described["parameters"]) {
		p := p.(map[string]any)
		name, _ := p["name"].(string)
		for _, text := range texts() {
			switch p["in"] {
			case "query":
				add("query "+name, func(h *hostile) { h.query.Set(name, text) })
			case "header":
				if utf8.ValidString(text) && !strings.Contains(text, "\x00") {
					add("header "+name, func(h *hostile) { h.header[name] = text })
				}
			}
		}
		add("twice "+name, func(h *hostile) { h.query[name] = []string{"1", "2"} })
	}
	add("unknown query", func(h *hostile) { h.query.Set("unknown", "1") })
	if op.Method == http.MethodGet {
		return list
	}
	for _, body := range f.bodies() {
		add("body", func(h *hostile) { h.body = body })
	}
	for _, media := range []string{"text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1", "application/cbor", "multipart/form-data", "a", "\t"} {
		add("media type", func(h *hostile) { h.header["Content-Type"], h.body = media, []byte("{}") })
	}
	schema := f.resolve(f.at("paths", op.Path, strings.ToLower(op.Method), "requestBody", "content", "application/json", "schema"))
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		for _, value := range values() {
			add("property "+name, func(h *hostile) { h.body = f.body(properties, name, value) })
		}
		parts, _ := f.resolve(properties[name])["properties"].(map[string]any)
		for _, part := range slices.Sorted(maps.Keys(parts)) {
			for _, value := range values() {
				add("property "+name+"."+part, func(h *hostile) { h.body = f.body(properties, name, fmt.Sprintf("{%q:%s}", part, value)) })
			}
		}
	}
	return list
}

// body returns a body with samples of all properties, except that one has another value.
func (f *fuzzer) body(properties map[string]any, name, value string) []byte {
	var b strings.Builder
	b.WriteString("{")
	for i, key := range slices.Sorted(maps.Keys(properties)) {
		if i > 0 {
			b.WriteString(",")
		}
		text := value
		if key != name {
			sample, _ := json.Marshal(f.sample(properties[key], 3))
			text = string(sample)
		}
		fmt.Fprintf(&b, "%q:%s", key, text)
	}
	return []byte(b.String() + "}")
}

// sample returns a value that fits a schema, roughly.
func (f *fuzzer) sample(of any, depth int) any {
	schema := f.resolve(of)
	if examples := slice(schema["examples"]); len(examples) > 0 {
		return examples[0]
	}
	if words := slice(schema["enum"]); len(words) > 0 {
		return words[0]
	}
	kind, _ := schema["type"].(string)
	if kinds := slice(schema["type"]); len(kinds) > 0 {
		kind, _ = kinds[0].(string)
	}
	switch {
	case kind == "string" && schema["format"] == "date-time":
		return "2026-01-31T06:00:00Z"
	case kind == "string":
		return "x"
	case kind == "integer" || kind == "number":
		if least, ok := schema["minimum"].(float64); ok {
			return least
		}
		return 1
	case kind == "boolean":
		return true
	case kind == "array" && depth > 0:
		return []any{f.sample(schema["items"], depth-1)}
	case kind == "object" && depth > 0:
		object := map[string]any{}
		properties, _ := schema["properties"].(map[string]any)
		for key, property := range properties {
			object[key] = f.sample(property, depth-1)
		}
		return object
	}
	return nil
}

func (f *fuzzer) at(keys ...string) any {
	var v any = f.doc
	for _, key := range keys {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}

// resolve returns the schema that a reference or the first alternative is.
func (f *fuzzer) resolve(v any) map[string]any {
	for range 10 {
		schema, _ := v.(map[string]any)
		ref, _ := schema["$ref"].(string)
		if alternatives := slice(schema["oneOf"]); len(alternatives) > 0 {
			v = alternatives[0]
			continue
		}
		if ref == "" {
			return schema
		}
		v = f.at("components", "schemas", strings.TrimPrefix(ref, "#/components/schemas/"))
	}
	return nil
}

func slice(v any) []any {
	list, _ := v.([]any)
	return list
}

// send sends a request and judges the answer.
func (f *fuzzer) send(t *testing.T, op api.Operation, token string, h hostile) {
	t.Helper()
	path := h.path
	if len(h.query) > 0 {
		path += "?" + h.query.Encode()
	}
	r := Request{Method: op.Method, Path: path, Token: token, Header: h.header}
	if h.body != nil {
		r.Body = h.body
	}
	ctx, cancel := context.WithTimeout(t.Context(), LongestTaken)
	defer cancel()
	req, err := f.server.NewRequest(ctx, r)
	if err != nil {
		t.Fatalf("%s: %v", op.ID, err)
	}
	describe := func() string {
		return fmt.Sprintf("%s (%s): %s %.200s, header %.200q, body %.300q", op.ID, h.name, op.Method, path, fmt.Sprint(h.header), h.body)
	}
	f.sent++
	res, err := f.server.client.Do(req)
	if err != nil {
		if ctx.Err() != nil || !strings.Contains(err.Error(), "invalid header field") && len(h.body) <= int(Limits.Body) {
			t.Errorf("%s: %v", describe(), err)
		}
		return // the server closes a connection whose body is too large
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, MostAnswered+1))
	switch {
	case err != nil:
		t.Errorf("%s: read the answer: %v", describe(), err)
	case len(body) > MostAnswered:
		t.Errorf("%s: the answer has more than %d bytes", describe(), MostAnswered)
	case res.StatusCode >= 500:
		t.Errorf("%s: got %d: %.500s", describe(), res.StatusCode, body)
	case res.StatusCode >= 400:
		var p api.Problem
		if err := json.Unmarshal(body, &p); err != nil || p.Code == "" || p.Status != res.StatusCode || res.Header.Get("Content-Type") != httpserver.ProblemType {
			t.Errorf("%s: got %d that is no problem with a code: %.500s", describe(), res.StatusCode, body)
		}
		if res.StatusCode == http.StatusUnauthorized && !op.Open {
			t.Fatalf("%s: the token no longer works: %s", describe(), body)
		}
	case res.StatusCode < 300:
		f.succeeded++
	}
}
