// Package winetest tests the program as a service of Windows, under Wine: the real
// program for Windows, and Wine's service manager, which registers, starts and stops
// services as that of Windows does. It holds nothing but tests; they are skipped where
// Wine is not.
//
// What Wine cannot show is not tested: restarts after a failure, notices of a shutdown,
// stored events, accounts and their rights.
package winetest
