package config

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"

	"botwork/internal/author/strictyaml"
)

const (
	variablePrefix      = "BOTWORK_"
	variableConfig      = "BOTWORK_CONFIG"
	variableToken       = "BOTWORK_TOKEN"
	variableSecret      = "BOTWORK_SECRET_"
	variableConnections = "BOTWORK_CONNECTIONS_"

	// variableCredentials names the folder of a service's credentials.
	variableCredentials = "CREDENTIALS_DIRECTORY"
)

// VariableEnvironment chooses the environment of the settings.
const VariableEnvironment = "BOTWORK_ENVIRONMENT"

// foreignVariables are prefixes of variables that are not settings: those of the tests, and
// those that Kubernetes sets for a service named botwork.
var foreignVariables = []string{"BOTWORK_TEST_", "BOTWORK_SERVICE_", "BOTWORK_PORT_"}

// runVariables are the variables that Exec steps set for their programs, which may call botwork.
var runVariables = []string{
	"BOTWORK_PIPELINE", "BOTWORK_STEP", "BOTWORK_ITEM_ID", "BOTWORK_ATTEMPT", "BOTWORK_FENCE", "BOTWORK_IDEMPOTENCY_KEY", "BOTWORK_RUN",
}

// clientVariables are the variables of commands that use the HTTP API of a server in place of a
// database.
var clientVariables = []string{"BOTWORK_SERVER", variableToken, "BOTWORK_TOKEN_FILE", "BOTWORK_CA_FILE"}

// variables returns the environment as a map, without empty variables.
func variables(environ []string) map[string]string {
	vars := make(map[string]string, len(environ))
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok && value != "" {
			vars[variableName(name)] = value
		}
	}
	return vars
}

// variableName returns the key of a variable in the map of variables: Windows ignores case.
func variableName(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}

// applyEnvironment overlays the settings that variables name. It reports variables that begin
// like a setting but are not one.
func (c *Config) applyEnvironment(vars map[string]string) strictyaml.Findings {
	paths := settings(reflect.TypeFor[Config](), "")
	var known []string
	for name := range paths {
		known = append(known, name)
	}
	slices.Sort(known)

	if _, ok := vars[variableToken]; ok {
		// The pipelines of a worker must not see the token of who started it.
		if c.inFile == nil {
			c.inFile = map[string]string{}
		}
		c.inFile[variableToken] = "the token for --server"
	}
	var findings strictyaml.Findings
	for name, value := range vars {
		if !strings.HasPrefix(name, variablePrefix) || isForeign(name) || name == variableConfig || name == VariableEnvironment {
			continue
		}
		var finding *strictyaml.Finding
		if path, ok := paths[name]; ok {
			finding = c.applyVariable(name, path, value)
		} else if secret, ok := strings.CutPrefix(name, variableSecret); ok && secret != "" {
			c.applySecret(name, secret, value)
		} else if !c.applyConnection(name, value) {
			finding = &strictyaml.Finding{File: name, Code: "unknown-variable", Message: "no setting has this environment variable",
				Hint: strictyaml.Suggest(name, known)}
		}
		if finding != nil {
			findings = append(findings, *finding)
		}
	}
	return findings
}

func isForeign(name string) bool {
	return name == "BOTWORK_PORT" || slices.Contains(runVariables, name) || slices.Contains(clientVariables, name) || slices.ContainsFunc(foreignVariables, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// settings maps the environment variable of each setting below t to its path.
func settings(t reflect.Type, path string) map[string]string {
	all := make(map[string]string)
	for f := range t.Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if _, section := f.Tag.Lookup("envPrefix"); section {
			maps.Copy(all, settings(f.Type, path+key+"."))
		} else if _, single := f.Tag.Lookup("env"); single {
			full := path + key
			all[variablePrefix+strings.ToUpper(strings.ReplaceAll(full, ".", "_"))] = full
		}
	}
	return all
}

// applyVariable sets one setting. Variables are applied one by one, so that an error can name
// the variable.
func (c *Config) applyVariable(name, path, value string) *strictyaml.Finding {
	err := env.ParseWithOptions(c, env.Options{Environment: map[string]string{name: value}, Prefix: variablePrefix})
	if err == nil {
		c.SetFrom(path, name)
		return nil
	}
	c.markBroken(path)
	finding := &strictyaml.Finding{File: name, Code: "invalid-value", Message: err.Error()}
	if parse, ok := errors.AsType[env.ParseError](err); ok {
		finding.Message = parse.Err.Error()
		switch parse.Type {
		case reflect.TypeFor[int]():
			finding.Message = fmt.Sprintf("got %.40q, want a whole number", value)
		case reflect.TypeFor[time.Duration]():
			finding.Message, finding.Hint = fmt.Sprintf("got %.40q, want a duration", value), "write a number and a unit, such as 30s, 5m or 1h30m"
		}
	}
	return finding
}
