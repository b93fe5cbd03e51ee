package serving

import (
	"github.com/rs/zerolog"

	"botwork/cmd/internal/projectdir"
	"botwork/internal/api"
)

// NewProject returns the project of an app with settings, and its editor.
func NewProject(app *projectdir.App) (api.Project, api.Editor) {
	p := &project{app: app, log: zerolog.Nop()}
	return p, newEditor(p)
}
