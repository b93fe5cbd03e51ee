package queuedefs_test

import (
	"errors"
	"testing"

	"botwork/internal/author/queuedefs"
	"botwork/internal/author/strictyaml"
)

// FuzzDecode checks that Decode never panics, and that each queue it decodes without
// a finding is valid.
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
				t.Errorf("the finding %+v has no position, code or message", finding)
			}
		}
		if len(findings) > 0 {
			return
		}
		for _, q := range queues {
			if err := q.Validate(); err != nil {
				t.Errorf("Decode(%q) has no finding, but Validate returns %v", text, err)
			}
		}
	})
}
