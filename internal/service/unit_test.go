package service

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the files of testdata")

func TestUnit(t *testing.T) {
	for file, spec := range map[string]Spec{
		"botwork.service": {
			Name: "botwork", Description: "Runs queued work for bots.", Program: "/opt/botwork/botwork", Config: "/etc/botwork/botwork.yaml",
			Account: "botwork", RestartAfter: []time.Duration{5 * time.Second, time.Minute}, StopWithin: 150 * time.Second,
			Writable: []string{"/etc/botwork", "/var/lib/botwork"},
		},
		"odd.service": {
			Name: "odd", Description: "100% of it", Program: `/opt/my "bots"/bot$work`, Config: `/etc/50% off/bot work.yaml`, Environment: "prod",
			Account: "odd", StopWithin: 1500 * time.Millisecond, DependsOn: []string{"postgresql", "remote-fs.target"},
			Writable: []string{"/srv/bot files"},
		},
	} {
		t.Run(file, func(t *testing.T) {
			got := Unit(spec)
			path := filepath.Join("testdata", file)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			line := wordsOf(valueOf(got, "ExecStart"))
			if want := append([]string{spec.Program}, spec.Arguments()...); !slices.Equal(line, want) {
				t.Errorf("parsed command line %q, want %q", line, want)
			}
			if got := valueOfFlag(line[1:], "--config"); got != spec.Config || !isOurs(line[1:]) {
				t.Errorf("parsed settings file %q, want %q", got, spec.Config)
			}
			if got := valueOfFlag(line[1:], "--environment"); got != spec.Environment {
				t.Errorf("parsed environment %q, want %q", got, spec.Environment)
			}
		})
	}
}

// systemd-analyze accepts the unit. Skipped on machines without it.
func TestSystemdAcceptsUnit(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed:", err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "bot$ work")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "botwork.service")
	unit := Unit(Spec{
		Name: "botwork", Description: "100% of it", Program: program, Config: filepath.Join(dir, "50% off.yaml"), Account: "root",
		RestartAfter: []time.Duration{time.Second}, StopWithin: time.Minute, Writable: []string{dir}, DependsOn: []string{"remote-fs.target"},
	})
	if err := os.WriteFile(file, []byte(unit), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", file).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}

func TestCheckName(t *testing.T) {
	for name, want := range map[string]bool{
		"botwork": true, "Botwork.2-b_c": true, "0": true, "": false, "-b": false, "a b": false, `a\b`: false, "a/b": false, "ä": false, "a%": false,
	} {
		if err := CheckName(name); (err == nil) != want {
			t.Errorf("CheckName(%q) = %v, want it accepted: %v", name, err, want)
		}
	}
}
