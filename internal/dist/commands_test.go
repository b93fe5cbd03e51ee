package main

import (
	"regexp"
	"strings"
	"testing"
)

var (
	// called matches a call of the program in install.ps1: a list of quoted words, or
	// words after its variable.
	called = regexp.MustCompile(`(?m)@\(('(?:service|doctor)'[^)]*)\)|& \$exe ((?:service|doctor)[^\n]*)$`)

	// typed matches a call in a README.
	typed = regexp.MustCompile(`(?m)^ .*botwork(?:\.exe"?)? ([a-z][^\n]*)$`)

	flagName = regexp.MustCompile(`--[a-z-]+`)
)

// TestCommandsThatAreNamed checks the calls in the installer and in the READMEs, because
// no PowerShell runs the installer here: each command must exist and have the flags.
func TestCommandsThatAreNamed(t *testing.T) {
	calls := map[string][]string{}
	r := release{version: "v1.2.3"}
	for _, system := range []string{"windows", "linux"} {
		files, err := r.archiveFiles(platform{os: system})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			pattern := typed
			if f.name == "install.ps1" {
				pattern = called
			}
			for _, match := range pattern.FindAllStringSubmatch(string(f.data), -1) {
				calls[f.name] = append(calls[f.name], strings.NewReplacer("'", "", ",", "").Replace(strings.Join(match[1:], "")))
			}
		}
	}
	for name, least := range map[string]int{"install.ps1": 6, "README.txt": 14} {
		if len(calls[name]) < least {
			t.Errorf("%s: found the calls %q, want %d or more", name, calls[name], least)
		}
		for _, call := range calls[name] {
			checkCall(t, name, call)
		}
	}
}

// checkCall checks in the help of the command that it has the flags.
func checkCall(t *testing.T, file, call string) {
	t.Helper()
	words := strings.Fields(call)
	command := []string{words[0]}
	for _, word := range words[1:] {
		if !regexp.MustCompile(`^[a-z]+$`).MatchString(word) {
			break
		}
		command = append(command, word)
	}
	help, err := botwork(t.Context(), append(command, "--help")...)
	if err != nil {
		t.Errorf("%s: %s: %v", file, call, err)
		return
	}
	if !strings.Contains(string(help), "\n  botwork "+strings.Join(command, " ")) {
		t.Errorf("%s: there is no command %q", file, command)
	}
	for _, flag := range flagName.FindAllString(call, -1) {
		if !strings.Contains(string(help), flag+" ") {
			t.Errorf("%s: %q has no flag %s", file, command, flag)
		}
	}
}
