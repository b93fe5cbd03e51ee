package pipelines_test

import (
	"context"
	"strings"
	"testing"

	"botwork/handlers/builtin"
	"botwork/pipelines"

	"github.com/rs/zerolog"
)

// hidden are environment variables that settings read as secrets.
var hidden = map[string]string{"PGDSN": "database.dsn", "API_TOKEN": "secrets.apiToken", "MAIL": "secrets.mail-password"}

func secretCompiler() *pipelines.Compiler {
	return pipelines.NewCompiler(builtin.Registry(builtin.Resources{}), pipelines.Options{SecretEnv: hidden})
}

func TestSecretVariablesAreRefused(t *testing.T) {
	for expression, want := range map[string]string{
		"env.PGDSN":                   `the environment variable "PGDSN" cannot be read here: the setting database.dsn reads it as a secret [secret-variable]; define a secret under secrets in the settings`,
		`env["PGDSN"]`:                "[secret-variable]",
		"env?.PGDSN":                  "[secret-variable]",
		"upper(env.API_TOKEN ?? '')":  "write secrets.apiToken",
		"env.MAIL":                    `write secrets["mail-password"]`,
		"env.HOME":                    "",
		"env[payload.name]":           "",
		"payload.env.PGDSN":           "",
		"let e = {PGDSN: 1}; e.PGDSN": "",
	} {
		_, findings := secretCompiler().Parse("p.yaml", []byte("steps: [{handler: Log, with: {message: '${{ "+strings.ReplaceAll(expression, "'", "''")+" }}'}}]\n"))
		switch got := findings.Error(); {
		case want == "" && len(findings) > 0:
			t.Errorf("%s: %s", expression, got)
		case want != "" && (len(findings) != 1 || !strings.Contains(got, want)):
			t.Errorf("%s: %q, want %q", expression, got, want)
		}
	}
}

func TestSecretVariablesAreRefusedByComputedNames(t *testing.T) {
	env := map[string]string{"PGDSN": "postgres://bot:hunter22@db/work", "HOME": "/home/bot"}
	for expression, want := range map[string]string{
		"env[payload.name]":                    "the setting database.dsn reads it as a secret",
		`env["PG" + "DSN"]`:                    "reads it as a secret",
		"get(env, payload.name)":               "reads it as a secret",
		`get(env, "PGDSN")`:                    "reads it as a secret",
		"map([payload.name], env[#])":          "reads it as a secret",
		"map(['HOME'], env[#])[0]":             "",
		"env[payload.home]":                    "",
		"get(env, payload.home)":               "",
		"let e = env; e[payload.name] ?? ''":   "",
		"toJSON(env)":                          "",
		"join(keys(env)) + join(values(env))":  "",
		"'PGDSN' in env ? 'hunter22' : 'none'": "",
	} {
		p, findings := secretCompiler().Parse("p.yaml", []byte("steps: [{handler: Transform, with: {value: \"${{ "+strings.ReplaceAll(expression, `"`, `'`)+" }}\"}}]\n"))
		if p == nil {
			t.Fatalf("%s: %v", expression, findings)
		}
		engine := pipelines.NewEngine(pipelines.EngineOptions{Env: env, SecretEnv: hidden, Log: zerolog.Nop()})
		result := engine.Run(context.Background(), p, pipelines.RunInput{Payload: `{"name": "PGDSN", "home": "HOME"}`})
		if shown := result.Error + string(result.Output); strings.Contains(shown, "hunter22") {
			t.Errorf("%s shows the secret: %s", expression, shown)
		}
		if want == "" && result.Error != "" || !strings.Contains(result.Error, want) {
			t.Errorf("%s: %q, want %q", expression, result.Error, want)
		}
	}
}
