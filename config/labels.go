package config

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"botwork/internal/author/strictyaml"
	"botwork/workqueue/matching"
)

// Labels are the properties of a worker, which the selectors of pipelines use. A value is a
// string, int, float64 or bool.
type Labels map[string]any

// DecodeNode implements strictyaml.NodeDecoder.
func (l *Labels) DecodeNode(n *strictyaml.Node) strictyaml.Findings {
	var nodes map[string]*strictyaml.Node
	findings := n.Decode(&nodes)
	labels := make(Labels, len(nodes))
	for name, value := range nodes {
		if value.Kind != strictyaml.Scalar {
			findings = append(findings, value.Finding("wrong-type", fmt.Sprintf("%s: got %s, want text, a number, true or false", value.Path, value.Kind), ""))
			continue
		}
		labels[name] = value.Value
	}
	*l = labels
	return findings
}

// UnmarshalText parses "name=value,name=value", as in an environment variable. Values have the
// same format as an item's labels on the command line.
func (l *Labels) UnmarshalText(text []byte) error {
	labels := Labels{}
	for pair := range strings.SplitSeq(string(text), ",") {
		name, value, ok := strings.Cut(pair, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" {
			return errors.New("want name=value,name=value")
		}
		if _, twice := labels[name]; twice {
			return fmt.Errorf("label %q is listed twice", name)
		}
		v, err := labelValue(value)
		if err != nil {
			return fmt.Errorf("label %q: %w", name, err)
		}
		labels[name] = v
	}
	*l = labels
	return nil
}

func labelValue(text string) (any, error) {
	v, err := matching.ParseValue(text)
	if err != nil {
		return nil, err
	}
	if f, ok := v.Float(); ok && f == math.Trunc(f) && math.Abs(f) <= 1<<53 {
		return int(f), nil // as YAML has it
	}
	return v.Any(), nil
}

// labels checks a worker's labels.
func (k *checker) labels(labels Labels) {
	for name, value := range labels {
		k.name("worker.labels", name)
		path := "worker.labels." + name
		if name == matching.WorkerID || name == matching.WorkerName {
			k.add(path, "invalid-name", fmt.Sprintf("every worker has the label %s of itself: the number of its row, or its name", name), "choose another name")
		}
		if _, err := matching.ValueOf(value); err != nil {
			k.add(path, "invalid-value", err.Error(), "")
		}
	}
	if len(labels) > matching.MaxLabels {
		k.add("worker.labels", "invalid-value", fmt.Sprintf("got %d labels, want at most %d", len(labels), matching.MaxLabels), "")
	}
}
