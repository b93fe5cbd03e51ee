package pipelines

import (
	"errors"
	"testing"

	"botwork/handlers"

	"github.com/google/go-cmp/cmp"
)

const goodSteps = "steps: [{handler: Echo}]\n"

// load compiles files, given as alternating names and texts. "!" is the text of an
// unreadable file.
func load(pairs ...string) *Catalogue {
	var files []File
	for i := 0; i < len(pairs); i += 2 {
		file := File{Path: pairs[i], Data: []byte(pairs[i+1])}
		if pairs[i+1] == "!" {
			file.Data, file.Err = nil, errors.New("locked")
		}
		files = append(files, file)
	}
	k, _ := Load(testCompiler(nil), files)
	return k
}

func TestBrokenFilesKeepTheirNames(t *testing.T) {
	tests := map[string]struct {
		text string
		want Broken
	}{
		"a step that is wrong":         {"name: Import orders\nsteps: [{handler: Ehco}]\n", Broken{Name: "Import orders"}},
		"no name":                      {"steps: [{handler: Ehco}]\n", Broken{Name: "f"}},
		"a trigger":                    {"trigger: {atStart: true}\nsteps: []\n", Broken{Name: "f", Trigger: true}},
		"a trigger that is wrong":      {"trigger: {cron: never}\n" + goodSteps, Broken{Name: "f", Trigger: true}},
		"not YAML":                     {"description: x\nname: Import orders # daily\nsteps: [\n", Broken{Name: "Import orders"}},
		"not YAML, quoted":             {"\ufeffname: \"Import orders\"\r\nsteps: [\r\n", Broken{Name: "Import orders"}},
		"not YAML, with a trigger":     {"trigger:\n  cron: '* * * * *\nsteps: []\n", Broken{Name: "f", Trigger: true}},
		"not YAML, the name of a step": {"steps:\n  - name: x\n    handler: [\n", Broken{Name: "f"}},
		"plain text":                   {"hello\n", Broken{Name: "f"}},
		"empty":                        {"", Broken{Name: "f"}},
		"another encoding":             {"\xff\xfen\x00a\x00m\x00e\x00", Broken{Name: "f", Guessed: true, Trigger: true}},
		"a file that cannot be read":   {"!", Broken{Name: "f", Guessed: true, Trigger: true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			list := load("dir/f.yaml", test.text).Broken()
			if len(list) != 1 || len(list[0].Findings) == 0 {
				t.Fatalf("broken files = %+v, want one with findings", list)
			}
			got := list[0]
			got.Findings, test.want.File = nil, "dir/f.yaml"
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestBrokenNames(t *testing.T) {
	type answers map[string]bool
	tests := map[string]struct {
		files []string
		want  answers
	}{
		"one broken file":             {[]string{"a.yaml", "steps: []", "b.yaml", goodSteps}, answers{"a": true, " a\n": true, "A": true, "b": false, "c": false}},
		"the good one of two":         {[]string{"1.yaml", "name: a\nsteps: []", "2.yaml", "name: a\n" + goodSteps}, answers{"a": false}},
		"the good one of two, first":  {[]string{"1.yaml", "name: a\n" + goodSteps, "2.yaml", "name: a\nsteps: []"}, answers{"a": false}},
		"two good ones":               {[]string{"1.yaml", "name: a\n" + goodSteps, "2.yaml", "name: A\n" + goodSteps}, answers{"a": false, "A": false}},
		"two broken ones":             {[]string{"1.yaml", "name: a\nsteps: []", "2.yaml", "name: a\nsteps: 1"}, answers{"a": true, "1": false}},
		"a file that cannot be read":  {[]string{"a.yaml", "!", "b.yaml", goodSteps}, answers{"a": true, "b": false, "anything": true, "steps: []": false, "?": false, "": false}},
		"a file in another encoding":  {[]string{"a.yaml", "\xff\xfe"}, answers{"a": true, "anything": true}},
		"a broken one with a trigger": {[]string{"a.yaml", "trigger: {}\nsteps: []"}, answers{"a": true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			k := load(test.files...)
			for text, want := range test.want {
				if got := k.BrokenPipeline(text); (got != nil) != want {
					t.Errorf("BrokenPipeline(%q) = %v, want one: %v", text, got, want)
				}
				if _, waits := errors.AsType[*BrokenPipelineError](k.CheckItem(text)); waits != want {
					t.Errorf("CheckItem(%q) = %v, want a broken pipeline: %v", text, k.CheckItem(text), want)
				}
				_, err := k.Resolve(text)
				if _, waits := errors.AsType[*BrokenPipelineError](err); waits != want {
					t.Errorf("Resolve(%q) = %v, want a broken pipeline: %v", text, err, want)
				}
				if _, permanent := errors.AsType[*handlers.PermanentError](err); permanent && want {
					t.Errorf("Resolve(%q) = %v is permanent: its items would fail", text, err)
				}
			}
		})
	}
}

func TestWithout(t *testing.T) {
	k := load("a.yaml", goodSteps, "b.yaml", goodSteps, "c.yaml", "steps: []")
	next := k.Without(Broken{Name: "b", File: "b.yaml"}, Broken{Name: "d", File: "d.yaml"})
	var names, broken []string
	for _, p := range next.All() {
		names = append(names, p.Name)
	}
	for _, b := range next.Broken() {
		broken = append(broken, b.Name)
	}
	if diff := cmp.Diff([][]string{{"a"}, {"b", "c", "d"}}, [][]string{names, broken}); diff != "" {
		t.Errorf("pipelines and broken files (-want +got):\n%s", diff)
	}
	if _, ok := k.Get("b"); !ok || len(k.Broken()) != 1 {
		t.Error("the catalogue itself has changed")
	}
}
