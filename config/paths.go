package config

import (
	"path/filepath"
	"strings"

	"botwork/internal/database"
)

// resolve makes every path absolute, against dir, and reads the texts from variables and
// files. A service starts in a system folder, so no path may stay relative.
func (c *Config) resolve(dir string, vars map[string]string) {
	c.Database.DSN.resolve(vars, dir)
	for name, connection := range c.Connections {
		connection.DSN.resolve(vars, dir)
		c.Connections[name] = connection
	}
	c.inferDrivers()
	c.Database.DSN.rebase(c.Database.Driver, dir)
	for name, connection := range c.Connections {
		connection.DSN.rebase(connection.Driver, dir)
		c.Connections[name] = connection
	}
	for name, secret := range c.Secrets {
		secret.resolve(vars, dir)
		c.Secrets[name] = secret
	}
	for name, t := range c.Notifications.Targets {
		t.URL.resolve(vars, dir)
		t.Token.resolve(vars, dir)
		t.Password.resolve(vars, dir)
		for header, text := range t.Headers {
			text.resolve(vars, dir)
			t.Headers[header] = text
		}
		c.Notifications.Targets[name] = t
	}
	c.Encryption.Keyset.resolve(vars, dir)
	c.HTTP.OIDC.ClientSecret.resolve(vars, dir)
	for name, header := range c.Tracing.OTLP.Headers {
		header.resolve(vars, dir)
		c.Tracing.OTLP.Headers[name] = header
	}
	if c.Pipelines.Dir != "" {
		c.Pipelines.Dir = absolute(dir, c.Pipelines.Dir)
	}
	if c.Log.File.Path != "" {
		c.Log.File.Path = absolute(dir, c.Log.File.Path)
	}
	for _, file := range []*string{&c.HTTP.TLS.Cert, &c.HTTP.TLS.Key} {
		if *file != "" {
			*file = absolute(dir, *file)
		}
	}
	for i, folder := range c.Handlers.Folders {
		if folder != "" {
			c.Handlers.Folders[i] = absolute(dir, folder)
		}
	}
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// rebase makes the path in a SQLite DSN absolute. A DSN that is not one of SQLite stays as it is
// for the checks.
func (d *DSN) rebase(driver database.Driver, dir string) {
	if text := d.Reveal(); driver == database.SQLite && text != "" && database.CheckDSN(driver, text) == nil {
		d.secret = NewSecret(sqlitePath(database.PlainSQLite(text), dir))
	}
}

// sqlitePath makes the path in dsn absolute: a plain path, or a URI (file:…)
// without a host. A database in memory has no path.
func sqlitePath(dsn, dir string) string {
	rest, isURI := strings.CutPrefix(dsn, "file:")
	if !isURI {
		if strings.HasPrefix(dsn, ":memory:") {
			return dsn
		}
		return absolute(dir, dsn)
	}
	path, params, _ := strings.Cut(rest, "?")
	if path == "" || path[0] == ':' || path[0] == '/' || filepath.IsAbs(path) || strings.Contains(params, "mode=memory") {
		return dsn
	}
	folder := filepath.ToSlash(dir)
	if !strings.HasPrefix(folder, "/") {
		folder = "/" + folder // C:/data is /C:/data in a URI
	}
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(folder) + "/" + strings.TrimPrefix(rest, "./")
}
