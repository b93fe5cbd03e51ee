package database

import (
	"database/sql"
	"errors"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	mssql "github.com/microsoft/go-mssqldb"
	"github.com/microsoft/go-mssqldb/azuread"
	"github.com/microsoft/go-mssqldb/msdsn"
)

// The time limits for a login, from the first packet on. An Azure AD login may contact
// other servers.
const sqlServerLoginTime, azureLoginTime = 10 * time.Second, time.Minute

// openSQLServer prepares a pool. The driver's own settings keep their defaults: "dial
// timeout" 15 s for each protocol, multisubnetfailover on, and no "connection timeout",
// which would limit every wait for an answer.
func openSQLServer(dsn string, greet Greeting) (*sql.DB, error) {
	var c *mssql.Connector
	dsn, err := named(dsn)
	if err != nil {
		return nil, err
	}
	within := sqlServerLoginTime
	if strings.Contains(strings.ToLower(dsn), "fedauth") {
		within = azureLoginTime
		c, err = azuread.NewConnector(dsn)
	} else {
		c, err = mssql.NewConnector(dsn)
	}
	if err != nil {
		return nil, err
	}
	c.Dialer = newServers(sendPrelogin)
	return sql.OpenDB(&connector{c, within, greet, isAzure(dsn)}), nil
}

// programName is the program name of sessions whose DSN has no other name. Workers use it
// to recognise each other's sessions.
const programName = "botwork"

// named adds the program's name to a DSN without one.
func named(dsn string) (string, error) {
	params, err := msdsn.Parse(dsn)
	if err != nil {
		return "", err
	}
	// This is the driver's default.
	if params.AppName != "go-mssqldb" {
		return dsn, nil
	}
	u, err := url.Parse(dsn)
	if err != nil || u.Scheme != "sqlserver" {
		return strings.TrimRight(dsn, "; ") + ";" + msdsn.AppName + "=" + programName, nil
	}
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += url.QueryEscape(msdsn.AppName) + "=" + programName
	return u.String(), nil
}

// azureDomains are the domains of Azure SQL servers in all clouds.
var azureDomains = []string{".database.windows.net", ".database.usgovcloudapi.net", ".database.chinacloudapi.cn", ".database.cloudapi.de"}

// isAzure reports whether the server of a DSN belongs to Azure SQL.
func isAzure(dsn string) bool {
	params, err := msdsn.Parse(dsn)
	return err == nil && slices.ContainsFunc(azureDomains, func(domain string) bool {
		return strings.HasSuffix(strings.ToLower(strings.TrimSuffix(params.Host, ".")), domain)
	})
}

// unavailable are the login errors by which Azure SQL reports that the database is
// temporarily unavailable: 4060 (cannot open the database; elsewhere it means that the
// database does not exist), 233 (the connection ended during the login), and socket
// errors of Windows.
var unavailable = []int32{4060, 233, 10053, 10054, 10060}

// cutOff are the same socket errors as this program receives them, on Windows and
// elsewhere: aborted, reset, timed out.
var cutOff = []syscall.Errno{10053, 10054, 10060, syscall.ECONNABORTED, syscall.ECONNRESET, syscall.ETIMEDOUT}

// UnavailableError is a login error after which Azure SQL asks clients to retry.
type UnavailableError struct{ Err error }

func (e *UnavailableError) Error() string { return e.Err.Error() }

// Unwrap returns the driver's error.
func (e *UnavailableError) Unwrap() error { return e.Err }

// loginError returns a login error in the form in which the pool returns it.
func (c *connector) loginError(err error) error {
	if err == nil || !c.azure {
		return err
	}
	ms, _ := errors.AsType[mssql.Error](err)
	errno, _ := errors.AsType[syscall.Errno](err)
	if slices.Contains(unavailable, ms.Number) || slices.Contains(cutOff, errno) {
		return &UnavailableError{err}
	}
	return err
}
