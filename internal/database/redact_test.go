package database_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"botwork/internal/database"
)

func TestSafeDSN(t *testing.T) {
	for _, c := range []struct{ name, dsn, want string }{
		{"nothing to hide", "botwork.db", "botwork.db"},
		{"sqlite uri", "file:data/botwork.db?mode=ro", "file:data/botwork.db?mode=ro"},
		{"empty", "", ""},

		{"url", "postgres://bot:hunter2@db:5432/work?sslmode=disable", "postgres://bot:<secret>@db:5432/work?sslmode=disable"},
		{"url without a password", "postgres://bot@db/work", "postgres://bot@db/work"},
		{"url without a user", "sqlserver://db:1433?database=work", "sqlserver://db:1433?database=work"},
		{"url with escapes", "postgres://bot:h%40unter%2F2@db/work", "postgres://bot:<secret>@db/work"},
		{"url with an at sign", "postgres://bot:h@unter2@db/work", "postgres://bot:<secret>@db/work"},
		{"url with a slash", "postgres://bot:12/hunter2@db/work", "postgres://bot:<secret>@db/work"},
		{"url with a number sign", "postgres://bot:hun#ter2@db/work", "postgres://bot:<secret>@db/work"},
		{"url with a percent sign", "postgres://bot:hun%ter2@db/work", "postgres://bot:<secret>@db/work"},
		{"url with a question mark", "postgres://bot:12?hunter2@db/work", "postgres://<secret>"},
		{"url with a password parameter", "postgres://db/work?user=bot&password=hunter2&sslmode=disable", "postgres://db/work?user=bot&password=<secret>&sslmode=disable"},
		{"url with a user that is an address", "sqlserver://db?fedauth=ActiveDirectoryPassword&user+id=bot@example.com&Password=hunter2", "sqlserver://db?fedauth=ActiveDirectoryPassword&user+id=bot@example.com&Password=<secret>"},
		{"url with a key password", "postgres://db/work?sslpassword=hunter2", "postgres://db/work?sslpassword=<secret>"},

		{"ado", "Server=db;User Id=bot;Password=hunter2;Database=work", "Server=db;User Id=bot;Password=<secret>;Database=work"},
		{"ado at the end", "server=db;pwd=hunter2;", "server=db;pwd=<secret>;"},
		{"ado with spaces and special characters", "server=db;password = hun ter&2=x ;database=work", "server=db;password = <secret>;database=work"},
		{"ado in quotes", `server=db;password="hun"";ter2";database=work`, `server=db;password=<secret>;database=work`},
		{"odbc in braces", "odbc:server=db;pwd={hun}};ter2};database=work", "odbc:server=db;pwd=<secret>;database=work"},
		{"windows login", "server=db;database=work;integrated security=sspi", "server=db;database=work;integrated security=sspi"},

		{"url after a space", " postgres://bot:hunter2@db/work", " postgres://bot:<secret>@db/work"},
		{"url in quotes", `"postgres://bot:hunter2@db/work"`, `"postgres://bot:<secret>@db/work"`},
		{"url with several hosts", "postgres://bot:hunter2@db1:5432,db2:5433/work", "postgres://bot:<secret>@db1:5432,db2:5433/work"},
		{"url with several hosts and no login", "postgres://db1:5432,[::1]:5433/work", "postgres://db1:5432,[::1]:5433/work"},
		{"url without a host", "postgres://bot:hunter2/work", "postgres://bot:<secret>"},
		{"url with a number as password and no at sign", "postgres://bot:12?b=c@db/work", "postgres://<secret>"},
		{"url with an ampersand", "postgres://db/work?password=hun&ter2&sslmode=disable", "postgres://db/work?password=<secret>&sslmode=disable"},
		{"url with an escaped name", "postgres://db/work?pass%77ord=hunter2", "postgres://db/work?pass%77ord=<secret>"},
		{"url with pwd", "sqlserver://db?user+id=bot&PWD=hunter2", "sqlserver://db?user+id=bot&PWD=<secret>"},
		{"url with pass", "mysql://db?pass=hunter2", "mysql://db?pass=<secret>"},
		{"url with an access token", "sqlserver://db?access+token=hunter2&database=work", "sqlserver://db?access+token=<secret>&database=work"},
		{"url with pairs", "jdbc:sqlserver://db:1433;user=bot;password=hunter2;encrypt=true", "jdbc:sqlserver://db:1433;user=bot;password=<secret>;encrypt=true"},
		{"url with a semicolon between parameters", "sqlserver://db?user id=bot;password=hunter2", "sqlserver://db?user id=bot;password=<secret>"},
		{"login without a scheme", "bot:hunter2@tcp(db:3306)/work", "bot:<secret>@tcp(db:3306)/work"},
		{"scheme without slashes", "postgres:bot:hunter2@db/work", "postgres:<secret>@db/work"},
		{"path with an at sign", "file:data/me@home.db", "file:data/me@home.db"},
		{"path of windows", `C:\data\me@home.db`, `C:\data\me@home.db`},
		{"quote inside", `host=db password='hun'ter2 dbname=work`, `host=db password=<secret> dbname=work`},

		{"libpq", "host=db user=bot password=hunter2 dbname=work", "host=db user=bot password=<secret> dbname=work"},
		{"libpq in quotes", `host=db password='hun\'ter 2' dbname=work`, `host=db password=<secret> dbname=work`},
		{"libpq with a semicolon", "host=db password=hun;ter2 dbname=work", "host=db password=<secret> dbname=work"},
		{"libpq with an escaped space", `host=db password=hun\ ter2 dbname=work`, `host=db password=<secret> dbname=work`},
		{"libpq with two", "password=hunter2 sslpassword=hunter3 host=db", "password=<secret> sslpassword=<secret> host=db"},
		{"unknown name after it", "password=hunter2 nobody=knows", "password=<secret>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := database.SafeDSN(c.dsn)
			if got != c.want {
				t.Errorf("SafeDSN(%q) = %q, want %q", c.dsn, got, c.want)
			}
			if again := database.SafeDSN(got); again != got {
				t.Errorf("SafeDSN of its result = %q, want it unchanged", again)
			}
		})
	}
}

func TestPasswords(t *testing.T) {
	for dsn, want := range map[string][]string{
		"botwork.db":                              nil,
		"postgres://bot@db/work":                  nil,
		"postgres://bot:h%40unter%2F2@db/work":    {"h%40unter%2F2", "h@unter/2"},
		"postgres://db/work?password=a+b%2Fc":     {"a b/c"},
		"server=db;password=\"hun\"\"ter2\"":      {`hun"ter2`},
		"host=db password=one sslpassword='t wo'": {"one", "t wo", "t+wo"},
	} {
		got := database.Passwords(dsn)
		for _, password := range want {
			if !slices.Contains(got, password) {
				t.Errorf("Passwords(%s) = %q, want %q among them", dsn, got, password)
			}
		}
		if want == nil && got != nil {
			t.Errorf("Passwords(%s) = %q, want none", dsn, got)
		}
	}
}

func TestRedact(t *testing.T) {
	cause := errors.New("refused")
	for _, c := range []struct{ name, dsn, text, want string }{
		{"whole dsn", "postgres://bot:hunter2@db/work", "dial postgres://bot:hunter2@db/work", "dial postgres://bot:<secret>@db/work: refused"},
		{"password alone", "postgres://bot:h%40unter@db/work", "bad password h@unter or h%40unter", "bad password <secret> or <secret>: refused"},
		{"password from quotes", `host=db password='hun\'ter'`, "no hun'ter here", "no <secret> here: refused"},
		{"password from ado", `server=db;password="hun""ter"`, `no hun"ter here`, "no <secret> here: refused"},
		{"part of the password", "postgres://bot:12/hunter2@db/work", `invalid port ":12" in "db"`, `invalid port "<secret>" in "db": refused`},
		{"short password", "server=db;password=ab", "cannot open the table", "cannot open the table: refused"},
		{"another dsn", "botwork.db", "parse password=hunter2 host=db", "parse password=<secret> host=db: refused"},
		{"nothing to hide", "botwork.db", "open botwork.db", "open botwork.db: refused"},
		{"no dsn", "", "dial", "dial: refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := database.Redact(fmt.Errorf("%s: %w", c.text, cause), c.dsn)
			if got.Error() != c.want {
				t.Errorf("Redact = %q, want %q", got, c.want)
			}
			if !errors.Is(got, cause) {
				t.Error("the redacted error does not unwrap to its cause")
			}
		})
	}
	if err := database.Redact(nil, "x"); err != nil {
		t.Errorf("Redact(nil) = %v", err)
	}
}

func TestCheckDSN(t *testing.T) {
	for _, c := range []struct {
		driver database.Driver
		dsn    string
		ok     bool
	}{
		{database.SQLite, "botwork.db", true},
		{database.SQLite, "", false},
		{database.Postgres, "postgres://bot:hunter2@db/work", true},
		{database.Postgres, "host=db user=bot password=hunter2 sslmode=disable", true},
		{database.Postgres, "postgres://bot:hunter2@db:port/work", false},
		{database.Postgres, "host=db password=hunter2 port=many", false},
		{database.SQLServer, "sqlserver://bot:hunter2@db?database=work", true},
		{database.SQLServer, "server=db;integrated security=sspi", true},
		{database.SQLServer, "sqlserver://db?fedauth=ActiveDirectoryDefault", true},
		{database.SQLServer, "sqlserver://bot:hunter2@db?encrypt=perhaps", false},
		{database.SQLServer, "sqlserver://bot:hunter2@db:port", false},
		{database.SQLServer, "sqlserver://bot:hunter2@db?fedauth=Nonsense", false},
		{database.SQLite, "postgres://bot:hunter2@db/work", false},
		{database.SQLite, "mysql://bot:hunter2@db/work", false},
		{database.SQLite, "bot:hunter2@db/work", false},
		{database.SQLite, "server=db;pwd=hunter2", false},
		{database.SQLite, "password=hunter2", false},
		{database.SQLite, "file:botwork.db?password=hunter2", false},
		{database.SQLite, "sqlite:botwork.db", true},
		{database.SQLite, `C:\data\me@home.db`, true},
		{database.SQLite, "data/a=b.db", true},
		{database.SQLite, "a\nb", false},
		{database.Postgres, "sqlserver://bot:hunter2@db", false},
		{database.Postgres, "server=db;user id=bot;password=hunter2", false},
		{database.SQLServer, "host=db password=hunter2", false},
		{database.SQLServer, "file:botwork.db", false},
		{"oracle", "x", false},
	} {
		err := database.CheckDSN(c.driver, c.dsn)
		if (err == nil) != c.ok {
			t.Errorf("CheckDSN(%s, %q) = %v, want ok %t", c.driver, c.dsn, err, c.ok)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("CheckDSN(%s) shows the password: %v", c.driver, err)
		}
	}
}
