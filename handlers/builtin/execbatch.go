package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Windows starts a batch file by handing the whole command line to its command
// interpreter, whose rules for quotes differ from those of all other programs: no way
// of quoting is safe in all batch files. So a batch file gets only arguments that mean
// the same under any rules.

// batchArgument are the characters beside ASCII letters and digits that may be in an
// argument of a batch file. No other letters: some are turned into quotes where a
// program reads its arguments in an old encoding.
const batchArgument = " _./:\\=,+@-"

// batchProgram are the characters that may not be in the name of the batch file, which is also
// in the command line.
const batchProgram = "&|<>^%!\"'`;,=\r\n\t"

// checkBatch rejects a command line for a Windows batch file if the command interpreter could
// execute a part of it as a command. lookPath is exec.LookPath.
func checkBatch(path, dir string, args []string, lookPath func(string) (string, error)) error {
	file := batchFile(path, dir, lookPath)
	if file == "" {
		return nil
	}
	if i := strings.IndexAny(args[0]+file, batchProgram); i >= 0 {
		return fmt.Errorf("it is the batch file %q, and its path holds %q, which the command interpreter may take for a command", file, (args[0] + file)[i])
	}
	for i, arg := range args[1:] {
		for _, r := range arg {
			if !plainInBatch(r) {
				return fmt.Errorf("it is the batch file %q, and argument %d holds %q, which the command interpreter may take for a command: "+
					"want only ASCII letters, digits and %q; pass other text by env or stdin", file, i+1, r, batchArgument)
			}
		}
	}
	return nil
}

func plainInBatch(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(batchArgument, r)
}

// batchFile returns the batch file that package os/exec starts for a path in a
// folder, "" if it starts none.
func batchFile(path, dir string, lookPath func(string) (string, error)) string {
	at := path
	if dir != "" && filepath.VolumeName(path) == "" && !os.IsPathSeparator((path + "x")[0]) {
		at = filepath.Join(dir, path)
	}
	found, _ := lookPath(at) // a missing file is not started
	for _, file := range []string{path, found} {
		if isBatch(file) {
			return file
		}
	}
	return ""
}

// isBatch reports whether Windows runs a file with its command interpreter. It ignores dots
// and spaces at the end of a name, and the name of a stream after a colon.
func isBatch(file string) bool {
	name := file[strings.LastIndexAny(file, `\/`)+1:]
	if len(name) > 2 {
		stream, _, _ := strings.Cut(name[2:], ":")
		name = name[:2] + stream
	}
	name = strings.ToLower(strings.TrimRight(name, ". "))
	return slices.ContainsFunc([]string{".bat", ".cmd"}, func(ext string) bool { return strings.HasSuffix(name, ext) })
}
