package httpserver

import (
	"encoding/json"
	"net/http"
)

// Problem is an answer that refuses a request, as RFC 9457 describes it. Code and Hint are
// additions: a word that programs can act on, and what a person can do.
type Problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
	Code   string `json:"code"`
	Hint   string `json:"hint,omitempty"`
}

// ProblemType is the media type of a problem.
const ProblemType = "application/problem+json"

// refusal answers with a problem.
func refusal(status int, code, detail, hint string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", ProblemType)
		w.WriteHeader(status)
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail, Code: code, Hint: hint})
	})
}
