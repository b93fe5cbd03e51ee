package doctor

import (
	"crypto/x509"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	mssql "github.com/microsoft/go-mssqldb"

	"botwork/internal/database"
)

// Errors that the servers of the tests do not return.
func TestExplain(t *testing.T) {
	const postgres, sqlserver = "postgres://bot:hunter2@db.example.com/work", "sqlserver://bot:hunter2@db.example.com?database=work"
	for _, c := range []struct {
		dsn    string
		err    error
		found  string
		advice string
	}{
		{postgres, &net.DNSError{Name: "db.example.com", Err: "no such host", IsNotFound: true}, `cannot resolve the host name "db.example.com"`, "correct the host"},
		{postgres, x509.UnknownAuthorityError{}, "the certificate of db.example.com:5432 is not trusted", "authority"},
		{postgres, &pgconn.PgError{Code: "53300", Message: "sorry, too many clients already"}, "no free connections", "max_connections"},
		{postgres, &pgconn.PgError{Code: "57P03", Message: "the database system is starting up"}, "starting", "try again"},
		{postgres, &pgconn.PgError{Code: "XX000", Message: "odd"}, "the server returned an error: odd (XX000)", ""},
		{postgres, fmt.Errorf("cannot parse hunter2"), "<secret>", ""},
		{sqlserver, mssql.Error{Number: 18456, Message: "Login failed for user 'bot'."}, `login "bot" failed`, "error log"},
		{sqlserver, mssql.Error{Number: 18456, All: []mssql.Error{{Number: 4060}, {Number: 18456}}}, `no database "work", or the login "bot" may not use it`, "make a user"},
		{sqlserver, mssql.Error{Number: 4060}, `no database "work"`, "create it"},
		{sqlserver, mssql.Error{Number: 18452}, "no Windows login", "domain"},
		{sqlserver, mssql.Error{Number: 18486}, `"bot" is disabled or locked`, "administrator"},
		{sqlserver, mssql.Error{Number: 40615}, "firewall of Azure SQL", "firewall rules"},
		{sqlserver, mssql.Error{Number: 229, Message: "The SELECT permission was denied"}, "SELECT permission", "grant"},
		{sqlserver, mssql.Error{Number: 1, Message: "odd"}, "the server returned an error: odd (1)", ""},
	} {
		driver := database.Driver(c.dsn[:strings.IndexByte(c.dsn, ':')])
		found, advice := explain(t.Context(), driver, c.dsn, fmt.Errorf("connect: %w", c.err))
		if !strings.Contains(found, c.found) || !strings.Contains(advice, c.advice) || strings.Contains(found+advice, "hunter2") {
			t.Errorf("%v:\n got %s\n     %s\nwant %s\n     %s", c.err, found, advice, c.found, c.advice)
		}
	}
}

func TestTarget(t *testing.T) {
	for dsn, want := range map[string]string{
		"postgres://bot:hunter2@db:5433/work":                  `postgres database "work" on db:5433`,
		"sqlserver://bot:hunter2@db?database=work":             `sqlserver database "work" on db:1433`,
		`sqlserver://bot:hunter2@db:1500/SQLEXPRESS`:           `sqlserver on db\SQLEXPRESS:1500`,
		"sqlserver://bot:hunter2@db:nonsense?database=a":       "sqlserver://bot:<secret>@db:nonsense?database=a",
		"sqlserver://db?database=work&fedauth=ActiveDirectory": `sqlserver database "work" on db:1433`,
	} {
		if got := target(database.Driver(dsn[:strings.IndexByte(dsn, ':')]), dsn); got != want {
			t.Errorf("target(%s) = %s, want %s", dsn, got, want)
		}
	}
	for dsn, want := range map[string]string{
		"/var/lib/a b.db": "/var/lib/a b.db", "file:/var/a%20b.db?mode=ro": "/var/a b.db", "file:///var/x.db": "/var/x.db",
		":memory:": "", "file::memory:": "", "file:x?mode=memory&cache=shared": "",
	} {
		if got := database.SQLitePath(dsn); got != want {
			t.Errorf("database.SQLitePath(%s) = %q, want %q", dsn, got, want)
		}
	}
}
