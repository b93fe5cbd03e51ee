// Package itemcheck compares items with the project's pipelines before a command writes them.
package itemcheck

import (
	"errors"
	"io/fs"
	"os"

	"botwork/cmd/internal/projectdir"
	"botwork/internal/newitems"
	"botwork/pipelines"
)

// New returns a checker of the pipelines folder of the settings, which must be loaded. does is what
// the command with the flag --no-check does to an item in spite of the findings, such as "enqueues".
// With skip, which is that flag, the checker finds nothing.
func New(a *projectdir.App, does string, skip bool) (*newitems.Checker, error) {
	c := &newitems.Checker{Anyway: "--no-check " + does}
	if skip || a.UsesServer() { // a server checks by its own project
		return c, nil
	}
	checker, err := a.Checker()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(a.Config.Pipelines.Dir); errors.Is(err, fs.ErrNotExist) {
		c.Catalogue = pipelines.NewCatalogue(checker.Compiler())
		return c, nil
	}
	c.Folder = true
	c.Catalogue, _, err = projectdir.Catalogue(a, checker)
	return c, err
}
