package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"botwork/internal/api/auth"
	"botwork/internal/author/strictyaml"
	"botwork/internal/filenames"
	"botwork/internal/operations"
	"botwork/internal/savefile"
	"botwork/pipelines/graph"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// Editor changes the pipelines of the project, and knows their language.
type Editor interface {
	// Place returns where files are written.
	Place() EditorPlace

	// Save writes a file of the pipelines folder. The errors are those of package savefile.
	Save(c savefile.Change) error

	// Complete and Explain answer for a position in a text that is not saved. Explain returns nil
	// if nothing is known about it.
	Complete(d Draft) ([]Proposal, error)
	Explain(d Draft) (*Explanation, error)
}

// EditorPlace is where an editor writes.
type EditorPlace struct {
	Host   string `json:"host" doc:"the name of the machine"`
	Folder string `json:"folder" doc:"the pipelines folder on that machine"`
}

// Draft is a position in the text of a pipeline that is not saved.
type Draft struct {
	File string // as a project has it
	Text string
	At   TextPosition
}

// TextPosition is a position in a text.
type TextPosition struct {
	Line      int `json:"line" minimum:"0" doc:"the line, from 0"`
	Character int `json:"character" minimum:"0" doc:"the position in the line in UTF-16 units, from 0"`
}

// TextRange is a part of a text.
type TextRange struct {
	From TextPosition `json:"from"`
	To   TextPosition `json:"to"`
}

// Proposal is a text that can replace a part of a draft.
type Proposal struct {
	Label  string    `json:"label"`
	Detail string    `json:"detail,omitempty" doc:"such as the type of the value"`
	Doc    string    `json:"doc,omitempty" doc:"Markdown"`
	Filter string    `json:"filter,omitempty" doc:"what the typed text is compared with, if that is not the label"`
	Sort   string    `json:"sort,omitempty" doc:"proposals are ordered by this text"`
	Range  TextRange `json:"range" doc:"the text that is replaced"`
	Text   string    `json:"text" doc:"the text that replaces it"`
}

// Explanation describes a part of a draft.
type Explanation struct {
	Text  string    `json:"text" doc:"Markdown"`
	Range TextRange `json:"range" doc:"what it describes"`
}

func (a *API) registerDrafts() {
	missing := []int{http.StatusNotFound}
	register(a, operation{
		id: "project-editing", method: http.MethodGet, path: "/project/editing", summary: "Get whether pipelines can be edited, and on which machine they are written", needs: access.Editor,
	}, a.getEditing)
	register(a, operation{
		id: "pipelines-save", method: http.MethodPut, path: "/pipelines/{pipeline}/text", summary: "Write the file of a pipeline", needs: access.Editor,
		refuses: []int{http.StatusNotFound, http.StatusPreconditionFailed, http.StatusPreconditionRequired, http.StatusConflict}, status: http.StatusOK, also: http.StatusCreated,
		doc: "It needs `http.edit` in the settings. If-Match has the hash of the text that was edited, in quotes, as the ETag of the text has it: if the file has another text now, nothing is written. " +
			"`If-None-Match: *` creates a file in the pipelines folder. A text with errors is refused; warnings are not errors. The workers that use the folder load the file by themselves; " +
			"other machines have their own folders.",
	}, a.savePipeline)
	register(a, operation{
		id: "drafts-check", method: http.MethodPost, path: "/drafts/check", summary: "Check the text of a pipeline in the place of its file", needs: access.Editor, refuses: missing,
		doc: "It needs `http.edit` in the settings. The text is checked together with the other files of the project.",
	}, a.checkDraft)
	register(a, operation{
		id: "drafts-complete", method: http.MethodPost, path: "/drafts/complete", summary: "Get proposals for a position in the text of a pipeline", needs: access.Editor, refuses: missing,
		doc: "It needs `http.edit` in the settings. The text need not be valid YAML.",
	}, a.completeDraft)
	register(a, operation{
		id: "drafts-explain", method: http.MethodPost, path: "/drafts/explain", summary: "Get a description of what is at a position in the text of a pipeline", needs: access.Editor, refuses: missing,
		doc: "It needs `http.edit` in the settings. The text is empty if nothing is known about the position.",
	}, a.explainDraft)
	register(a, operation{
		id: "drafts-draw", method: http.MethodPost, path: "/drafts/graph", summary: "Draw the text of a pipeline, as SVG", needs: access.Editor, refuses: missing, contents: []string{"image/svg+xml"},
		doc: "It needs `http.edit` in the settings.",
	}, a.drawDraft)
	register(a, operation{
		id: "drafts-dryrun", method: http.MethodPost, path: "/drafts/dry-run", summary: "Get what a run of the text of a pipeline would do", needs: access.Editor, refuses: missing,
		doc: "It needs `http.edit` in the settings. No handler is called, and no file or database is opened. Values that depend on the output of a step are unknown; secrets are shown as `<secret>`.",
	}, a.dryRunDraft)
	register(a, operation{
		id: "drafts-diff", method: http.MethodPost, path: "/drafts/diff", summary: "Compare a text with the file of a pipeline as it is now", needs: access.Editor, refuses: missing,
		doc: "It needs `http.edit` in the settings. The difference is in the unified format; it is empty if the texts are equal.",
	}, a.diffDraft)
}

// mayEdit returns the project, or the problem that its files cannot be edited.
func (a *API) mayEdit() (*operations.Project, error) {
	if a.editor == nil {
		return nil, problem(http.StatusForbidden, "editing-off", "the pipelines of this server cannot be edited over HTTP").
			withHint("an administrator can set http.edit: true in the server's settings")
	}
	project, err := a.load()
	if err != nil {
		return nil, err
	}
	if !project.Folder {
		return nil, problem(http.StatusNotFound, "no-project", "the server has no folder of pipelines").withHint("create the folder of pipelines.dir")
	}
	return project, nil
}

type editingQuery struct {
	Pipeline string `query:"pipeline" maxLength:"200" doc:"the name of a pipeline, for its file; it need not exist"`
}

type editingBody struct {
	Body struct {
		Enabled bool         `json:"enabled" doc:"the setting http.edit is on, and there is a pipelines folder"`
		Place   *EditorPlace `json:"place" doc:"null if pipelines cannot be edited"`
		File    string       `json:"file" doc:"the path of the pipeline's file on that machine; empty without pipeline"`
	}
}

func (a *API) getEditing(_ context.Context, in *editingQuery) (*editingBody, error) {
	out := &editingBody{}
	if _, err := a.mayEdit(); err != nil {
		return out, nil //nolint:nilerr // that they cannot be edited is the answer
	}
	place := a.editor.Place()
	out.Body.Enabled, out.Body.Place = true, &place
	if in.Pipeline == "" {
		return out, nil
	}
	project, file, err := a.draft(DraftText{Pipeline: in.Pipeline})
	if err != nil {
		return nil, err
	}
	name, err := filepath.Rel(project.Dir, file)
	out.Body.File = filepath.Join(place.Folder, name)
	return out, err
}

type saveRequest struct {
	PipelinePath
	IfMatch     string `header:"If-Match" maxLength:"100" doc:"the hash of the text that was edited, in quotes"`
	IfNoneMatch string `header:"If-None-Match" maxLength:"100" doc:"* for a new file"`
	Body        struct {
		Text   string `json:"text" doc:"the YAML text of the pipeline"`
		Reason string `json:"reason,omitempty" maxLength:"1000" doc:"why, for the audit log"`
	}
}

type savedBody struct {
	Status int
	ETag   string `header:"ETag" doc:"the hash of the new text, for If-Match"`
	Body   struct {
		EditorPlace
		Pipeline string               `json:"pipeline"`
		File     string               `json:"file" doc:"the path of the file in the folder"`
		Hash     string               `json:"hash" doc:"the SHA-256 of the new text"`
		Warnings []strictyaml.Finding `json:"warnings" nullable:"false" doc:"the warnings in the new text"`
	}
}

// newPipeline is what the name of a new file may be, without its extension.
var newPipeline = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

// quotedHash matches the ETag of a text.
var quotedHash = regexp.MustCompile(`^"([0-9a-f]{64})"$`)

// guard returns the hash of the text that a change is based on; "" for a new file.
func (in *saveRequest) guard() (string, error) {
	switch match := quotedHash.FindStringSubmatch(in.IfMatch); {
	case in.IfMatch != "" && in.IfNoneMatch != "":
		return "", fault("header.If-None-Match", "got it together with If-Match, want one of them")
	case in.IfNoneMatch == "*":
		return "", nil
	case in.IfNoneMatch != "":
		return "", fault("header.If-None-Match", "want *")
	case in.IfMatch == "":
		return "", problem(http.StatusPreconditionRequired, "no-precondition", "the request does not say which text it is based on").
			withHint("send the ETag of the text in If-Match, or If-None-Match: * for a new file")
	case match == nil:
		return "", fault("header.If-Match", "want the ETag of the text, a SHA-256 in quotes")
	default:
		return match[1], nil
	}
}

// fileToSave returns the path of the file in the project and in the folder.
func (a *API) fileToSave(project *operations.Project, in *saveRequest, hash string) (shown, name string, err error) {
	known := project.File(in.Pipeline)
	switch {
	case hash == "" && known != nil:
		return "", "", problem(http.StatusPreconditionFailed, "file-exists", "the pipeline %q exists already", in.Pipeline)
	case hash == "" && !newPipeline.MatchString(in.Pipeline):
		return "", "", fault("path.pipeline", "want letters, digits, _ and - for a new pipeline, at most 100")
	case hash == "":
		if err := filenames.Check(in.Pipeline); err != nil {
			return "", "", fault("path.pipeline", "%v", err)
		}
		return filepath.Join(project.Dir, in.Pipeline+".yaml"), in.Pipeline + ".yaml", nil
	case known == nil:
		_, err := project.Find(in.Pipeline)
		return "", "", err
	}
	name, err = filepath.Rel(project.Dir, known.Path)
	return known.Path, filepath.ToSlash(name), err
}

func (a *API) savePipeline(ctx context.Context, in *saveRequest) (*savedBody, error) {
	project, err := a.mayEdit()
	if err != nil {
		return nil, err
	}
	hash, err := in.guard()
	if err != nil {
		return nil, err
	}
	if err := checkLength(in.Body.Text); err != nil {
		return nil, err
	}
	shown, name, err := a.fileToSave(project, in, hash)
	if err != nil {
		return nil, err
	}
	found := project.CheckFile(shown, in.Body.Text)
	if wrong := found.WithSeverity(strictyaml.Error); len(wrong) > 0 {
		return nil, problemOfRefusal(&operations.RefusedError{Code: operations.CodeTextErrors, Message: "the text has errors; nothing was written", Findings: wrong})
	}
	if p, err := project.CompileFile(shown, in.Body.Text); err != nil || p.Name != in.Pipeline {
		return nil, fault("body.text", "want the pipeline %q: other files and items know it by this name", in.Pipeline)
	}
	place, after := a.editor.Place(), savefile.Hash([]byte(in.Body.Text))
	err = a.editor.Save(savefile.Change{
		Name: name, Text: []byte(in.Body.Text), Hash: hash,
		Record: func() error {
			return a.store.RecordPipelineSave(because(ctx, in.Body.Reason), workqueue.PipelineSave{
				Pipeline: in.Pipeline, File: name, Host: place.Host, Before: hash, After: after, Reason: in.Body.Reason, By: auth.From(ctx).Name,
			})
		},
	})
	if err != nil {
		return nil, problemOfSave(err)
	}
	a.log.Info().Str("pipeline", in.Pipeline).Str("file", path.Join(filepath.ToSlash(place.Folder), name)).Str("by", auth.From(ctx).Name).Str("hash", after).Msg("pipeline file saved")
	out := &savedBody{Status: http.StatusOK, ETag: `"` + after + `"`}
	if hash == "" {
		out.Status = http.StatusCreated
	}
	out.Body.EditorPlace, out.Body.Pipeline, out.Body.File, out.Body.Hash = place, in.Pipeline, name, after
	out.Body.Warnings = append([]strictyaml.Finding{}, found...)
	return out, nil
}

// problemOfSave returns the problem of a file that was not written.
func problemOfSave(err error) error {
	switch {
	case errors.Is(err, savefile.ErrChanged), errors.Is(err, savefile.ErrMissing):
		return problem(http.StatusPreconditionFailed, "file-changed", "the file has changed since it was read; nothing was written").
			withHint("read the text again, and decide again")
	case errors.Is(err, savefile.ErrExists):
		return problem(http.StatusPreconditionFailed, "file-exists", "%v; nothing was written", err)
	case errors.Is(err, savefile.ErrName):
		return fault("path.pipeline", "%v", err)
	case errors.Is(err, savefile.ErrNotAllowed):
		return problem(http.StatusConflict, "file-not-regular", "the file is a symbolic link, or is not inside the pipelines folder; nothing was written").
			withHint("change the file on its machine")
	case errors.Is(err, savefile.ErrLocked):
		return problem(http.StatusConflict, "folder-locked", "another process is writing in the pipelines folder; nothing was written").
			withHint("try again")
	}
	return fmt.Errorf("save a pipeline: %w", err)
}

// checkLength refuses a text that is too long to be examined.
func checkLength(text string) error {
	if len(text) > maxChecked {
		return fault("body.text", "got %d bytes, want at most %d", len(text), maxChecked)
	}
	return nil
}

// DraftText is the text of a pipeline that is not saved.
type DraftText struct {
	Pipeline string `json:"pipeline" minLength:"1" maxLength:"200" doc:"the name of the pipeline; it need not exist"`
	Text     string `json:"text" doc:"the YAML text"`
}

// draft returns the project and the path of the file that a text belongs to.
func (a *API) draft(d DraftText) (project *operations.Project, path string, err error) {
	project, err = a.mayEdit()
	if err == nil {
		err = checkLength(d.Text)
	}
	if err != nil {
		return nil, "", err
	}
	if known := project.File(d.Pipeline); known != nil {
		return project, known.Path, nil
	}
	if newPipeline.MatchString(d.Pipeline) {
		return project, filepath.Join(project.Dir, d.Pipeline+".yaml"), nil
	}
	return project, filepath.Join(project.Dir, "draft.yaml"), nil
}

type draftBody struct{ Body DraftText }

func (a *API) checkDraft(_ context.Context, in *draftBody) (*findings, error) {
	project, file, err := a.draft(in.Body)
	if err != nil {
		return nil, err
	}
	found := project.CheckFile(file, in.Body.Text)
	out := &findings{}
	out.Body.Items = append([]strictyaml.Finding{}, found...)
	out.Body.Valid = len(found.WithSeverity(strictyaml.Error)) == 0
	return out, nil
}

type draftAt struct {
	Body struct {
		DraftText
		TextPosition
	}
}

type proposals struct {
	Body struct {
		Items []Proposal `json:"items" nullable:"false"`
	}
}

func (a *API) completeDraft(_ context.Context, in *draftAt) (*proposals, error) {
	_, file, err := a.draft(in.Body.DraftText)
	if err != nil {
		return nil, err
	}
	list, err := a.editor.Complete(Draft{file, in.Body.Text, in.Body.TextPosition})
	out := &proposals{}
	out.Body.Items = append([]Proposal{}, list...)
	return out, err
}

type explanationBody struct{ Body Explanation }

func (a *API) explainDraft(_ context.Context, in *draftAt) (*explanationBody, error) {
	_, file, err := a.draft(in.Body.DraftText)
	if err != nil {
		return nil, err
	}
	found, err := a.editor.Explain(Draft{file, in.Body.Text, in.Body.TextPosition})
	out := &explanationBody{Explanation{Range: TextRange{in.Body.TextPosition, in.Body.TextPosition}}}
	if found != nil {
		out.Body = *found
	}
	return out, err
}

func (a *API) drawDraft(_ context.Context, in *draftBody) (*drawing, error) {
	project, file, err := a.draft(in.Body)
	if err != nil {
		return nil, err
	}
	p, err := project.CompileFile(file, in.Body.Text)
	if err != nil {
		return nil, err
	}
	return draw(graph.OfPipeline(p), "svg")
}

type dryRunDraft struct {
	Body struct {
		DraftText
		Payload json.RawMessage `json:"payload,omitempty" doc:"the payload of the item"`
	}
}

func (a *API) dryRunDraft(_ context.Context, in *dryRunDraft) (*dryRunBody, error) {
	project, file, err := a.draft(in.Body.DraftText)
	if err != nil {
		return nil, err
	}
	p, err := project.CompileFile(file, in.Body.Text)
	if err != nil {
		return nil, err
	}
	return &dryRunBody{operations.RunDry(project.Engine(), p, workqueue.JSONText(in.Body.Payload), nil)}, nil
}

type draftDiff struct {
	Body struct {
		File string `json:"file" doc:"the path of the file; empty: there is none"`
		Hash string `json:"hash" doc:"the SHA-256 of the text in the file; empty: there is none"`
		Diff string `json:"diff"`
	}
}

func (a *API) diffDraft(_ context.Context, in *draftBody) (*draftDiff, error) {
	project, file, err := a.draft(in.Body)
	if err != nil {
		return nil, err
	}
	out := &draftDiff{}
	was := ""
	if known := project.File(in.Body.Pipeline); known != nil {
		out.Body.File, out.Body.Hash, was = filepath.ToSlash(known.Path), known.Hash, strings.ToValidUTF8(known.Text, "\uFFFD")
	}
	out.Body.Diff = operations.DiffTexts(filepath.ToSlash(file), was, in.Body.Text)
	return out, nil
}
