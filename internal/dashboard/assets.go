package dashboard

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
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

// loadAssets compresses the files, once in a process. The editor, by far the largest, is compressed when
// it is made: the program is smaller by two thirds of it.
var loadAssets = sync.OnceValues(func() (*assets, error) {
	a := &assets{byFile: map[string]*asset{}, byName: map[string]*asset{}}
	files, err := fs.ReadDir(assetFiles, "assets")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		file, zipped := strings.CutSuffix(f.Name(), ".gz")
		ext := path.Ext(file)
		media, ok := mediaTypes[ext]
		if !ok {
			continue
		}
		text, err := assetFiles.ReadFile("assets/" + f.Name())
		if err != nil {
			return nil, err
		}
		one := &asset{media: media, plain: text, zip: text}
		if zipped {
			one.plain, err = unzip(text)
		} else {
			one.zip, err = zip(text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		hash := sha256.Sum256(one.plain)
		one.name = strings.TrimSuffix(file, ext) + "." + hex.EncodeToString(hash[:4]) + ext
		a.byFile[file], a.byName[one.name] = one, one
	}
	return a, nil
})

func zip(text []byte) ([]byte, error) {
	var buffer bytes.Buffer
	w, err := gzip.NewWriterLevel(&buffer, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	err = w.Close()
	return buffer.Bytes(), err
}

func unzip(text []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

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
