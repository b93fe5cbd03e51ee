package reload

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// coarse is the coarsest step of a file system's times: a file that was changed so
// shortly before it was looked at may change again without another time.
const coarse = 3 * time.Second

// fingerprint tells, without reading the files, whether a folder is as it was.
type fingerprint struct {
	text    string
	young   bool // some file is too young for its time to tell
	folders []string
}

// take looks at the folder and all below it, and lists the folders.
func take(dir string, now time.Time) (fingerprint, error) {
	var f fingerprint
	var text strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			if path == dir {
				return err
			}
			text.WriteString(path + " " + err.Error() + "\n") // ReadDir tells of it
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
		info, err := os.Stat(path) // what a link leads to
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
