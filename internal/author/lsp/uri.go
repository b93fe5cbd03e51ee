package lsp

import (
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// pathOf returns the path of a file URI. It returns false for other URIs, such as that of
// a text that was never saved.
func pathOf(uri string) (string, bool) { return pathFor(uri, runtime.GOOS == "windows") }

func pathFor(uri string, windows bool) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || !strings.EqualFold(u.Scheme, "file") || u.Path == "" {
		return "", false
	}
	path := u.Path
	if !windows {
		if u.Host != "" && u.Host != "localhost" {
			return "", false
		}
		return filepath.Clean(path), true
	}
	switch {
	case u.Host != "" && u.Host != "localhost":
		path = "//" + u.Host + path
	case hasDrive(strings.TrimPrefix(path, "/")):
		// Editors write the drive as c: or C:, and the colon as %3A.
		path = strings.ToUpper(path[1:2]) + path[2:]
	default:
		return "", false
	}
	return strings.ReplaceAll(path, "/", `\`), true
}

func hasDrive(path string) bool {
	return len(path) >= 2 && path[1] == ':' && (path[0]|0x20 >= 'a' && path[0]|0x20 <= 'z')
}

// uriOf returns the URI of an absolute path.
func uriOf(path string) string { return uriFor(path, runtime.GOOS == "windows") }

func uriFor(path string, windows bool) string {
	if !windows {
		return (&url.URL{Scheme: "file", Path: path}).String()
	}
	path = strings.ReplaceAll(path, `\`, "/")
	if rest, ok := strings.CutPrefix(path, "//"); ok {
		host, rest, _ := strings.Cut(rest, "/")
		return (&url.URL{Scheme: "file", Host: host, Path: "/" + rest}).String()
	}
	return (&url.URL{Scheme: "file", Path: "/" + path}).String()
}

// fileKey returns the same key for all names of a file. On Windows, names are not
// case-sensitive.
func fileKey(path string) string {
	if runtime.GOOS == "windows" {
		return strings.ToLower(path)
	}
	return path
}
