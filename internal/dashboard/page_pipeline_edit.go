package dashboard

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"botwork/internal/filenames"
)

// editing is whether pipelines can be edited, and where they are written.
type editing struct {
	Enabled bool `json:"enabled"`
	Place   struct {
		Host   string `json:"host"`
		Folder string `json:"folder"`
	} `json:"place"`
	File string `json:"file"` // the path of the pipeline's file on the host
}

type editPage struct {
	Pipeline string
	Editing  editing
	Hash     string // of the text that the person has seen in the file; "": there was no file
	Newline  string // of the file: crlf or lf
	Text     string
	Payload  string
	Reason   string
	Changed  bool // the text is not that of the file

	Findings []finding
	Wrong    bool // there are errors, not only warnings
	Graph    template.URL

	// What the person has asked for.
	Done    string // check, try, diff or save; "": nothing
	Refused *problem
	Result  *dryRun
	Lines   []diffLine
	Other   bool // the file has been changed by someone else since the person opened it, and the text is not saved over it yet
}

// editingOf asks whether the caller may edit pipelines.
func (d *Dashboard) editingOf(r *http.Request, p *page) (e editing, err error) {
	if _, err = d.ask(r, http.MethodGet, "/project/editing", values("pipeline", r.PathValue("pipeline")), nil, &e); err != nil {
		return e, err
	}
	if !e.Enabled {
		return e, &problem{Status: http.StatusForbidden, Detail: "the pipelines of this server cannot be edited on its pages", Hint: "an administrator can set http.edit: true in the server's settings"}
	}
	// CodeMirror adds its style sheets as elements. They need a nonce, because the policy of the
	// pages allows none.
	nonce := make([]byte, 16)
	_, _ = rand.Read(nonce) // never fails
	p.Nonce = base64.RawURLEncoding.EncodeToString(nonce)
	return e, nil
}

// newPipelineText is what a new file begins with.
const newPipelineText = `name: %s
description: 
steps:
  - name: first
    handler: Log
    with:
      message: hello
`

func (d *Dashboard) showEditor(r *http.Request, p *page) (string, error) {
	name := r.PathValue("pipeline")
	p.Title, p.Section = "Edit "+name, "pipelines"
	v := editPage{Pipeline: name, Payload: "{}", Newline: "lf"}
	var err error
	if v.Editing, err = d.editingOf(r, p); err != nil {
		return "", err
	}
	var file source
	_, err = d.ask(r, http.MethodGet, "/pipelines/"+segment(name)+"/text", nil, nil, &file)
	refused, ok := errors.AsType[*problem](err)
	switch {
	case ok && refused.Status == http.StatusNotFound && r.URL.Query().Has("new"):
		p.Title = "New pipeline " + name
		v.Text, v.Changed = fmt.Sprintf(newPipelineText, name), true
	case err != nil:
		return "", err
	default:
		v.Hash, v.Text = file.Hash, file.Text
		if strings.Contains(file.Text, "\r\n") {
			v.Newline = "crlf"
		}
	}
	if err := d.checkEdited(r, &v); err != nil {
		return "", err
	}
	p.Data = &v
	return "edit", nil
}

// startPipeline leads from the name of a new pipeline to its editor.
func (d *Dashboard) startPipeline(r *http.Request, p *page) (string, error) {
	if err := p.Caller.needs("editor", "edit pipelines"); err != nil {
		return "", err
	}
	name := strings.TrimSpace(r.URL.Query().Get("name"))
	if !newName.MatchString(name) {
		return "", &redirect{"/pipelines", &notice{Text: "the name of a pipeline has letters, digits, _ and -, at most 100", Bad: true}}
	}
	if err := filenames.Check(name); err != nil {
		return "", &redirect{"/pipelines", &notice{Text: err.Error(), Bad: true}}
	}
	return "", &redirect{to: "/pipelines/" + segment(name) + "/edit?new=1"}
}

var newName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

// checkEdited asks what the checker finds in the text, and for its graph.
func (d *Dashboard) checkEdited(r *http.Request, v *editPage) error {
	var found struct {
		Items []finding `json:"items"`
		Valid bool      `json:"valid"`
	}
	draft := map[string]any{"pipeline": v.Pipeline, "text": v.Text}
	if _, err := d.ask(r, http.MethodPost, "/drafts/check", nil, draft, &found); err != nil {
		return err
	}
	v.Findings, v.Wrong = found.Items, !found.Valid
	if v.Wrong {
		return nil
	}
	var drawn string
	if _, err := d.ask(r, http.MethodPost, "/drafts/graph", nil, draft, &drawn); err != nil {
		return err
	}
	v.Graph = template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(drawn))) //nolint:gosec // the drawing of this server
	return nil
}

// maxEdited bounds the form of the editor: a text of 1 MiB in which every character is escaped.
const maxEdited = 4 << 20

// edit does what a button of the editor asks for. Only the last one changes something.
func (d *Dashboard) edit(r *http.Request, p *page) (string, error) {
	name, form := r.PathValue("pipeline"), r.PostForm
	p.Title, p.Section = "Edit "+name, "pipelines"
	v := editPage{
		Pipeline: name, Hash: form.Get("hash"), Newline: form.Get("newline"), Payload: form.Get("payload"), Reason: form.Get("reason"),
		Changed: true, Done: form.Get("do"), Other: form.Get("other") != "",
	}
	// Browsers send texts with CRLF, whatever the file has.
	v.Text = strings.ReplaceAll(form.Get("text"), "\r\n", "\n")
	if v.Newline == "crlf" {
		v.Text = strings.ReplaceAll(v.Text, "\n", "\r\n")
	}
	var err error
	if v.Editing, err = d.editingOf(r, p); err != nil {
		return "", err
	}
	if err := d.checkEdited(r, &v); err != nil {
		return "", err
	}
	switch v.Done {
	case "try":
		err = d.tryEdited(r, &v)
	case "diff":
		err = d.diffEdited(r, &v)
	case "save":
		err = d.saveEdited(r, &v)
	default:
		v.Done = "check"
	}
	if err == nil && v.Other && v.Done != "diff" {
		err = d.diffEdited(r, &v)
	}
	if err != nil {
		return "", err
	}
	p.Data = &v
	return "edit", nil
}

// tryEdited makes a dry run of the text.
func (d *Dashboard) tryEdited(r *http.Request, v *editPage) error {
	payload := strings.TrimSpace(v.Payload)
	body := map[string]any{"pipeline": v.Pipeline, "text": v.Text}
	switch {
	case v.Wrong:
		return nil // the findings say why
	case payload != "" && !json.Valid([]byte(payload)):
		v.Refused = &problem{Status: http.StatusUnprocessableEntity, Detail: "the payload is not JSON", Hint: wrongJSON(payload)}
		return nil
	case payload != "":
		body["payload"] = json.RawMessage(payload)
	}
	v.Result = &dryRun{}
	return v.refuse(d.ask(r, http.MethodPost, "/drafts/dry-run", nil, body, v.Result))
}

// refuse keeps a problem that the person can solve, for the page.
func (v *editPage) refuse(_ http.Header, err error) error {
	refused, ok := errors.AsType[*problem](err)
	if !ok || refused.Status == http.StatusUnauthorized || refused.Status >= http.StatusInternalServerError {
		return err
	}
	v.Refused, v.Result = refused, nil
	return nil
}

// diffEdited compares the text with the file as it is now. The next save replaces what this
// comparison shows.
func (d *Dashboard) diffEdited(r *http.Request, v *editPage) error {
	var now struct {
		Hash string `json:"hash"`
		Diff string `json:"diff"`
	}
	if _, err := d.ask(r, http.MethodPost, "/drafts/diff", nil, map[string]any{"pipeline": v.Pipeline, "text": v.Text}, &now); err != nil {
		return err
	}
	v.Other = v.Other || now.Hash != v.Hash
	v.Hash, v.Lines = now.Hash, diffLines(now.Diff)
	v.Changed = len(v.Lines) > 0
	v.Other = v.Other && v.Changed // a file with the same text has nothing to lose
	return nil
}

// saveEdited writes the file. If it has changed, the person sees how, and decides again.
func (d *Dashboard) saveEdited(r *http.Request, v *editPage) error {
	guarded := r.Clone(r.Context())
	guarded.Header.Del("If-Match")
	if v.Hash == "" {
		guarded.Header.Set("If-None-Match", "*")
	} else {
		guarded.Header.Set("If-Match", `"`+v.Hash+`"`)
	}
	var saved struct {
		Host   string `json:"host"`
		Folder string `json:"folder"`
		File   string `json:"file"`
	}
	err := v.refuse(d.ask(guarded, http.MethodPut, "/pipelines/"+segment(v.Pipeline)+"/text", nil, map[string]any{"text": v.Text, "reason": v.Reason}, &saved))
	if err != nil {
		return err
	}
	if v.Refused != nil {
		if v.Refused.Status == http.StatusPreconditionFailed {
			v.Done, v.Other, v.Refused = "diff", true, nil
			return d.diffEdited(r, v)
		}
		return nil
	}
	back := "/pipelines/" + segment(v.Pipeline) + "/edit"
	return &redirect{back, &notice{Text: fmt.Sprintf("Saved %s in %s on %s. The workers that use this folder load it by themselves.", saved.File, saved.Folder, saved.Host)}}
}

// Errors counts the findings that are errors.
func (v *editPage) Errors() int {
	n := 0
	for _, f := range v.Findings {
		if f.Severity == "error" {
			n++
		}
	}
	return n
}

// Sorted are the findings with the errors first.
func (v *editPage) Sorted() []finding {
	sorted := slices.Clone(v.Findings)
	slices.SortStableFunc(sorted, func(a, b finding) int {
		return strings.Compare(a.Severity, b.Severity) // error before warning
	})
	return sorted
}

// Address is where the form of the editor is sent.
func (v *editPage) Address() string {
	return "/pipelines/" + segment(v.Pipeline) + "/edit"
}
