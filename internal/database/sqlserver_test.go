package database

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"

	mssql "github.com/microsoft/go-mssqldb"
	"github.com/microsoft/go-mssqldb/msdsn"
)

func TestSessionsOnSQLServerHaveAName(t *testing.T) {
	for _, c := range []struct{ dsn, want string }{
		{"sqlserver://sa:p%40ss%2Fw;rd@db:1433?database=q", "botwork"},
		{"sqlserver://sa:p%40ss@db", "botwork"},
		{"sqlserver://sa:p%40ss@db/instance?app+name=mine&database=q", "mine"},
		{"server=db;user id=sa;password=p@ss;database=q", "botwork"},
		{"server=db;user id=sa;password=p@ss;database=q; ", "botwork"},
		{"server=db;user id=sa;password=p@ss;application name=mine", "mine"},
		{"odbc:server=db;user id=sa;password={p;s};database=q", "botwork"},
	} {
		before, err := msdsn.Parse(c.dsn)
		if err != nil {
			t.Fatal(err)
		}
		dsn, err := named(c.dsn)
		if err != nil {
			t.Fatal(err)
		}
		after, err := msdsn.Parse(dsn)
		if err != nil {
			t.Errorf("%s becomes %s: %v", c.dsn, dsn, err)
			continue
		}
		if after.AppName != c.want {
			t.Errorf("%s: the program is %q, want %q", c.dsn, after.AppName, c.want)
		}
		if after.Host != before.Host || after.User != before.User || after.Password != before.Password || after.Database != before.Database || after.Instance != before.Instance {
			t.Errorf("%s becomes %s, which names another server, user, password or database", c.dsn, dsn)
		}
	}
	if _, err := named("sqlserver://db:port"); err == nil {
		t.Error("no error for an invalid DSN")
	}
}

// TestAzureLoginErrorsAreRetried also checks other servers: there 4060 means that the
// database does not exist, and waiting does not help.
func TestAzureLoginErrorsAreRetried(t *testing.T) {
	sqlError := func(number int32) error { return mssql.Error{Number: number, Message: "refused"} }
	socket := func(errno syscall.Errno) error {
		return fmt.Errorf("refused: %w", &net.OpError{Op: "read", Err: errno})
	}
	for _, c := range []struct {
		dsn  string
		err  error
		want bool
	}{
		{"sqlserver://u:p@mine.database.windows.net?database=q", sqlError(4060), true},
		{"server=MINE.DATABASE.WINDOWS.NET;user id=u;password=p", sqlError(10054), true},
		{"sqlserver://u:p@mine.database.chinacloudapi.cn", sqlError(233), true},
		{"sqlserver://u:p@mine.database.windows.net?database=q", sqlError(18456), false},
		{"sqlserver://u:p@mine.database.windows.net", socket(syscall.ECONNRESET), true},
		{"sqlserver://u:p@mine.database.windows.net", socket(10060), true},
		{"sqlserver://u:p@mine.database.windows.net", socket(syscall.ECONNREFUSED), false},
		{"sqlserver://u:p@db?database=q", sqlError(4060), false},
		{"sqlserver://u:p@db?database=q", socket(syscall.ECONNRESET), false},
		{"sqlserver://u:p@database.windows.net.example.com", sqlError(4060), false},
	} {
		err := (&connector{azure: isAzure(c.dsn)}).loginError(c.err)
		_, got := errors.AsType[*UnavailableError](err)
		if got != c.want || !strings.Contains(err.Error(), "refused") {
			t.Errorf("%s: %v is retried: %t, want %t", c.dsn, c.err, got, c.want)
		}
	}
	if err := (&connector{azure: true}).loginError(nil); err != nil {
		t.Errorf("no error becomes %v", err)
	}
}
