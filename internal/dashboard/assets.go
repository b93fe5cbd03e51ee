package dashboard

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

//go:embed assets
var assetFiles embed.FS

// assetPrefix begins the paths of the files of pages.
const assetPrefix = "/assets/"

// asset is a file of the pages. Its name has a hash of its text, so browsers may keep it forever.
type asset struct {
	name       string // such as base.0a1b2c3d.css
	media      string
	plain, zip []byte
}

// assets are the files by the path with which pages name them.
type assets struct {
	byFile map[string]*asset // base.css
	byName map[string]*asset // base.0a1b2c3d.css
}

var mediaTypes = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

// loadAssets compresses the files, once in a process.
var loadAssets = sync.OnceValues(func() (*assets, error) {
	a := &assets{byFile: map[string]*asset{}, byName: map[string]*asset{}}
	files, err := fs.ReadDir(assetFiles, "assets")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		media, ok := mediaTypes[path.Ext(f.Name())]
		if !ok {
			continue
		}
		text, err := assetFiles.ReadFile("assets/" + f.Name())
		if err != nil {
			return nil, err
		}
		hash := sha256.Sum256(text)
		ext := path.Ext(f.Name())
		one := &asset{name: strings.TrimSuffix(f.Name(), ext) + "." + hex.EncodeToString(hash[:4]) + ext, media: media, plain: text}
		var buffer bytes.Buffer
		w, err := gzip.NewWriterLevel(&buffer, gzip.BestCompression)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(text); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		one.zip = buffer.Bytes()
		a.byFile[f.Name()], a.byName[one.name] = one, one
	}
	return a, nil
})

// path returns the path of a file for a page.
func (a *assets) path(file string) (string, error) {
	one := a.byFile[file]
	if one == nil {
		return "", fmt.Errorf("no asset %q", file)
	}
	return assetPrefix + one.name, nil
}

// ServeHTTP serves a file by its hashed name. Files have nothing secret, so they need no session.
func (a *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	one := a.byName[strings.TrimPrefix(r.URL.Path, assetPrefix)]
	if one == nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", one.media)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Vary", "Accept-Encoding")
	text := one.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		text = one.zip
	}
	h.Set("Content-Length", strconv.Itoa(len(text)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(text)
	}
}
