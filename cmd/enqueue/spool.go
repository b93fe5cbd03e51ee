package enqueue

import (
	"bufio"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"botwork/internal/newitems"
)

// spool stores the input lines in a temporary file until they are enqueued, because they may
// not fit into memory. The file is encrypted with a key that only this process has, because
// the lines may be for an encrypted queue.
type spool struct {
	file    *os.File
	name    string
	removed bool // the file has no name; Windows removes it when it is closed
	key, iv [16]byte
	writer  *bufio.Writer
	reader  *bufio.Reader
	buffer  []byte
	lines   int
}

func newSpool() (*spool, error) {
	file, err := os.CreateTemp("", "botwork-enqueue-*") // with the mode 0600
	if err != nil {
		return nil, spoolError(err)
	}
	s := &spool{file: file, name: file.Name()}
	s.removed = os.Remove(s.name) == nil
	rand.Read(s.key[:])
	rand.Read(s.iv[:])
	stream, err := s.stream()
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.writer = bufio.NewWriterSize(cipher.StreamWriter{S: stream, W: file}, 1<<16)
	return s, nil
}

func (s *spool) stream() (cipher.Stream, error) {
	block, err := aes.NewCipher(s.key[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewCTR(block, s.iv[:]), nil
}

func spoolError(err error) error {
	return fmt.Errorf("keep the lines in a temporary file until all are checked: %w; "+
		"hint: free disk space in %s, or name another folder in TMPDIR (on Windows TMP)", err, os.TempDir())
}

// add stores a line.
func (s *spool) add(number int, text []byte) error {
	head := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(number)), uint64(len(text)))
	_, err := s.writer.Write(head)
	if err == nil {
		_, err = s.writer.Write(text)
	}
	if err != nil {
		return spoolError(err)
	}
	s.lines++
	return nil
}

// rewind ends the writing; the next call of next returns the first line.
func (s *spool) rewind() error {
	if err := s.writer.Flush(); err != nil {
		return spoolError(err)
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return spoolError(err)
	}
	stream, err := s.stream()
	if err != nil {
		return err
	}
	s.reader = bufio.NewReaderSize(cipher.StreamReader{S: stream, R: s.file}, 1<<16)
	return nil
}

// next returns the next line, whose text is valid until the next call. It returns io.EOF after
// the last line.
func (s *spool) next() (newitems.InputLine, error) {
	number, err := binary.ReadUvarint(s.reader)
	if errors.Is(err, io.EOF) {
		return newitems.InputLine{}, io.EOF
	}
	var size uint64
	if err == nil {
		size, err = binary.ReadUvarint(s.reader)
	}
	if err == nil {
		if uint64(cap(s.buffer)) < size {
			s.buffer = make([]byte, size)
		}
		s.buffer = s.buffer[:size]
		_, err = io.ReadFull(s.reader, s.buffer)
	}
	if err != nil {
		return newitems.InputLine{}, fmt.Errorf("read the lines from the temporary file: %w", err)
	}
	return newitems.InputLine{Number: int(number), Text: s.buffer}, nil
}

func (s *spool) close() error {
	err := s.file.Close()
	if !s.removed {
		err = errors.Join(err, os.Remove(s.name))
	}
	return err
}
