// Package sqlstore implements the store interfaces of workqueue over SQLite, SQL Server and PostgreSQL.
//
// gorm provides the dialects of the connections, the models, the filtered listings and the writes
// of settings. The statements of the hot path, and all that move an item to another state, are
// hand-written, one file each in package sql, and run through database/sql. Each of them changes a
// batch of rows in one round trip, and its WHERE repeats the state, the worker and the fence that
// it relies on. No statement needs a lock hint to be correct.
//
// SQLite has two pools on one file: a single connection for writing, so that writers wait in
// the process instead of failing on the file lock, and readers for listings.
package sqlstore
