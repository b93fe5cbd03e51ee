package serving

import (
	"os"
	"path/filepath"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/internal/api"
	"botwork/internal/author/keydocs"
	"botwork/internal/author/lsp"
	"botwork/internal/savefile"
)

var _ api.Editor = (*editor)(nil)

// editor changes the pipelines folder of a project.
type editor struct {
	project *project
	folder  savefile.Folder
	host    string
	keys    keydocs.Keys // of the settings
}

// newEditor returns the editor of a project; nil if the settings do not allow one.
func newEditor(p *project) api.Editor {
	if !p.app.Config.HTTP.Edit {
		return nil
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return &editor{project: p, folder: savefile.Folder{Path: p.app.Config.Pipelines.Dir}, host: host, keys: projectdir.SettingsKeys()}
}

// Place implements api.Editor.
func (e *editor) Place() api.EditorPlace {
	return api.EditorPlace{Host: e.host, Folder: absolute(e.folder.Path)}
}

// Save implements api.Editor.
func (e *editor) Save(c savefile.Change) error {
	// Also after a refusal: the project that was read may be the reason for it.
	defer e.project.forget()
	return e.folder.Save(c)
}

// Complete implements api.Editor.
func (e *editor) Complete(d api.Draft) ([]api.Proposal, error) {
	draft, err := e.draft(d)
	if err != nil {
		return nil, err
	}
	var proposals []api.Proposal
	for _, p := range draft.Complete(lsp.Position(d.At)) {
		proposals = append(proposals, api.Proposal{
			Label: p.Label, Detail: p.Detail, Doc: p.Doc, Filter: p.Filter, Sort: p.Sort, Range: rangeOf(p.Range), Text: p.Text,
		})
	}
	return proposals, nil
}

// Explain implements api.Editor.
func (e *editor) Explain(d api.Draft) (*api.Explanation, error) {
	draft, err := e.draft(d)
	if err != nil {
		return nil, err
	}
	found := draft.Explain(lsp.Position(d.At))
	if found == nil {
		return nil, nil
	}
	return &api.Explanation{Text: found.Text, Range: rangeOf(found.Range)}, nil
}

func rangeOf(r lsp.Range) api.TextRange {
	return api.TextRange{From: api.TextPosition(r.Start), To: api.TextPosition(r.End)}
}

func (e *editor) draft(d api.Draft) (lsp.Draft, error) {
	app := e.project.app
	judge, err := app.Checker()
	if err != nil {
		return lsp.Draft{}, err
	}
	read, err := e.project.Load()
	if err != nil {
		return lsp.Draft{}, err
	}
	settings := app.Config.File
	if settings != "" {
		settings = absolute(settings)
	}
	language := projectdir.Language(settings, &app.Config, judge, read.Files)
	language.Dir = absolute(language.Dir)
	return lsp.Draft{Project: language, Path: absolute(d.File), Text: d.Text, SettingsKeys: e.keys}, nil
}

func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// shortDir is the pipelines folder as the paths of its files begin.
func shortDir(app *projectdir.App) string { return cli.ShortPath(app.Config.Pipelines.Dir) }
