package database

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// certainSchemes are the schemes of DSNs, by which the engine is certain.
var certainSchemes = map[string]Driver{
	"postgres": Postgres, "postgresql": Postgres, "sqlserver": SQLServer, "odbc": SQLServer, "sqlite": SQLite, "sqlite3": SQLite, "file": SQLite,
}

// pairKeys are the keys of "key=value" DSNs. Those of one engine alone are certain.
var pairKeys = map[string]Driver{
	"host": Postgres, "hostaddr": Postgres, "dbname": Postgres, "sslmode": Postgres, "sslcert": Postgres, "sslkey": Postgres, "sslrootcert": Postgres,
	"sslpassword": Postgres, "passfile": Postgres, "service": Postgres, "servicefile": Postgres, "target_session_attrs": Postgres,
	"connect_timeout": Postgres, "application_name": Postgres, "search_path": Postgres,

	"server": SQLServer, "data source": SQLServer, "address": SQLServer, "addr": SQLServer, "network address": SQLServer, "initial catalog": SQLServer,
	"user id": SQLServer, "uid": SQLServer, "pwd": SQLServer, "integrated security": SQLServer, "trusted_connection": SQLServer,
	"encrypt": SQLServer, "trustservercertificate": SQLServer, "trust server certificate": SQLServer, "fedauth": SQLServer, "app name": SQLServer,
	"applicationintent": SQLServer, "failoverpartner": SQLServer,

	"user": "", "password": "", "database": "", "port": "",
}

// pairKey matches the possible keys of a "key=value" DSN.
var pairKey = lazily(`(?i)(?:^|[;\s])\s*([a-z_]+(?: (?:id|source|address|catalog|security|server certificate|certificate|name))?)\s*=`)

// DriverOf returns the engine whose form dsn has: that of its scheme, else that of its keys,
// else SQLite, because the text may be a path. It is certain if no other engine has the form.
func DriverOf(dsn string) (driver Driver, certain bool) {
	dsn = strings.TrimSpace(dsn)
	if scheme, _, ok := strings.Cut(dsn, ":"); ok {
		if driver, known := certainSchemes[strings.ToLower(scheme)]; known {
			return driver, true
		}
	}
	found := false
	if strings.Contains(dsn, "=") && !strings.Contains(dsn, "://") {
		for _, m := range pairKey().FindAllStringSubmatch(SafeDSN(dsn), -1) { // a password may contain anything
			driver, known := pairKeys[strings.ToLower(m[1])]
			if driver != "" {
				return driver, true
			}
			found = found || known
		}
	}
	switch {
	case found && strings.Contains(dsn, ";"):
		return SQLServer, false
	case found:
		return Postgres, false
	}
	return SQLite, false
}

// loginForm matches a login before a host, such as "bot:password@db". The letter of a drive
// is no user.
var loginForm = regexp.MustCompile(`^[^/\\:@\s]{2,}:[^@]*@`)

// checkForm returns an error if the form of dsn contradicts the engine. A DSN of a server must
// not become the name of a SQLite file, which would contain its password.
func checkForm(driver Driver, dsn string) error {
	has, certain := DriverOf(dsn)
	switch {
	case has != driver && certain:
		return fmt.Errorf("the driver is %s, but the DSN has the form of %s: %s", driver, has, SafeDSN(dsn))
	case driver != SQLite:
		return nil
	case has != SQLite, !certain && (strings.Contains(dsn, "://") || loginForm.MatchString(strings.TrimSpace(dsn))), secretPair().MatchString(dsn):
		return fmt.Errorf("the driver is sqlite, but the DSN looks like that of a server: %s; want the path of a file, or the driver sqlserver or postgres", SafeDSN(dsn))
	case strings.ContainsAny(dsn, "\x00\n\r"):
		return errors.New("the path of the SQLite file contains a line break or NUL")
	}
	return nil
}

// PlainSQLite returns a SQLite DSN with the scheme sqlite: as the URI (file:…) that SQLite
// understands, and others as they are.
func PlainSQLite(dsn string) string {
	scheme, rest, ok := strings.Cut(dsn, ":")
	if !ok || strings.EqualFold(scheme, "file") || certainSchemes[strings.ToLower(scheme)] != SQLite {
		return dsn
	}
	if path, ok := strings.CutPrefix(rest, "//"); ok && !strings.HasPrefix(path, "/") {
		rest = path // a relative path, not a host
	}
	return "file:" + rest
}
