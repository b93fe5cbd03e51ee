package lsp

// serverCapabilities are what the server can do.
func serverCapabilities(encoding string) map[string]any {
	return map[string]any{
		"positionEncoding":       encoding,
		"completionProvider":     map[string]any{"triggerCharacters": []string{" ", ":", ".", "[", "\"", "'", "{"}},
		"definitionProvider":     true,
		"referencesProvider":     true,
		"documentSymbolProvider": true,
		"renameProvider":         map[string]any{"prepareProvider": true},
		"codeActionProvider":     map[string]any{"codeActionKinds": []string{quickFix, fixAll}},
		"hoverProvider":          true,
		"textDocumentSync":       map[string]any{"openClose": true, "change": 2, "save": map[string]any{}},
	}
}

// watchFiles asks the client to tell of files that change on the disk: one that
// was mended elsewhere loses its marks, and a new pipeline gets known.
func (s *server) watchFiles() {
	if !s.client.Workspace.DidChangeWatchedFiles.DynamicRegistration {
		return
	}
	type watcher struct {
		GlobPattern string `json:"globPattern"`
	}
	s.conn.Request("client/registerCapability", map[string]any{"registrations": []any{map[string]any{
		"id": "files", "method": "workspace/didChangeWatchedFiles",
		"registerOptions": map[string]any{"watchers": []watcher{{"**/*.yaml"}, {"**/*.yml"}}},
	}}})
}
