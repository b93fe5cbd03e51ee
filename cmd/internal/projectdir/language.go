package projectdir

import (
	"path/filepath"

	"botwork/config"
	"botwork/internal/author/checker"
	"botwork/internal/author/keydocs"
	"botwork/internal/author/lsp"
	"botwork/internal/author/queuedefs"
	"botwork/pipelines"
	"botwork/tasks"
)

// SettingsKeys describes all keys of a settings file.
func SettingsKeys() keydocs.Keys {
	keys := config.Keys()
	for i, k := range keys {
		switch k.Name {
		case "queues":
			keys[i].Keys = queuedefs.Keys()
		case "tasks":
			keys[i].Keys = tasks.Keys()
		}
	}
	return keys
}

// Language returns a project as the language server uses it. settings is the absolute path of the
// settings file, "" if there is none.
func Language(settings string, cfg *config.Config, judge *checker.Checker, files []pipelines.File) *lsp.Project {
	p := &lsp.Project{
		Settings: settings, Dir: cfg.Pipelines.Dir, Compiler: judge.Compiler(), Registry: judge.Compiler().Registry(),
		Secrets: map[string]bool{}, SecretEnv: cfg.SecretVariables(), Values: checker.Values(cfg), Files: LanguageFiles(files),
	}
	for name, text := range cfg.Secrets {
		p.Secrets[name] = text.Reveal() != ""
	}
	return p
}

// LanguageFiles are the files that could be read, with absolute paths.
func LanguageFiles(files []pipelines.File) []lsp.File {
	var list []lsp.File
	for _, f := range files {
		path, err := filepath.Abs(f.Path)
		if f.Err == nil && err == nil {
			list = append(list, lsp.File{Path: path, Text: string(f.Data)})
		}
	}
	return list
}
