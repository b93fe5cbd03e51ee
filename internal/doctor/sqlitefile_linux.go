package doctor

import (
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// shares are network file systems, by their Linux file system type.
var shares = map[int64]string{
	unix.NFS_SUPER_MAGIC: "NFS", unix.SMB_SUPER_MAGIC: "SMB", unix.SMB2_SUPER_MAGIC: "SMB", unix.CIFS_SUPER_MAGIC: "CIFS",
	unix.AFS_SUPER_MAGIC: "AFS", unix.CODA_SUPER_MAGIC: "Coda", unix.NCP_SUPER_MAGIC: "NCP", unix.CEPH_SUPER_MAGIC: "Ceph",
}

// maybeRemote are file systems that may be on another machine.
var maybeRemote = map[int64]string{unix.FUSE_SUPER_MAGIC: "a FUSE file system", unix.V9FS_MAGIC: "a 9P file system"}

// remoteShare returns the type of the network file system of a folder; "" if it is local. sure is
// false if the file system may be local.
func remoteShare(folder string) (share string, sure bool) {
	var fs unix.Statfs_t
	if err := unix.Statfs(folder, &fs); err != nil {
		return "", false
	}
	return shareType(int64(fs.Type)) //nolint:unconvert // narrower on other architectures
}

func shareType(kind int64) (share string, sure bool) {
	if name := shares[kind&0xffffffff]; name != "" {
		return "a network share (" + name + ")", true
	}
	return maybeRemote[kind&0xffffffff], false
}

// mayWriteFile does not open the file, because closing it would release the locks that SQLite
// holds on it in this process.
func mayWriteFile(path string) error {
	if err := unix.Faccessat(unix.AT_FDCWD, path, unix.W_OK, unix.AT_EACCESS); err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, &fs.PathError{Op: "access", Path: path, Err: err})
	}
	return nil
}
