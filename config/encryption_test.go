package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botwork/config"
)

func TestKeyset(t *testing.T) {
	const variable = "BOTWORK_ENCRYPTION_KEYSET"
	for name, tt := range map[string]struct {
		file    string
		environ []string

		text, fromFile, fromVariable string
		want                         string // what the error holds
	}{
		"none":                          {file: "encryption: {}\n"},
		"nothing said":                  {file: "encryption:\n  keyset:\n"},
		"a file":                        {file: "encryption: {keyset: {file: keys/set.json}}\n", text: "hunter2", fromFile: "keys/set.json"},
		"a variable":                    {file: "encryption: {keyset: {env: KEYS}}\n", environ: []string{"KEYS=hunter2"}, text: "hunter2", fromVariable: "KEYS"},
		"its own variable":              {environ: []string{variable + "=hunter2"}, text: "hunter2", fromVariable: variable},
		"its own variable beats a file": {file: "encryption: {keyset: {file: keys/set.json}}\n", environ: []string{variable + "=hunter3"}, text: "hunter3", fromVariable: variable},
		"in place":                      {file: "encryption: {keyset: {value: hunter2}}\n", text: "hunter2"},

		"a file that is not there": {file: "encryption:\n  keyset: {file: keys/gone.json}\n",
			want: "botwork.yaml:2:11: encryption.keyset: open "},
		"a variable that is not there": {file: "encryption: {keyset: {env: KEYS}}\n",
			want: "encryption.keyset: the environment variable KEYS is not set [no-value]; botwork keys new makes a keyset"},
		"an empty file": {file: "encryption: {keyset: {file: keys/empty.json}}\n", want: "is empty [no-value]"},
		"an empty text": {file: "encryption: {keyset: \"\"}\n", want: "encryption.keyset: got an empty text [invalid-value]"},
		"a keyset in the settings": {file: "encryption: {keyset: {\"primaryKeyId\": 7, \"key\": [{\"keyData\": {\"value\": \"hunter2\"}}]}}\n",
			want: `unknown key "primaryKeyId"`},
		"a keyset beside the key": {file: "encryption: {file: keys/set.json}\n", want: `unknown key "file" in encryption`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string]string{"botwork.yaml": tt.file, "keys/set.json": "hunter2\n", "keys/empty.json": "\n"} {
				path := filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			c, err := config.Load(filepath.Join(dir, "botwork.yaml"), tt.environ)
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter") {
					t.Errorf("error = %v, want %q, and nothing of the keyset", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if tt.fromFile != "" {
				tt.fromFile = filepath.Join(dir, tt.fromFile)
			}
			file, from := c.KeysetSource()
			if got := c.Encryption.Keyset.Reveal(); got != tt.text || file != tt.fromFile || from != tt.fromVariable || c.HasKeyset() != (tt.text != "") {
				t.Errorf("keyset = %q from the file %q, the variable %q, want %q, %q, %q", got, file, from, tt.text, tt.fromFile, tt.fromVariable)
			}
			if said := fmt.Sprintf("%v %+v %#v %s", c, c, c.Encryption, c.Encryption); tt.text != "" && strings.Contains(said, tt.text) {
				t.Errorf("the settings show the keyset: %s", said)
			}
		})
	}
}

func TestKeysetFinding(t *testing.T) {
	c, findings := config.Parse("botwork.yaml", []byte("worker: {}\nencryption:\n  keyset: {value: hunter2}\n"))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	if got, want := c.KeysetFinding("holds no key").String(), "botwork.yaml:3:11: encryption.keyset: holds no key [invalid-value]"; got != want {
		t.Errorf("finding = %s, want %s", got, want)
	}
	c.SetFrom("encryption.keyset", "BOTWORK_ENCRYPTION_KEYSET")
	if got, want := c.KeysetFinding("holds no key").String(), "BOTWORK_ENCRYPTION_KEYSET: encryption.keyset: holds no key [invalid-value]"; got != want {
		t.Errorf("finding = %s, want %s", got, want)
	}
}
