//go:build race

package sqlstore_test

func init() { finishedRows = 40_000 }
