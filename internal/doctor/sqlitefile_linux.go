package doctor

import (
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// shares are file systems of other machines, by the number that Linux gives them.
var shares = map[int64]string{
	unix.NFS_SUPER_MAGIC: "NFS", unix.SMB_SUPER_MAGIC: "SMB", unix.SMB2_SUPER_MAGIC: "SMB", unix.CIFS_SUPER_MAGIC: "CIFS",
	unix.AFS_SUPER_MAGIC: "AFS", unix.CODA_SUPER_MAGIC: "Coda", unix.NCP_SUPER_MAGIC: "NCP", unix.CEPH_SUPER_MAGIC: "Ceph",
}

// doubtful are those that may be.
var doubtful = map[int64]string{unix.FUSE_SUPER_MAGIC: "a FUSE file system", unix.V9FS_MAGIC: "a 9P file system"}

// remoteShare says what sort of file system of another machine a folder is on;
// "" for none. Where that is not sure, sure is false.
func remoteShare(folder string) (share string, sure bool) {
	var fs unix.Statfs_t
	if err := unix.Statfs(folder, &fs); err != nil {
		return "", false
	}
	return judgeShare(int64(fs.Type)) //nolint:unconvert // narrower on other machines
}

func judgeShare(kind int64) (share string, sure bool) {
	if name := shares[kind&0xffffffff]; name != "" {
		return "a network share (" + name + ")", true
	}
	return doubtful[kind&0xffffffff], false
}

// mayWriteFile asks without opening the file: closing it again would take away
// the locks that SQLite holds on it in this process.
func mayWriteFile(path string) error {
	if err := unix.Faccessat(unix.AT_FDCWD, path, unix.W_OK, unix.AT_EACCESS); err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, &fs.PathError{Op: "access", Path: path, Err: err})
	}
	return nil
}
