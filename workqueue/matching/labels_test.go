package matching_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue/matching"
)

// messages are the faults of an error, each as text.
func messages(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	faults, ok := errors.AsType[matching.Faults](err)
	if !ok {
		t.Fatalf("error = %v (%T), want Faults", err, err)
	}
	texts := make([]string, len(faults))
	for i, f := range faults {
		texts[i] = f.String()
	}
	return texts
}

func TestParseLabels(t *testing.T) {
	got, err := matching.ParseLabels(`{"gpu": true, "ram": 64, "load": 0.5, "Site": "lisbon", "site": "Porto", "rede.ção": ""}`)
	if err != nil {
		t.Fatal(err)
	}
	want := matching.Labels{
		"gpu": matching.Bool(true), "ram": matching.Number(64), "load": matching.Number(0.5),
		"Site": matching.Text("lisbon"), "site": matching.Text("Porto"), "rede.ção": matching.Text(""),
	}
	if diff := cmp.Diff(want, got, values); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if text, want := got.JSON(), `{"Site":"lisbon","gpu":true,"load":0.5,"ram":64,"rede.ção":"","site":"Porto"}`; text != want {
		t.Errorf("JSON = %s, want %s", text, want)
	}
	for _, none := range []string{"", "null", "{}"} {
		if got, err := matching.ParseLabels(none); len(got) > 0 || err != nil || got.JSON() != "" {
			t.Errorf("ParseLabels(%q) = %v, %v, want none", none, got, err)
		}
	}
}

func TestParseLabelsReportsEverything(t *testing.T) {
	for text, want := range map[string][]string{
		`{"a": null, "b": [1], "c": {"x": 1}, "d": 1e999, "ok": 1, "e f": 2, "": 3}`: {
			`: got the key "", want a letter or _, then letters, digits, _ - and ., at most 100 characters`,
			"a: got nothing, want text, a number, true or false",
			"b: got a list, want text, a number, true or false",
			"c: got a mapping, want text, a number, true or false",
			"d: got the number 1e999, want a finite one of 64 bits",
			`e f: got the key "e f", want a letter or _, then letters, digits, _ - and ., at most 100 characters`,
		},
		`[1]`:              {"got a list, want a mapping from keys to values"},
		`{"a": 1, "a": 2}`: {`not JSON: duplicate key "a"`},
		`{"a": 1} x`:       {"not JSON: invalid character 'x' after top-level value"},
		`{"a": 1`:          {"not JSON: unexpected end of JSON input"},
		strings.Repeat("[", 20) + strings.Repeat("]", 20): {"not JSON: nested deeper than 16 levels"},
		`{"a": NaN}`: {"not JSON: invalid character 'N' looking for beginning of value"},
	} {
		got, err := matching.ParseLabels(text)
		if diff := cmp.Diff(want, messages(t, err)); diff != "" {
			t.Errorf("ParseLabels(%s) (-want +got):\n%s", text, diff)
		}
		if len(want) > 1 && (len(got) != 1 || got["ok"] != matching.Number(1)) {
			t.Errorf("ParseLabels(%s) = %v, want what is right beside the faults", text, got)
		}
	}
}

func TestWorkerLabels(t *testing.T) {
	own := matching.Labels{"Id": matching.Text("mine"), "id": matching.Number(1), "gpu": matching.Bool(true)}
	got := matching.WorkerLabels(7, "ann", own)
	want := matching.Labels{"Id": matching.Number(7), "Name": matching.Text("ann"), "id": matching.Number(1), "gpu": matching.Bool(true)}
	if diff := cmp.Diff(want, got, values); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if own["Id"] != matching.Text("mine") || len(own) != 3 {
		t.Errorf("own labels = %v, want them unchanged", own)
	}
}

func TestLabelsOr(t *testing.T) {
	pipeline := matching.Labels{"a": matching.Number(1), "b": matching.Number(2)}
	item := matching.Labels{"b": matching.Text("own"), "c": matching.Number(3)}
	want := matching.Labels{"a": matching.Number(1), "b": matching.Text("own"), "c": matching.Number(3)}
	if diff := cmp.Diff(want, item.Or(pipeline), values); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if len(pipeline) != 2 || len(item) != 2 {
		t.Error("Or has changed its inputs")
	}
	if got := matching.Labels(nil).Or(pipeline); len(got) != 2 {
		t.Errorf("none.Or = %v, want the pipeline's", got)
	}
}

func TestLabelsValidate(t *testing.T) {
	bad := matching.Labels{"a b": matching.Number(1), "none": {}, "ok": matching.Bool(false)}
	want := []string{
		`a b: got the key "a b", want a letter or _, then letters, digits, _ - and ., at most 100 characters`,
		"none: got nothing, want text, a number, true or false",
	}
	if diff := cmp.Diff(want, messages(t, bad.Validate())); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}
