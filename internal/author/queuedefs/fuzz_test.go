package queuedefs_test

import (
	"errors"
	"testing"

	"botwork/internal/author/queuedefs"
	"botwork/internal/author/strictyaml"
)

// Whatever stands in the file: what is read without a finding is a definition
// that the store takes, and nothing makes the reader panic.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"q: {ttl: 7d, retain: 0s, archive: {maxAge: 1h, limit: 0}, retry: {as: copy, limit: 3, jitter: 0, retryOn: []}}",
		"q: {schemas: {payload: true, output: {type: object}, analytics: {file: s.json}}, limits: {rate: 10/1m, perKey: {rate: 1/1ns}}}",
		"q: {robots: {public: false, rights: {a: read, A: write}}, checkout: 1ns}\nQ:",
		"q: {retry: {factor: .inf, jitter: .nan}, priorityOffset: 1e9}",
		"'a b': {description: \"\\x00\", ttl: 106751d}",
		"- q",
		"q: {schemas: {payload: {$ref: '#/x', minimum: 1e400}}}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		node, findings := strictyaml.Parse("botwork.yaml", []byte(text))
		if node == nil || len(findings) > 0 {
			return
		}
		queues, findings := queuedefs.Decode(node, func(string) ([]byte, error) { return nil, errors.New("no files here") })
		for _, finding := range findings {
			if finding.File == "" || finding.Line == 0 || finding.Code == "" || finding.Message == "" {
				t.Errorf("the finding %+v has no place, code or message", finding)
			}
		}
		if len(findings) > 0 {
			return
		}
		for _, q := range queues {
			if err := q.Validate(); err != nil {
				t.Errorf("%q was read without a finding, and then: %v", text, err)
			}
		}
	})
}
