package checker_test

import (
	"encoding/json"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/author/checker"
	"botwork/internal/author/strictyaml"
)

func TestSarif(t *testing.T) {
	base, outside := "/srv/a project", "/etc/x.yaml"
	uri, outsideURI := "file:///srv/a%20project/", "file:///etc/x.yaml"
	if runtime.GOOS == "windows" {
		base, outside = `C:\srv\a project`, `D:\x.yaml`
		uri, outsideURI = "file:///C:/srv/a%20project/", "file:///D:/x.yaml"
	}
	log := checker.NewSarif(strictyaml.Findings{
		{File: filepath.Join("pipelines", "ä b.yaml"), Line: 2, Column: 3, EndLine: 2, EndColumn: 9, Code: "unknown-key", Message: "unknown key", Hint: "did you mean x?"},
		{File: filepath.Join(base, "botwork.yaml"), Line: 1, Column: 1, Code: "no-effect", Severity: strictyaml.Warning, Message: "m"},
		{File: outside, Code: "unreadable-file", Message: "m"},
		{File: "BOTWORK_X", Code: "unknown-variable", Message: "m"},
	}, "1.2.3", base)
	data, err := json.Marshal(log)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	run := got["runs"].([]any)[0].(map[string]any)
	driver := run["tool"].(map[string]any)["driver"].(map[string]any)
	var rules []string
	for _, r := range driver["rules"].([]any) {
		rule := r.(map[string]any)
		if help := rule["help"].(map[string]any); help["text"] == "" || help["markdown"] == "" {
			t.Errorf("the rule %v has no help", rule["id"])
		}
		rules = append(rules, rule["id"].(string))
	}
	if diff := cmp.Diff([]string{"unknown-key", "no-effect", "unknown-variable", "unreadable-file"}, rules); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	type object = map[string]any
	physical := func(artifact, region object) []any {
		at := object{"artifactLocation": artifact}
		if region != nil {
			at["region"] = region
		}
		return []any{object{"physicalLocation": at}}
	}
	relative := func(uri string) object { return object{"uri": uri, "uriBaseId": "SRCROOT"} }
	result := func(id string, index float64, level, message string, at []any) object {
		return object{"ruleId": id, "ruleIndex": index, "level": level, "message": object{"text": message}, "locations": at}
	}
	want := []any{
		result("unknown-key", 0, "error", "unknown key; did you mean x?", physical(relative("pipelines/%C3%A4%20b.yaml"),
			object{"startLine": 2.0, "startColumn": 3.0, "endLine": 2.0, "endColumn": 9.0})),
		result("no-effect", 1, "warning", "m", physical(relative("botwork.yaml"), object{"startLine": 1.0, "startColumn": 1.0})),
		result("unreadable-file", 3, "error", "m", physical(object{"uri": outsideURI}, nil)),
		result("unknown-variable", 2, "error", "m", []any{object{"logicalLocations": []any{object{"name": "BOTWORK_X"}}}}),
	}
	if diff := cmp.Diff(want, run["results"]); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(object{"SRCROOT": object{"uri": uri}}, run["originalUriBaseIds"]); diff != "" {
		t.Errorf("bases (-want +got):\n%s", diff)
	}
	if got["version"] != "2.1.0" || run["columnKind"] != "unicodeCodePoints" || driver["version"] != "1.2.3" {
		t.Errorf("version %v, columns %v, tool %v", got["version"], run["columnKind"], driver["version"])
	}
}
