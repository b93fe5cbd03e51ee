package strictyaml_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/author/strictyaml"
)

type level int

func (l *level) UnmarshalText(text []byte) error {
	if i := slices.Index([]string{"low", "high"}, string(text)); i >= 0 {
		*l = level(i)
		return nil
	}
	return errors.New("want low or high")
}

// either decodes a text or a mapping with the key env.
type either struct{ Text, Env string }

func (e *either) DecodeNode(n *strictyaml.Node) strictyaml.Findings {
	if n.Kind == strictyaml.Mapping {
		var m struct {
			Env string `yaml:"env,required"`
		}
		findings := n.Decode(&m)
		e.Env = m.Env
		return findings
	}
	return n.Decode(&e.Text)
}

type common struct {
	Name string `yaml:"name,required"`
}

type step struct {
	common
	Handler  string           `yaml:"handler,required"`
	Timeout  time.Duration    `yaml:"timeout"`
	Attempts int8             `yaml:"attempts"`
	Size     uint16           `yaml:"size"`
	Factor   *float64         `yaml:"factor"`
	Once     bool             `yaml:"once"`
	Tags     []string         `yaml:"tags"`
	Labels   map[string]int   `yaml:"labels"`
	Level    level            `yaml:"level"`
	With     *strictyaml.Node `yaml:"with"`
	Any      any              `yaml:"any"`
	From     either           `yaml:"from"`
	Next     *step            `yaml:"next"`
	Ignored  string           // no tag: ignored
}

func parse(t *testing.T, text string) *strictyaml.Node {
	t.Helper()
	node, findings := strictyaml.Parse("f.yaml", []byte(text))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	return node
}

func TestDecode(t *testing.T) {
	half := 0.5
	want := step{common: common{"load"}, Handler: "HTTP", Timeout: 90 * time.Second, Attempts: 3, Size: 7, Factor: &half, Once: true,
		Tags: []string{"a", "b"}, Labels: map[string]int{"x": 1}, Level: 1, Any: map[string]any{"k": []any{1, nil}},
		From: either{Env: "HOME"}, Next: &step{common: common{"n"}, Handler: "Log", From: either{Text: "t"}}}
	for name, text := range map[string]string{
		"yaml": "name: load\nhandler: HTTP\ntimeout: 1m30s\nattempts: 3\nsize: 7\nfactor: 0.5\nonce: true\ntags: [a, b]\nlabels: {x: 1}\n" +
			"level: high\nany: {k: [1, ~]}\nwith: {url: x}\nfrom: {env: HOME}\nnext: {name: n, handler: Log, from: t}\n",
		"json": `{"name":"load","handler":"HTTP","timeout":"1m30s","attempts":3,"size":7,"factor":0.5,"once":true,"tags":["a","b"],"labels":{"x":1},` +
			`"level":"high","any":{"k":[1,null]},"with":{"url":"x"},"from":{"env":"HOME"},"next":{"name":"n","handler":"Log","from":"t"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			var got step
			if findings := parse(t, text).Decode(&got); len(findings) > 0 {
				t.Fatal(findings)
			}
			if got.With.Get("url").Value != "x" {
				t.Errorf("with = %+v", got.With)
			}
			got.With = nil
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(step{}, common{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecodeKeepsDefaults(t *testing.T) {
	got := step{Timeout: time.Minute, Attempts: 5, Tags: []string{"old"}, Labels: map[string]int{"old": 1}}
	if findings := parse(t, "name: n\nhandler: h\ntimeout:\nattempts: ~\ntags: [new]\n").Decode(&got); len(findings) > 0 {
		t.Fatal(findings)
	}
	if got.Timeout != time.Minute || got.Attempts != 5 || !cmp.Equal(got.Tags, []string{"new"}) || got.Labels["old"] != 1 {
		t.Errorf("got %+v, want fields without a key kept", got)
	}
}

func TestDecodeReportsAllFaults(t *testing.T) {
	node := parse(t, `handler: 5
tiemout: 3s
timeout: 30
attempts: 300
size: -1
factor: "0.5"
once: yes
tags: a
labels: {x: one, y: 2}
level: medium
from: {evn: X}
next:
  name: n
  handlr: Log
  Ignored: x
  tags: [a, 1, {b: c}]
  next: [1]
`)
	var got step
	want := strings.TrimSpace(`
f.yaml:1:1: key "name" is missing [missing-key]
f.yaml:1:10: handler: got a whole number, want text [wrong-type]; put it in quotes
f.yaml:2:1: unknown key "tiemout" [unknown-key]; did you mean "timeout"?
f.yaml:3:10: timeout: got "30", want a duration [invalid-value]; write a number and a unit, such as 30s, 5m or 1h30m
f.yaml:4:11: attempts: got a whole number, want a smaller number [wrong-type]
f.yaml:5:7: size: got a whole number, want a number that is not negative [wrong-type]
f.yaml:6:9: factor: got text, want a number [wrong-type]; remove the quotes
f.yaml:7:7: once: got text, want true or false [wrong-type]; write true
f.yaml:8:7: tags: got text, want a list [wrong-type]
f.yaml:9:13: labels.x: got text, want a whole number [wrong-type]
f.yaml:10:8: level: want low or high [invalid-value]
f.yaml:11:7: key "env" is missing in from [missing-key]
f.yaml:11:8: unknown key "evn" in from [unknown-key]; did you mean "env"?
f.yaml:13:3: key "handler" is missing in next [missing-key]
f.yaml:14:3: unknown key "handlr" in next [unknown-key]; did you mean "handler"?
f.yaml:15:3: unknown key "Ignored" in next [unknown-key]; valid keys: name, handler, timeout, attempts, size, factor, once, tags, labels, level, with, any, from, next
f.yaml:16:13: next.tags[1]: got a whole number, want text [wrong-type]; put it in quotes
f.yaml:16:16: next.tags[2]: got a mapping, want text [wrong-type]
f.yaml:17:9: next.next: got a list, want a mapping [wrong-type]`)
	if diff := cmp.Diff(want, node.Decode(&got).Error()); diff != "" {
		t.Error(diff)
	}
	if got.Labels["y"] != 2 {
		t.Errorf("labels = %v, want the valid entries decoded", got.Labels)
	}
}

func TestDecodeMisuse(t *testing.T) {
	for name, into := range map[string]any{"no pointer": step{}, "nil": (*step)(nil), "channel": new(chan int), "int keys": new(map[int]string)} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("Decode did not panic")
				}
			}()
			parse(t, "a").Decode(into)
		})
	}
}
