// Package chaos torments a cluster of real workers and then compares the database
// with what the items did: processes are killed, suspended past their leases, drained
// and started again, at random, while items are enqueued all the time and, on servers, a person
// holds rows of items in open transactions. It has only tests, which `make chaos` runs for minutes,
// and BOTWORK_TEST_GROUPS=chaos for seconds.
package chaos
