package run

import (
	"os"
	"path/filepath"
	"slices"

	"botwork/config"
	"botwork/internal/database"
	"botwork/internal/gate"
)

// openGate starts to measure what the settings bound, until the returned function is called. Without
// a bound it starts nothing.
func (a *Worker) openGate(p *programme) (stop func()) {
	w := a.Config.Worker.Gate
	bounds := gate.Bounds{CPU: float64(w.CPU), MemoryFree: int64(w.MemoryFree), DiskFree: int64(w.DiskFree), Folders: writtenFolders(&a.Config)}
	if bounds.None() {
		return func() {}
	}
	g := gate.New(bounds, gate.NewMachine(), p.log)
	g.Start()
	p.gate = g
	return g.Stop
}

// writtenFolders returns the folders that a worker and its steps write to: that of the settings, of
// the log, of SQLite's file, those of the file handlers and the system's for temporary files.
func writtenFolders(c *config.Config) []string {
	folders := append([]string{filepath.Dir(c.File), os.TempDir()}, c.Handlers.Folders...)
	if c.File == "" {
		folders[0] = "."
	}
	if c.Log.File.Path != "" {
		folders = append(folders, filepath.Dir(c.Log.File.Path))
	}
	if path := database.SQLitePath(c.Database.DSN.Reveal()); c.Database.Driver == database.SQLite && path != "" {
		folders = append(folders, filepath.Dir(path))
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}
