package reload

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// coarse is the coarsest resolution of file times. A file that was modified less than this
// before it was read may change again and keep the same time.
const coarse = 3 * time.Second

// fingerprint shows whether a folder has changed, without reading its files.
type fingerprint struct {
	text    string
	young   bool // some file is so new that it may change again and keep its time
	folders []string
}

// takeFingerprint lists the files and folders below dir.
func takeFingerprint(dir string, now time.Time) (fingerprint, error) {
	var f fingerprint
	var text strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			if path == dir {
				return err
			}
			text.WriteString(path + " " + err.Error() + "\n") // ReadDir reports it
			return nil
		}
		if entry.IsDir() {
			if path != dir && strings.HasPrefix(entry.Name(), ".") {
				return fs.SkipDir // such as .git
			}
			f.folders = append(f.folders, path)
			return nil
		}
		if ext := strings.ToLower(filepath.Ext(path)); ext != ".yaml" && ext != ".yml" {
			return nil
		}
		info, err := os.Stat(path) // the target of a link
		if err != nil {
			text.WriteString(path + " " + err.Error() + "\n")
			return nil
		}
		fmt.Fprintf(&text, "%s %d %d\n", path, info.ModTime().UnixNano(), info.Size())
		f.young = f.young || now.Sub(info.ModTime()) < coarse
		return nil
	})
	f.text = text.String()
	return f, err
}
