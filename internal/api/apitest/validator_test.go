package apitest

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"botwork/workqueue/access"
)

// Answers that do not match the document are found, at the first comparison and at later ones.
func TestAnswersAreCompared(t *testing.T) {
	s := Start(t, nil)
	v, err := s.validator()
	if err != nil {
		t.Fatal(err)
	}
	version := s.Do(t, Request{Method: "GET", Path: "/version", Token: s.Token(t, access.Viewer)}).Want(t, 200)
	for _, c := range []struct {
		body   []byte
		status int
		ok     bool
	}{
		{version.Body, 200, true},
		{[]byte(`{"version": 1}`), 200, false},
		{[]byte(`{}`), 200, false},
		{version.Body, 200, true},
		{version.Body, 299, false},
	} {
		req, err := s.NewRequest(t.Context(), Request{Method: "GET", Path: "/version"})
		if err != nil {
			t.Fatal(err)
		}
		res := &http.Response{StatusCode: c.status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(c.body))}
		if ok, faults := v.ValidateHttpResponse(req, res); ok != c.ok {
			t.Errorf("%d %s: matches the document: %v, want %v: %v", c.status, c.body, ok, c.ok, faults)
		}
	}
}
