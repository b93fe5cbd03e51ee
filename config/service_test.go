package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"botwork/config"
)

func TestServicesOfOneMachineHaveDifferentNames(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, service, want string }{
		{"worker: {}\n", "botwork", host},
		{"worker: {}\n", "nightly", host + "-nightly"},
		{"worker: {name: ann}\n", "nightly", "ann"},
		{"worker: {name: " + host + "}\n", "nightly", host},
	} {
		file := filepath.Join(t.TempDir(), "botwork.yaml")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, err := config.Load(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		if cfg.ForService(c.service); cfg.Worker.Name != c.want {
			t.Errorf("the service %s with %q calls its worker %q, want %q", c.service, c.text, cfg.Worker.Name, c.want)
		}
	}
}

func TestServiceLogIsInTheFolderOfTheSettings(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "botwork.yaml")
	if err := os.WriteFile(file, []byte("log: {file: {path: logs/worker.log, maxAge: 30d}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(file, []string{"BOTWORK_LOG_FILE_MAXSIZEMB=5"})
	if err != nil {
		t.Fatal(err)
	}
	want := config.LogFile{Path: filepath.Join(dir, "logs", "worker.log"), MaxSizeMB: 5, MaxFiles: 10, MaxAge: 720 * 3600e9}
	if cfg.Log.File != want {
		t.Errorf("log.file = %+v, want %+v", cfg.Log.File, want)
	}
}
