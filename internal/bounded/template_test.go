package bounded

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"text/template"
	"time"
)

func noFunctions(*Budget) template.FuncMap { return nil }

var templateData = map[string]any{
	"at": time.Date(2026, 11, 11, 1, 1, 1, 0, time.UTC), "text": strings.Repeat("abcdefgh", 1<<17), "list": []any{1, 2, 3},
}

// templateAttacks are templates that would need gigabytes of memory, hours, or the whole
// stack.
var templateAttacks = []struct{ name, text string }{
	{"range over a number", `{{range 1000000000000}}{{end}}`},
	{"range in range", `{{range 1000000}}{{range 1000000}}{{end}}{{end}}`},
	{"range with a variable", `{{range $i := 1000000000000}}{{if false}}x{{end}}{{end}}`},
	{"range with continue", `{{range 1000000000000}}{{continue}}{{end}}`},
	{"range in else", `{{range 0}}{{else}}{{range 1000000000000}}{{end}}{{end}}`},
	{"range in with in if", `{{if true}}{{with 1}}{{range 1000000000000}}{{end}}{{end}}{{end}}`},
	{"range in a definition", `{{define "a"}}{{range 1000000000000}}{{end}}{{end}}{{template "a"}}`},
	{"calls without end", `{{define "a"}}{{template "a" .}}{{end}}{{template "a" .}}`},
	{"calls within blocks", `{{define "a"}}` + strings.Repeat("{{if true}}", 900) + `{{template "a" .}}` + strings.Repeat("{{end}}", 900) + `{{end}}{{template "a" .}}`},
	{"calls that double", `{{define "a"}}{{if .}}{{template "a" slice . 1}}{{template "a" slice . 1}}{{end}}{{end}}{{template "a" "` + strings.Repeat("x", 60) + `"}}`},
	{"print", `{{$x := "abcdefgh"}}{{range 40}}{{$x = print $x $x}}{{end}}`},
	{"println", `{{$x := "abcdefgh"}}{{range 40}}{{$x = println $x $x}}{{end}}`},
	{"printf", `{{$x := "abcdefgh"}}{{range 40}}{{$x = printf "%s%s" $x $x}}{{end}}`},
	{"printf with numbers", `{{$x := .text}}{{$y := printf "` + strings.Repeat("%[1]s", 1000) + `" $x}}`},
	{"printf with widths", `{{$y := printf "` + strings.Repeat("%1000000d", 1000) + `" 1}}`},
	{"printf with asked widths", `{{$y := printf "` + strings.Repeat("%[1]*[2]d", 1000) + `" 1000000 1}}`},
	{"printf with precisions", `{{$y := printf "` + strings.Repeat("%.1000000f", 1000) + `" 1.5}}`},
	{"printf quotes", `{{$x := "\\"}}{{range 60}}{{$x = printf "%q" $x}}{{end}}`},
	{"printf hex", `{{$x := "a"}}{{range 60}}{{$x = printf "%x" $x}}{{end}}`},
	{"html", `{{$x := "&&&&&&&&"}}{{range 1000000}}{{$x = html $x}}{{end}}`},
	{"js", `{{$x := "\\"}}{{range 60}}{{$x = js $x}}{{end}}`},
	{"urlquery", `{{$x := .text}}{{range 1000000}}{{$x = urlquery $x}}{{end}}`},
	{"pipes", `{{$x := "abcdefgh"}}{{range 40}}{{$x = $x | print $x}}{{end}}`},
	{"Format", `{{$x := "1"}}{{range 40}}{{$x = $.at.Format $x}}{{end}}`},
	{"Format in a pipe", `{{$x := "1"}}{{range 40}}{{$x = $x | $.at.Format}}{{end}}`},
	{"Format in parentheses", `{{$x := "1"}}{{range 40}}{{$x = ((($.at)).Format ($x))}}{{end}}`},
	{"Format through with", `{{$x := "1"}}{{with .at}}{{range 40}}{{$x = $.at.Format $x}}{{end}}{{end}}`},
	{"Format in a condition", `{{$x := "1"}}{{range 40}}{{if $x = $.at.Format $x}}{{end}}{{end}}`},
}

func TestTemplateAttacksEnd(t *testing.T) {
	for _, attack := range templateAttacks {
		t.Run(attack.name, func(t *testing.T) {
			made, err := ParseTemplate(attack.text, noFunctions)
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var b Budget
			b.Start(t.Context())
			b.steps, b.mark = fewSteps, fewSteps-lookEvery
			err = made.Execute(&b, io.Discard, templateData)
			runtime.ReadMemStats(&after)
			if made := (after.TotalAlloc - before.TotalAlloc) >> 20; made > 1000 {
				t.Errorf("%.100s allocates %d MB before it ends, want 1000 or less", attack.text, made)
			}
			if Limit(err) == nil {
				t.Errorf("%.100s: %v, want an exceeded bound", attack.text, err)
			}
		})
	}
}

func TestTemplateEndsWithItsContext(t *testing.T) {
	made, err := ParseTemplate(`{{range 1000000000000}}{{end}}`, noFunctions)
	if err != nil {
		t.Fatal(err)
	}
	ctx := &endingContext{Context: t.Context()}
	ctx.left.Store(3)
	var b Budget
	b.Start(ctx)
	if err := made.Execute(&b, io.Discard, nil); !errors.Is(err, ctx.Err()) {
		t.Errorf("Execute: %v, want the end of its context", err)
	}
	if used := MaxSteps - b.steps; used > 5*lookEvery {
		t.Errorf("the template took %d steps before it noticed the end of its context", used)
	}
}

func TestTemplateRefusesBlocksThatLieTooDeep(t *testing.T) {
	for _, n := range []int{2_000, 200_000} {
		text := strings.Repeat("{{if true}}", n) + strings.Repeat("{{end}}", n)
		if _, err := ParseTemplate(text, noFunctions); err == nil {
			t.Errorf("ParseTemplate accepted %d nested blocks", n)
		}
	}
}

// TestTemplatesGiveTheSame checks that this package and text/template write the same
// result for each template.
func TestTemplatesGiveTheSame(t *testing.T) {
	for _, text := range []string{
		``, `plain`, `{{.list}} {{len .list}} {{index .list 1}}`, `{{range .list}}<{{.}}>{{end}}`, `{{range $i, $e := .list}}{{$i}}={{$e}} {{end}}`,
		`{{range .list}}{{if eq . 2}}{{break}}{{end}}{{.}}{{end}}`, `{{range .list}}{{if eq . 2}}{{continue}}{{end}}{{.}}{{else}}none{{end}}`,
		`{{define "a"}}[{{.}}]{{end}}{{range .list}}{{template "a" .}}{{end}}`, `{{block "b" .list}}{{.}}{{end}}`,
		`{{.at.Format "2006-01-02"}} {{"15:04" | .at.Format}} {{(.at.AddDate 0 0 1).Year}} {{.at.Year | printf "%05d"}}`,
		`{{printf "%5.1f|%-5s|%q|%v|%[2]s" 1.25 "x" "y" .list}}`, `{{html "<a & b>"}} {{js "it's"}} {{urlquery "a b&c"}} {{print 1 "a" nil}} {{println "x"}}`,
		`{{with $x := 3}}{{$x}}{{else}}0{{end}}{{$y := 1}}{{$y = 2}}{{$y}}`, `{{if and true (not false)}}yes{{else if true}}no{{end}}`, `a {{- /* c */ -}} b`,
		`{{.none}}`, `{{index .list 9}}`, `{{template "none"}}`,
	} {
		var want, got strings.Builder
		var wantErr error
		original, err := template.New("text").Option("missingkey=error").Parse(text)
		if err == nil {
			wantErr = original.Execute(&want, templateData)
		}
		made, err := ParseTemplate(text, noFunctions)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var b Budget
		b.Start(t.Context())
		gotErr := made.Execute(&b, &got, templateData)
		if got.String() != want.String() || (gotErr == nil) != (wantErr == nil) || gotErr != nil && gotErr.Error() != wantErr.Error() {
			t.Errorf("%s gives %q, %v; want %q, %v", text, got.String(), gotErr, want.String(), wantErr)
		}
	}
}
