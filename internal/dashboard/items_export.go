package dashboard

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// exportForms are the forms of an export besides NDJSON, which the API writes itself.
var exportForms = map[string]struct {
	media string
	begin func(w io.Writer) lineWriter
}{
	"csv":  {"text/csv; charset=utf-8", newCSVLines},
	"json": {"application/json", newJSONLines},
}

// lineWriter writes the items of an export, each a JSON object.
type lineWriter interface {
	line(text []byte) error
	end() error
}

// exportItems sends all items of a filter as CSV or JSON. The API streams them, and each is written
// when it comes, so an export needs little memory. If the API fails on its way, the connection
// breaks, so that nobody takes the file for complete.
func (d *Dashboard) exportItems(w http.ResponseWriter, r *http.Request) {
	p := &page{Path: r.URL.RequestURI(), Version: d.version, Name: d.name}
	if _, err := d.ask(r, http.MethodGet, "/auth/session", nil, nil, &p.Caller); err != nil {
		d.refuse(w, r, p, err)
		return
	}
	form, ok := exportForms[r.PathValue("form")]
	if !ok {
		d.refuse(w, r, p, &problem{Status: http.StatusNotFound, Detail: "items are exported as csv or json", Hint: "NDJSON is at /api/v1/items.ndjson"})
		return
	}
	inner, err := d.inner(r, http.MethodGet, "/items.ndjson", inZone(filterOf(r.URL.Query()), browserZone(r)))
	if err != nil {
		d.refuse(w, r, p, err)
		return
	}
	e := &export{w: w, header: http.Header{}, begin: func() lineWriter {
		w.Header().Set("Content-Type", form.media)
		w.Header().Set("Content-Disposition", `attachment; filename="items.`+r.PathValue("form")+`"`)
		return form.begin(w)
	}}
	d.api.ServeHTTP(e, inner)
	if e.refused != nil {
		d.refuse(w, r, p, e.problem())
		return
	}
	if err := e.end(); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// export is what the API writes an export to.
type export struct {
	w       http.ResponseWriter
	header  http.Header
	begin   func() lineWriter
	status  int
	lines   lineWriter
	rest    []byte        // of a line whose end has not come
	refused *bytes.Buffer // the answer if it is no success
}

func (e *export) Header() http.Header { return e.header }

func (e *export) WriteHeader(status int) {
	if e.status != 0 {
		return
	}
	if e.status = status; status >= 300 {
		e.refused = &bytes.Buffer{}
		return
	}
	e.lines = e.begin()
}

func (e *export) Write(p []byte) (int, error) {
	e.WriteHeader(http.StatusOK)
	if e.refused != nil {
		return e.refused.Write(p)
	}
	for rest := p; ; {
		at := bytes.IndexByte(rest, '\n')
		if at < 0 {
			e.rest = append(e.rest, rest...)
			return len(p), nil
		}
		line := append(e.rest, rest[:at]...)
		if err := e.lines.line(line); err != nil {
			return 0, err
		}
		e.rest, rest = e.rest[:0], rest[at+1:]
	}
}

// Unwrap lets the API flush, and extend the time of the connection.
func (e *export) Unwrap() http.ResponseWriter { return e.w }

func (e *export) end() error {
	e.WriteHeader(http.StatusOK)
	if len(e.rest) > 0 {
		return io.ErrUnexpectedEOF // the API broke off in a line
	}
	return e.lines.end()
}

func (e *export) problem() error {
	p := &problem{Status: e.status}
	if err := json.Unmarshal(e.refused.Bytes(), p); err != nil || p.Detail == "" {
		p.Detail = "the API has refused the export"
	}
	return p
}

// csvColumns are the columns of an export as CSV, by the names of the API.
var csvColumns = []string{
	"id", "status", "priority", "integrationConfig", "queueName", "naturalKey", "tags", "retryCount", "errorKind", "error",
	"createdAt", "createdBy", "availableAt", "startedAt", "finishedAt", "payload", "output",
}

type csvLines struct{ w *csv.Writer }

func newCSVLines(w io.Writer) lineWriter {
	c := &csvLines{csv.NewWriter(w)}
	_ = c.w.Write(csvColumns) // the error comes again at the end
	return c
}

func (c *csvLines) line(text []byte) error {
	var item map[string]json.RawMessage
	if err := json.Unmarshal(text, &item); err != nil {
		return err
	}
	row := make([]string, len(csvColumns))
	for i, name := range csvColumns {
		row[i] = csvCell(item[name])
	}
	return c.w.Write(row)
}

func (c *csvLines) end() error {
	c.w.Flush()
	return c.w.Error()
}

// csvCell writes a value of JSON for a cell. A text that a spreadsheet would run as a formula begins
// with an apostrophe.
func csvCell(value json.RawMessage) string {
	var text string
	switch {
	case len(value) == 0 || string(value) == "null":
		return ""
	case json.Unmarshal(value, &text) != nil:
		return string(value)
	}
	if strings.ContainsAny(text[:min(len(text), 1)], "=+-@\t\r") {
		return "'" + text
	}
	return text
}

type jsonLines struct {
	w       io.Writer
	between string
}

func newJSONLines(w io.Writer) lineWriter { return &jsonLines{w, "[\n"} }

func (j *jsonLines) line(text []byte) error {
	_, err := io.WriteString(j.w, j.between+string(text))
	j.between = ",\n"
	return err
}

func (j *jsonLines) end() error {
	if j.between == "[\n" {
		_, err := io.WriteString(j.w, "[]\n")
		return err
	}
	_, err := io.WriteString(j.w, "\n]\n")
	return err
}
