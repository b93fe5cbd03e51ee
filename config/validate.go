package config

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"botwork/internal/author/strictyaml"
	"botwork/internal/database"
	"botwork/internal/hostrules"
)

// Validate checks the settings and their combinations. Load calls it; call it again after
// overriding settings, for example from flags. The error is a strictyaml.Findings with all
// errors.
func (c *Config) Validate() error {
	findings := c.check()
	findings.Sort()
	return findings.Err()
}

// CheckSecrets reports the secrets and the named connections whose variable or file is
// missing, as a strictyaml.Findings. A process that runs pipelines calls it at the start; Load
// does not, because a user who lists items does not need every secret of the service.
func (c *Config) CheckSecrets() error {
	k := checker{Config: c}
	for name, secret := range c.Secrets {
		if secret.problem != "" {
			k.add("secrets."+name, "no-value", secret.problem, "")
		}
	}
	for name, connection := range c.Connections {
		if connection.DSN.problem != "" {
			k.add("connections."+name+".dsn", "no-value", connection.DSN.problem, "")
		}
	}
	for name := range c.Notifications.Targets {
		k.targetSecrets(name)
	}
	k.findings.Sort()
	return k.findings.Err()
}

func (c *Config) check() strictyaml.Findings {
	k := checker{Config: c}
	k.escapedPaths(k.node)
	k.database()
	k.worker()
	k.pipelines()
	k.connections()
	k.encryption()
	k.secretLengths()
	for name := range c.Secrets {
		k.name("secrets", name)
	}
	k.values()
	for i, folder := range c.Handlers.Folders {
		if folder == "" {
			k.add(fmt.Sprintf("handlers.folders[%d]", i), "invalid-value", "got an empty path", "")
		}
	}
	k.hosts("handlers.http.allow", c.Handlers.HTTP.Allow, hostrules.CheckAllow)
	k.hosts("handlers.http.deny", c.Handlers.HTTP.Deny, hostrules.CheckDeny)
	k.http()
	k.notifications()
	k.tracing()
	k.choice("log.level", c.Log.Level, Levels)
	k.choice("log.format", c.Log.Format, Formats)
	k.between("log.file.maxSizeMB", c.Log.File.MaxSizeMB, 1, 10_000)
	k.between("log.file.maxFiles", c.Log.File.MaxFiles, 0, 10_000)
	k.atLeast("log.file.maxAge", c.Log.File.MaxAge, 0)
	return k.findings
}

func (k *checker) values() {
	if !k.Values.HasValue() {
		return
	}
	if k.Values.Kind != strictyaml.Mapping {
		k.add("values", "wrong-type", fmt.Sprintf("got %s, want a mapping of names to values", k.Values.Kind), "")
	}
	for _, e := range k.Values.Entries {
		k.name("values", e.Key)
	}
}

// escapedPaths reports Windows paths in double quotes.
func (k *checker) escapedPaths(n *strictyaml.Node) {
	if n == nil {
		return
	}
	path, _, _ := strings.Cut(n.Path, "[")
	key := path[strings.LastIndexByte(path, '.')+1:]
	if f, wrong := n.EscapedPath(slices.Contains(pathSettings, key)); wrong && (f.Severity != strictyaml.Warning || key == "dsn") {
		f.Severity = strictyaml.Error
		k.findings = append(k.findings, f)
	}
	for _, child := range children(n) {
		k.escapedPaths(child)
	}
}

// pathSettings are the last keys of settings that can only be paths.
var pathSettings = []string{"dir", "folders", "path", "file", "cert"}

func (k *checker) hosts(path string, entries []string, check func(string) error) {
	for i, entry := range entries {
		if err := check(entry); err != nil {
			k.add(fmt.Sprintf("%s[%d]", path, i), "invalid-value", err.Error(), "")
		}
	}
}

func (k *checker) database() {
	d := &k.Database
	if k.driver("database.driver", d.Driver) {
		switch {
		case d.Driver != database.SQLite && d.DSN.implied:
			k.add("database.dsn", "missing-key", fmt.Sprintf("driver %s needs a DSN", d.Driver), "")
		case d.DSN.problem != "":
			k.add("database.dsn", "no-value", d.DSN.problem, "")
		default:
			k.dsn("database.dsn", d.Driver, d.DSN)
		}
	}
	const most = 1000
	idle := most
	if k.between("database.pool.maxOpen", d.Pool.MaxOpen, 1, most) && !k.broken["database.pool.maxOpen"] {
		idle = d.Pool.MaxOpen
	}
	k.between("database.pool.maxIdle", d.Pool.MaxIdle, 0, idle)
	k.atLeast("database.pool.maxLifetime", d.Pool.MaxLifetime, 0)
}

func (k *checker) worker() {
	w := &k.Worker
	if utf8.RuneCountInString(w.Name) > 100 || strings.TrimSpace(w.Name) != w.Name || strings.ContainsFunc(w.Name, unicode.IsControl) {
		k.add("worker.name", "invalid-value", "want at most 100 characters, no spaces around them and no control characters", "")
	}
	k.slots()
	if w.Gate.CPU == 100 {
		k.add("worker.gate.cpu", "invalid-value", "got 100%, want less: processors are never busier", "")
	}
	k.labels(w.Labels)
	beat := k.atLeast("worker.heartbeat", w.Heartbeat, time.Second)
	if beat && !k.broken["worker.heartbeat"] && !k.broken["worker.lease"] && w.Lease <= 2*w.Heartbeat {
		k.add("worker.lease", "invalid-pair", fmt.Sprintf("got %s, want more than two heartbeats of %s", brief(w.Lease), brief(w.Heartbeat)),
			"three heartbeats are "+brief(3*w.Heartbeat))
	}
	k.atLeast("worker.shutdownGrace", w.ShutdownGrace, 0)
}

func (k *checker) pipelines() {
	if k.Pipelines.Dir == "" {
		k.add("pipelines.dir", "invalid-value", "got an empty path", "")
	}
	if _, err := k.Pipelines.Location(); err != nil {
		k.add("pipelines.timezone", "invalid-value", fmt.Sprintf("unknown time zone %q", k.Pipelines.Timezone), "use a name such as Europe/Lisbon, UTC or Local")
	}
}

func (k *checker) connections() {
	for name, c := range k.Connections {
		path := "connections." + name
		k.name("connections", name)
		if c.Driver == "" && (c.DSN.pending() || c.DSN.problem != "") {
			continue // the DSN can still name the driver
		}
		if !k.present(path, "driver", c.Driver != "") || !k.driver(path+".driver", c.Driver) {
			continue
		}
		if k.present(path, "dsn", !c.DSN.absent()) && c.DSN.problem == "" {
			k.dsn(path+".dsn", c.Driver, c.DSN)
		}
	}
}

// dsn checks a DSN whose text is known.
func (k *checker) dsn(path string, driver database.Driver, dsn DSN) {
	if dsn.pending() || k.broken[path] {
		return
	}
	if err := database.CheckDSN(driver, dsn.Reveal()); err != nil {
		k.add(path, "invalid-value", err.Error(), "")
	}
}
