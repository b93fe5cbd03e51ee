// Package winetest tests the program as a Windows service under Wine: the real
// program for Windows, and Wine's service manager, which registers, starts and stops
// services like that of Windows. It contains only tests; they are skipped if Wine
// is not installed.
//
// Features that Wine does not have are not tested: restarts after a failure, notifications
// of a shutdown, stored events, accounts and their rights.
package winetest
