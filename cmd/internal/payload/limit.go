package payload

import (
	"bytes"
	"io"
	"os"

	"botwork/workqueue"
)

// limitError reports why the limit of a payload is unknown.
type limitError struct{ err error }

func (e *limitError) Error() string { return e.err.Error() }

func (e *limitError) Unwrap() error { return e.err }

// readFileUpTo is readUpTo for a file.
func readFileUpTo(path string, limit func() (int64, error)) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readUpTo(file, limit)
}

// readUpTo reads a payload. It stops at the limit and returns a *workqueue.SizeError.
func readUpTo(r io.Reader, limit func() (int64, error)) ([]byte, error) {
	if limit == nil {
		return io.ReadAll(r)
	}
	// A line ending and a byte order mark do not count.
	const around = 16
	var data bytes.Buffer
	_, err := io.Copy(&data, io.LimitReader(r, workqueue.DefaultMaxSize+around+1))
	if err != nil || data.Len() <= workqueue.DefaultMaxSize+around {
		return data.Bytes(), err
	}
	most, err := limit()
	if err != nil {
		return nil, &limitError{err}
	}
	if rest := most + around + 1 - int64(data.Len()); rest > 0 {
		if _, err := io.Copy(&data, io.LimitReader(r, rest)); err != nil {
			return nil, err
		}
	}
	if int64(data.Len()) > most+around {
		return nil, &workqueue.SizeError{What: "payload", Setting: "maxPayload", Limit: most}
	}
	return data.Bytes(), nil
}
