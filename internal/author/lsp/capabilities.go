package lsp

// serverCapabilities returns the capabilities of the server.
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

// watchFiles asks the client to send notifications about changed files on the disk, so
// that the diagnostics of files that are not open stay current.
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
