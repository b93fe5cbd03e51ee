package handlers

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type sampleCommon struct {
	Timeout Duration `json:"timeout" doc:"longest run"`
}

type sampleRetry struct {
	Attempts int     `json:"attempts" doc:"tries in all" required:"true"`
	Factor   float64 `json:"factor" doc:"growth"`
}

// sample has a parameter of every sort.
type sample struct {
	sampleCommon
	URL      string            `json:"url" doc:"address" required:"true"`
	Method   string            `json:"method" doc:"verb" enum:"GET,POST"`
	Password Secret            `json:"password" doc:"password"`
	Codes    []int             `json:"codes" doc:"good codes"`
	Modes    []string          `json:"modes" doc:"modes" enum:"a,b"`
	Headers  map[string]string `json:"headers" doc:"headers"`
	Body     any               `json:"body" doc:"body"`
	Rows     []map[string]any  `json:"rows" doc:"rows"`
	Retry    sampleRetry       `json:"retry" doc:"retries"`
	Steps    []sampleRetry     `json:"steps" doc:"steps"`
	Flag     bool              `json:"flag" doc:"flag"`
	At       time.Time         `json:"at" doc:"instant"`
	Limit    Size              `json:"limit" doc:"limit"`
	Small    int8              `json:"small" doc:"small"`
	Count    uint              `json:"count" doc:"count"`
	Hidden   string            `json:"-"`
	wrong    error
}

func (s *sample) Handle(context.Context, *Call) (any, error) { return nil, nil }
func (s *sample) Validate() error                            { return s.wrong }

func sampleKind() Kind {
	return Kind{Name: "Sample", New: func() Handler {
		return &sample{
			sampleCommon: sampleCommon{Timeout: Duration(15 * time.Minute)},
			Method:       "GET", Codes: []int{0, 1}, Retry: sampleRetry{Factor: 2}, Limit: 10 << 20,
		}
	}}
}

func TestFields(t *testing.T) {
	retry := func(factor string) []Field {
		return []Field{
			{Name: "attempts", Type: "whole number", Doc: "tries in all", Required: true},
			{Name: "factor", Type: "number", Doc: "growth", Default: factor},
		}
	}
	want := []Field{
		{Name: "timeout", Type: "duration", Doc: "longest run", Default: "15m"},
		{Name: "url", Type: "string", Doc: "address", Required: true},
		{Name: "method", Type: "string", Doc: "verb", Default: "GET", Enum: []string{"GET", "POST"}},
		{Name: "password", Type: "string", Doc: "password", Secret: true},
		{Name: "codes", Type: "list of whole number", Doc: "good codes", Default: "[0, 1]"},
		{Name: "modes", Type: "list of string", Doc: "modes", Enum: []string{"a", "b"}},
		{Name: "headers", Type: "map of string", Doc: "headers"},
		{Name: "body", Type: "any", Doc: "body"},
		{Name: "rows", Type: "list of map of any", Doc: "rows"},
		{Name: "retry", Type: "object", Doc: "retries", Fields: retry("2")},
		{Name: "steps", Type: "list of object", Doc: "steps", Fields: retry("")},
		{Name: "flag", Type: "true or false", Doc: "flag"},
		{Name: "at", Type: "time", Doc: "instant"},
		{Name: "limit", Type: "size", Doc: "limit", Default: "10MB"},
		{Name: "small", Type: "whole number", Doc: "small"},
		{Name: "count", Type: "whole number", Doc: "count"},
	}
	if diff := cmp.Diff(want, sampleKind().Fields()); diff != "" {
		t.Error(diff)
	}
}
