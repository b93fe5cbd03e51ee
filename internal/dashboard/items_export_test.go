package dashboard

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Lines arrive in pieces of any size. An answer that breaks off in a line is an error, so that nobody
// takes the file for complete.
func TestExportInPieces(t *testing.T) {
	const lines = `{"id":1,"queueName":"=a"}` + "\n" + `{"id":2,"payload":{"n":9007199254740993}}` + "\n"
	for form, want := range map[string]string{
		"csv":  "1,,,,'=a,,,,,,,,,,,,\n2,,,,,,,,,,,,,,,\"{\"\"n\"\":9007199254740993}\",\n",
		"json": "[\n{\"id\":1,\"queueName\":\"=a\"},\n{\"id\":2,\"payload\":{\"n\":9007199254740993}}\n]\n",
	} {
		for _, size := range []int{1, 7, len(lines)} {
			w := httptest.NewRecorder()
			e := &export{w: w, header: http.Header{}, begin: func() lineWriter { return exportForms[form].begin(w) }}
			for rest := lines; rest != ""; {
				piece := rest[:min(size, len(rest))]
				if n, err := io.WriteString(e, piece); err != nil || n != len(piece) {
					t.Fatalf("%s: wrote %d, %v", form, n, err)
				}
				rest = rest[len(piece):]
			}
			if err := e.end(); err != nil || !strings.HasSuffix(w.Body.String(), want) {
				t.Errorf("%s in pieces of %d: %v, got\n%s\nwant\n%s", form, size, err, w.Body.String(), want)
			}
		}
		e := &export{w: httptest.NewRecorder(), header: http.Header{}, begin: func() lineWriter { return exportForms[form].begin(io.Discard) }}
		_, _ = io.WriteString(e, lines+`{"id":3`)
		if err := e.end(); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s that breaks off: got the error %v", form, err)
		}
	}
}
