package workqueue

import (
	"errors"
	"testing"

	"botwork/workqueue/matching"
)

func TestTextsWithNULAreRefused(t *testing.T) {
	for field, items := range map[string][]NewItem{
		"naturalKey": {{NaturalKey: "a\x00b"}},
		"limitKey":   {{LimitKey: "\x00"}},
		"pipeline":   {{IntegrationConfig: "hello\x00"}},
		"tags":       {{Tags: []string{"good", "\x00bad"}}},
		"metadata":   {{Metadata: map[string]string{"a\x00": "b"}}, {Metadata: map[string]string{"a": "b\x00"}}},
		"labels":     {{Labels: matching.Labels{"a": matching.Text("b\x00")}}},
		"payload":    {{Payload: `{"a": "\u0000"}`}, {Payload: `{"a": "\\\u0000"}`}, {Payload: `"\\u0000\u0000"`}, {Payload: "\"\x00\""}},
	} {
		for _, it := range items {
			var fault *ItemFault
			if err := it.Validate(); !errors.As(err, &fault) || fault.Field != field {
				t.Errorf("%+v: got %v, want a fault of %s", it, err, field)
			}
		}
	}
	for _, payload := range []JSONText{`"\\u0000"`, `{"path": "C:\\u0000"}`, `"\\\\u0000"`, `"u0000"`, `"\u0001"`, ""} {
		it := NewItem{Payload: payload}
		if err := it.Validate(); err != nil {
			t.Errorf("payload %s: %v, want it accepted", payload, err)
		}
	}
}
