package doctor

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const nobody = 65534

// asNobody calls do with the rights of a user that owns no files. It changes only the rights in
// the file system, and only those of one thread, which ends afterwards.
func asNobody(t *testing.T, do func()) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if os.Geteuid() == 0 {
			if err := unix.Setfsuid(nobody); err != nil {
				done <- err
				return
			}
		}
		do()
		done <- nil
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// openFolder returns a folder that all users may enter, unlike t.TempDir.
func openFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "botwork-doctor") //nolint:usetesting // other users may not enter t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	chmod(t, dir, 0o755)
	return dir
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func TestFoldersOfAnotherUser(t *testing.T) {
	dir := openFolder(t)
	chmod(t, dir, 0o555)
	t.Cleanup(func() { chmod(t, dir, 0o755) })
	file := filepath.Join(dir, "..", filepath.Base(dir)+".db")
	if err := os.WriteFile(file, nil, 0o400); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(file) })
	d := New(Options{Pipelines: dir, Folders: []string{dir}, Log: filepath.Join(dir, "logs", "deep")})
	var results []Result
	var write error
	asNobody(t, func() {
		results = d.folders(t.Context())
		write = mayWriteFile(file)
	})
	wantResult(t, "pipelines", results[0], OK, "readable")
	wantResult(t, "data", results[1], Fault, "not writable", "cannot create a file in "+dir+": permission denied", "allow the account that runs this to use it")
	wantResult(t, "log", results[2], Warning, "permission denied")
	if write == nil || !strings.Contains(write.Error(), "cannot be written: ") {
		t.Errorf("mayWriteFile of a file for reading: %v", write)
	}
	wantResult(t, "missing", New(Options{Pipelines: dir + "/none"}).folders(t.Context())[0], Fault, "create the folder")
	wantResult(t, "a file", New(Options{Pipelines: dir, Folders: []string{file}}).folders(t.Context())[1], Fault, "is a file")
}

// A read-only file system refuses root as well.
func TestReadOnlyFileSystem(t *testing.T) {
	var s unix.Statfs_t
	const folder = "/sys"
	if err := unix.Statfs(folder, &s); err != nil || s.Flags&unix.ST_RDONLY == 0 {
		t.Skipf("%s is not mounted read-only on this machine", folder)
	}
	wantResult(t, folder, New(Options{Pipelines: folder, Folders: []string{folder}}).folders(t.Context())[1], Fault, "mounted read-only")
}

// The rights of another account are determined by owners and modes, including those of the folders
// above.
func TestMayUse(t *testing.T) {
	dir := openFolder(t)
	service := account{name: "nobody"}
	inner := filepath.Join(dir, "inner")
	if err := os.Mkdir(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		outer, mode, want os.FileMode
		text              string // "" if the account may
	}{
		{0o755, 0o755, toRead, ""},
		{0o755, 0o755, toWrite, inner + " has the mode"},
		{0o755, 0o777, toWrite, ""},
		{0o755, 0o776, toWrite, inner + " has the mode"}, // it may not enter it
		{0o700, 0o777, toWrite, dir + " has the mode"},
	} {
		chmod(t, dir, c.outer)
		chmod(t, inner, c.mode)
		err := service.mayUse(inner, c.want)
		if (err == nil) != (c.text == "") || err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%o/%o for %o: %v, want %q", c.outer, c.mode, c.want, err, c.text)
		}
	}
	chmod(t, dir, 0o755)
	if err := (account{name: "root"}).mayUse(inner, toWrite); err != nil {
		t.Errorf("root: %v", err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(inner, nobody, 0); err != nil {
			t.Fatal(err)
		}
		chmod(t, inner, 0o700)
		if err := service.mayUse(inner, toWrite); err != nil {
			t.Errorf("the owner: %v", err)
		}
	}
	d := New(Options{Pipelines: dir, Folders: []string{dir}})
	d.account = service
	results := d.folders(t.Context())
	wantResult(t, "pipelines", results[0], OK, "readable for nobody")
	wantResult(t, "data", results[1], Fault, "allow nobody to use it")
}

func TestOpenToOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keyset.json")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[os.FileMode]string{0o600: "", 0o640: "", 0o644: "everyone on this machine", 0o660: "its group, which may even change it"} {
		chmod(t, path, mode)
		got, err := openToOthers(path)
		if err != nil || (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("mode %o: %q, %v, want %q", mode, got, err, want)
		}
	}
}

func TestShareType(t *testing.T) {
	for kind, want := range map[int64]struct {
		share string
		sure  bool
	}{
		unix.NFS_SUPER_MAGIC: {"a network share (NFS)", true}, unix.CIFS_SUPER_MAGIC: {"a network share (CIFS)", true},
		// As on a 32-bit machine.
		int64(int32(unix.SMB2_SUPER_MAGIC - 1<<32)): {"a network share (SMB)", true},
		unix.FUSE_SUPER_MAGIC:                       {"a FUSE file system", false}, unix.EXT4_SUPER_MAGIC: {"", false},
	} {
		if share, sure := shareType(kind); share != want.share || sure != want.sure {
			t.Errorf("%#x: %q, %t, want %q, %t", kind, share, sure, want.share, want.sure)
		}
	}
}

// Folders are checked for the service's account, whichever account runs the check.
func TestServiceAccount(t *testing.T) {
	if os.Geteuid() == nobody {
		t.Skip("this is the service's account itself")
	}
	dir := openFolder(t)
	d := New(Options{
		Pipelines: dir, Folders: []string{dir},
		Service: func(context.Context) (Service, error) { return Service{Installed: true, Account: "nobody"}, nil },
	})
	wantResult(t, "account", d.accounts(t.Context())[0], OK, "as nobody", "for the service's account")
	wantResult(t, "data", d.folders(t.Context())[1], Fault, "not writable for nobody")
}
