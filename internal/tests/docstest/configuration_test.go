package docstest

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"botwork/config"
	"botwork/handlers"
	"botwork/internal/author/strictyaml"
)

// fixed has the documented texts of the defaults that depend on the machine.
var fixed = map[string]string{
	"worker.name":     "the host's name",
	"worker.capacity": "number of CPUs, at least 4",
}

// TestSettings compares the tables of docs/configuration.md with the settings:
// their keys, their environment variables and their defaults.
func TestSettings(t *testing.T) {
	type setting struct{ variable, standard string }
	documented := map[string]setting{}
	var keys []string
	for _, tab := range read(t, "docs/configuration.md").tablesWith(t, "key", "environment", "default", "meaning") {
		for _, r := range tab.rows {
			key := code(r.cells[0])
			keys = append(keys, key)
			documented[key] = setting{code(r.cells[1]), code(r.cells[2])}
		}
	}
	var real []string
	walk(reflect.ValueOf(config.Default()), "", func(key, variable, standard string) {
		real = append(real, key)
		if text, ok := fixed[key]; ok {
			standard = text
		}
		if got, want := documented[key], (setting{variable, standard}); got != want {
			t.Errorf("%s is documented as %+v, want %+v", key, got, want)
		}
	})
	sameSet(t, "settings", keys, real)
}

// walk visits every setting with its key, its variable and its default.
func walk(v reflect.Value, path string, visit func(key, variable, standard string)) {
	for f, value := range v.Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if key == "" || key == "-" {
			continue
		}
		key = path + key
		variable := "BOTWORK_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
		switch {
		case f.Type == reflect.TypeFor[*strictyaml.Node](), f.Name == "Hooks", f.Name == "Notifications":
			// Definitions have their own document.
		case f.Name == "Secrets":
			visit(key+".NAME", "BOTWORK_SECRET_NAME", "")
		case f.Name == "Headers":
			visit(key, "", "") // only in the file
		case f.Name == "Connections":
			walk(reflect.Zero(f.Type.Elem()), key+".NAME.", visit)
		case f.Type.Kind() == reflect.Struct && f.Tag.Get("envPrefix") != "":
			walk(value, key+".", visit)
		default:
			visit(key, variable, standardText(value.Interface()))
		}
	}
}

// standardText returns a default as the documents write it.
func standardText(value any) string {
	switch value := value.(type) {
	case config.DSN:
		return value.Reveal()
	case config.Text:
		return value.Reveal()
	case time.Duration:
		return handlers.Duration(value).String()
	}
	if v := reflect.ValueOf(value); v.Kind() == reflect.Map || v.Kind() == reflect.Slice {
		return ""
	}
	return fmt.Sprint(value)
}

// TestVariables lets the settings read each documented environment variable.
func TestVariables(t *testing.T) {
	file := filepath.Join(t.TempDir(), "botwork.yaml")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tab := range read(t, "docs/configuration.md").tablesWith(t, "key", "environment", "default", "meaning") {
		for _, r := range tab.rows {
			variable := code(r.cells[1])
			if _, err := config.Load(file, []string{variable + "=x"}); err != nil && strings.Contains(err.Error(), "[unknown-variable]") {
				t.Error(err)
			}
		}
	}
}
