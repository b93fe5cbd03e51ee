// Package failover contains a test: four workers with a PostgreSQL primary and a standby. The
// primary dies or freezes during the work, the standby is promoted, and a ledger
// outside the database shows which items ran.
package failover
