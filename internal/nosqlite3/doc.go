// Package sqlite3 stands in for the cgo driver of SQLite, which gorm's dialect
// imports for the side effect of registering itself. Botwork gives the dialect
// a connection of the pure Go driver and never uses the other; without this
// stand-in every build with the race detector compiles SQLite's C for a minute.
package sqlite3
