package config

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"botwork/internal/author/strictyaml"
	"botwork/internal/database"
)

// Text is a setting whose value is often not in the settings file itself. In YAML it is a
// string, {value: text}, {env: VARIABLE}, {file: path} or {credential: name}; one line ending
// at the end of a file is removed. It prints as <secret>.
type Text struct {
	env, file string
	secret    Secret

	// credential is a file's name in systemd's folder for a service's credentials; file is its
	// path after it was found.
	credential string

	implied bool   // a default that is not in the settings
	problem string // the reason why there is no text
}

// MaxTextFile is the maximum size of a secret's file in bytes. A larger file is probably the
// wrong one.
const MaxTextFile = 64 << 10

// DecodeNode implements strictyaml.NodeDecoder.
func (t *Text) DecodeNode(n *strictyaml.Node) strictyaml.Findings {
	if n.Kind == strictyaml.Scalar {
		*t = Text{secret: NewSecret(n.Text)}
		return nil
	}
	if n.Kind != strictyaml.Mapping {
		return strictyaml.Findings{n.Finding("wrong-type", fmt.Sprintf("%s: got %s, want text or one of {env: …}, {file: …}, {credential: …}, {value: …}", n.Path, n.Kind), "")}
	}
	var from struct {
		Env        string  `yaml:"env"`
		File       string  `yaml:"file"`
		Credential string  `yaml:"credential"`
		Value      *inline `yaml:"value"`
	}
	findings := n.Decode(&from)
	given := 0
	for _, key := range []string{"env", "file", "credential", "value"} {
		if value := n.Get(key); value != nil && value.Kind != strictyaml.Null {
			given++
		}
	}
	if given != 1 && len(findings) == 0 {
		findings = append(findings, n.Finding("wrong-source", n.Path+": want exactly one of env, file, credential and value", ""))
	}
	if name := from.Credential; name != "" && (name != filepath.Base(name) || strings.ContainsAny(name, `/\`) || !filepath.IsLocal(name)) {
		findings = append(findings, n.Get("credential").Finding("invalid-value", fmt.Sprintf("%s.credential: got %q, want the name of a credential, such as dsn", n.Path, name), ""))
		from.Credential = ""
	}
	*t = Text{env: from.Env, file: from.File, credential: from.Credential}
	if from.Value != nil {
		t.secret = from.Value.Secret
	}
	return findings
}

// inline accepts a scalar of any type, because a secret may look like a number.
type inline struct{ Secret }

func (i *inline) UnmarshalText(text []byte) error {
	i.Secret = NewSecret(string(text))
	return nil
}

// UnmarshalText sets the text itself, as from an environment variable.
func (t *Text) UnmarshalText(text []byte) error {
	*t = Text{secret: NewSecret(string(text))}
	return nil
}

// Reveal returns the text itself; "" when there is none.
func (t Text) Reveal() string { return t.secret.Reveal() }

func (t Text) String() string { return hidden }

// Format implements fmt.Formatter for all verbs.
func (t Text) Format(f fmt.State, verb rune) { t.secret.Format(f, verb) }

// MarshalText hides the text from JSON, YAML and zerolog.
func (t Text) MarshalText() ([]byte, error) { return t.secret.MarshalText() }

// resolve reads the variable or the file that holds the text.
func (t *Text) resolve(vars map[string]string, dir string) {
	switch {
	case t.env != "":
		if value := vars[variableName(t.env)]; value != "" {
			t.secret = NewSecret(value)
		} else {
			t.problem = fmt.Sprintf("the environment variable %s is not set", t.env)
		}
	case t.credential != "":
		folder := vars[variableCredentials]
		if folder == "" {
			t.problem = fmt.Sprintf("there is no credential %s: the environment variable %s is not set, as systemd sets it for a unit with LoadCredential", t.credential, variableCredentials)
			return
		}
		t.file = filepath.Join(folder, t.credential)
		t.secret, t.problem = readText(t.file)
	case t.file != "":
		t.file = absolute(dir, t.file)
		t.secret, t.problem = readText(t.file)
	}
}

func readText(path string) (Secret, string) {
	f, err := os.Open(path)
	if err != nil {
		return Secret{}, err.Error()
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxTextFile+1))
	switch {
	case err != nil:
		return Secret{}, err.Error()
	case len(data) > MaxTextFile:
		return Secret{}, fmt.Sprintf("%s is bigger than %d KiB", filepath.Clean(path), MaxTextFile>>10)
	}
	text := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	if text == "" {
		return Secret{}, path + " is empty"
	}
	return NewSecret(text), ""
}

// pending reports whether the text is in a variable or file and was not read.
func (t Text) pending() bool {
	return (t.env != "" || t.file != "" || t.credential != "") && t.secret.text == nil
}

// absent reports whether the setting is missing.
func (t Text) absent() bool {
	return t.env == "" && t.file == "" && t.credential == "" && t.secret.text == nil
}

// DSN is a Text that prints with only its password hidden, so that the database can be identified.
type DSN struct{ Text }

func (d DSN) String() string { return database.SafeDSN(d.Reveal()) }

// Format implements fmt.Formatter for all verbs.
func (d DSN) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, d.String()) }

// MarshalText hides the password from JSON, YAML and zerolog.
func (d DSN) MarshalText() ([]byte, error) { return []byte(d.String()), nil }
