package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	mssql "github.com/microsoft/go-mssqldb"
	"github.com/microsoft/go-mssqldb/msdsn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"botwork/internal/database"
)

// server is what a DSN says of a server, without its password.
type server struct{ host, port, database, user string }

// serverOf takes a DSN apart as its driver does; what the driver refuses is the
// zero server.
func serverOf(driver database.Driver, dsn string) server {
	switch driver {
	case database.Postgres:
		if c, err := pgx.ParseConfig(dsn); err == nil {
			return server{c.Host, fmt.Sprint(c.Port), c.Database, c.User}
		}
	case database.SQLServer:
		if c, err := msdsn.Parse(dsn); err == nil {
			s := server{c.Host, fmt.Sprint(c.Port), c.Database, c.User}
			if c.Port == 0 {
				s.port = "1433"
			}
			if c.Instance != "" {
				s.host += `\` + c.Instance
			}
			return s
		}
	}
	return server{}
}

// target names the database that a DSN means.
func target(driver database.Driver, dsn string) string {
	if driver == database.SQLite {
		if path := database.SQLitePath(dsn); path != "" {
			return path
		}
		return "a SQLite database in memory"
	}
	s := serverOf(driver, dsn)
	if s.host == "" {
		return database.SafeDSN(dsn)
	}
	if s.database == "" {
		return fmt.Sprintf("%s on %s:%s", driver, s.host, s.port)
	}
	return fmt.Sprintf("%s database %q on %s:%s", driver, s.database, s.host, s.port)
}

// explain says in plain words why a database did not answer, and what to do. It
// never shows a password.
func explain(ctx context.Context, driver database.Driver, dsn string, err error) (found, advice string) {
	err = database.Redact(err, dsn)
	s := serverOf(driver, dsn)
	if found, advice = explainLogin(s, err); found != "" {
		return found, advice
	}
	if found, advice = explainFile(dsn, err); found != "" {
		return found, advice
	}
	at := s.host + ":" + s.port
	var name *net.DNSError
	switch {
	case errors.As(err, &name):
		return fmt.Sprintf("no host called %q is known here (%s)", name.Name, name.Err), "correct the host in the DSN, or ask the administrator of the name server"
	case errors.Is(err, refused):
		return fmt.Sprintf("the machine %s answers, but nothing listens on port %s", s.host, s.port),
			"start the server, or correct the port in the DSN" + forSQLServer(driver, "; SQL Server listens only when TCP/IP is enabled in its Configuration Manager")
	case errors.Is(err, noHost), errors.Is(err, noNet):
		return "no way leads from this machine to " + at, "correct the host in the DSN, or look at the network"
	case isCertificate(err):
		return fmt.Sprintf("the certificate of %s is not trusted here: %v", at, last(err)),
			"install the certificate of its authority on this machine, or correct the host's name in the DSN so that it is the certificate's"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), ctx.Err() != nil, isTimeout(err):
		return at + " did not answer in time", "look whether the server runs and whether a firewall stands between; --timeout waits longer"
	}
	return firstLines(err.Error()), "docs/doctor.md tells what is known of such errors"
}

// explainLogin explains the answer of a server that refused the login.
func explainLogin(s server, err error) (found, advice string) {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pg.Code {
		case "28P01":
			return fmt.Sprintf("the server knows no login %q with this password", s.user), "correct user and password in the DSN"
		case "28000":
			return fmt.Sprintf("the server does not let %q in from this machine: %s", s.user, pg.Message), "correct the user, or add a line to the server's pg_hba.conf"
		case "3D000":
			return fmt.Sprintf("the server has no database %q", s.database), "correct the database's name in the DSN, or create it: CREATE DATABASE " + quoted(s.database)
		case "53300":
			return "the server has no connection left: " + pg.Message, "raise its max_connections, or lower database.pool.maxOpen of the workers"
		case "57P03":
			return "the server is starting, or shutting down: " + pg.Message, "try again in a moment"
		case "42501":
			return "the login may not do this: " + pg.Message, "grant it the right; the check rights names what the service needs"
		}
		return "the server refuses: " + pg.Message + " (" + pg.Code + ")", "docs/doctor.md tells what is known of such errors"
	}
	ms, ok := errors.AsType[mssql.Error](err)
	if !ok {
		return "", ""
	}
	switch ms.Number {
	case 4060: // comes together with 18456, and says more
		return fmt.Sprintf("the server has no database %q, or the login %q may not use it", s.database, s.user), "correct the database's name in the DSN, create it, or make a user for the login in it"
	case 18456:
		for _, e := range ms.All {
			if e.Number == 4060 {
				return explainLogin(s, e)
			}
		}
		return fmt.Sprintf("the server knows no login %q with this password", s.user), "correct user and password in the DSN; its error log tells the reason by a state number"
	case 18452:
		return "the server takes no Windows login from here", "run as an account of a domain that the server trusts, or use a SQL login"
	case 18470, 18486, 18487, 18488:
		return fmt.Sprintf("the login %q is disabled or locked, or its password has expired", s.user), "let an administrator of the server enable it"
	case 40615, 40914:
		return "the firewall of Azure SQL does not let this machine in", "add its address, or its network, to the server's firewall rules"
	case 229, 262, 297, 300:
		return "the login may not do this: " + ms.Message, "grant it the right; the check rights names what the service needs"
	}
	return fmt.Sprintf("the server refuses: %s (%d)", ms.Message, ms.Number), "docs/doctor.md tells what is known of such errors"
}

// explainFile says what is wrong with the file of a SQLite database.
func explainFile(dsn string, err error) (found, advice string) {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return "", ""
	}
	path := database.SQLitePath(dsn)
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB:
		return path + " is no SQLite database, or it is encrypted by another program", "correct database.dsn, or put the file back from a backup"
	case sqlite3.SQLITE_CORRUPT:
		return path + " is damaged: " + e.Error(), "put the file back from a backup, and look at the disk"
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return path + " cannot be opened", "let the account that runs this read and write the file and its folder"
	case sqlite3.SQLITE_READONLY:
		return path + " or the files of its journal cannot be written", "let the account that runs this write the file, those beside it that end in -wal and -shm, and its folder"
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return path + " is locked by another program for longer than 5 s", "end the program that holds it: one that copies it, or a tool with an open transaction"
	}
	return e.Error(), "docs/doctor.md tells what is known of such errors"
}

func isCertificate(err error) bool {
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, name := errors.AsType[x509.HostnameError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	_, verified := errors.AsType[*tls.CertificateVerificationError](err)
	return unknown || name || invalid || verified || strings.Contains(err.Error(), "x509: ")
}

func isTimeout(err error) bool {
	n, ok := errors.AsType[net.Error](err)
	return ok && n.Timeout()
}

// last is the innermost error, which says what the outer ones only repeat.
func last(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

func forSQLServer(driver database.Driver, text string) string {
	if driver == database.SQLServer {
		return text
	}
	return ""
}

// quoted writes a name as PostgreSQL takes it.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
