// Package dashboard serves the pages with which people watch and operate the queue in a
// browser. It asks the HTTP API of the same process for everything that it shows and does, with
// the session of the browser: a page can do what the person may do, and nothing else.
//
// A page works without a script for reading. Scripts and styles are files of this server, and
// the policy of the pages forbids all others.
package dashboard
