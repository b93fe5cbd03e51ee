package keyring

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"botwork/workqueue"
)

// A ciphertext begins with one byte for the format, then the key's id in four bytes, most
// significant byte first. Tink calls this the output prefix.
const (
	prefixStart = 1
	prefixSize  = 5
)

// encoding is strict, so that each sealed text has only one spelling.
var encoding = base64.RawStdEncoding.Strict()

// Seal implements workqueue.Cipher. It uses the primary key.
func (k *Keyring) Seal(plaintext, associated string) (string, error) {
	data, err := k.aead.Encrypt([]byte(plaintext), []byte(associated))
	if err != nil {
		return "", fmt.Errorf("seal a text of %d bytes: %w", len(plaintext), err)
	}
	return workqueue.SealedPrefix + encoding.EncodeToString(data), nil
}

// Open implements workqueue.Cipher. It uses the key that the text names.
func (k *Keyring) Open(sealed, associated string) (string, error) {
	data, err := decode(sealed)
	if err != nil {
		return "", err
	}
	id := binary.BigEndian.Uint32(data[1:prefixSize])
	at := slices.IndexFunc(k.keys, func(key Key) bool { return key.ID == id })
	if at < 0 || k.keys[at].Status != Enabled {
		return "", &workqueue.UnknownKeyError{KeyID: id, Disabled: at >= 0}
	}
	plaintext, err := k.aead.Decrypt(data, []byte(associated))
	if err != nil {
		return "", &workqueue.BrokenSealError{} // Tink does not report a more specific reason
	}
	return string(plaintext), nil
}

// decode returns the ciphertext including its prefix.
func decode(sealed string) ([]byte, error) {
	text, ok := strings.CutPrefix(sealed, workqueue.SealedPrefix)
	switch {
	case !ok && workqueue.Sealed(sealed):
		return nil, &workqueue.BrokenSealError{Found: "its format is not supported by this version of the program"}
	case !ok:
		return nil, &workqueue.BrokenSealError{Found: "it does not begin with " + workqueue.SealedPrefix}
	case strings.ContainsAny(text, "\r\n"): // the base64 package ignores them
		return nil, &workqueue.BrokenSealError{Found: "it contains line breaks"}
	}
	data, err := encoding.DecodeString(text)
	switch {
	case err != nil:
		return nil, &workqueue.BrokenSealError{Found: "it is not valid base64"}
	case len(data) < prefixSize:
		return nil, &workqueue.BrokenSealError{Found: "it is truncated"}
	case data[0] != prefixStart:
		return nil, &workqueue.BrokenSealError{Found: "it names no key"}
	}
	return data, nil
}

// textsBegin returns the prefix that all texts sealed by a key share. Its six base64
// characters contain the first byte of the ciphertext and 28 bits of the id, which is
// enough to distinguish the keys of one keyset.
func textsBegin(id uint32) string {
	prefix := binary.BigEndian.AppendUint32([]byte{prefixStart}, id)
	return workqueue.SealedPrefix + encoding.EncodeToString(prefix)[:6]
}
