package keyring

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"botwork/workqueue"
)

// A ciphertext begins with a byte for the form, then the key's id in four bytes, the highest
// first. Tink calls it the output prefix.
const (
	prefixStart = 1
	prefixSize  = 5
)

// encoding is strict, so that a sealed text has one spelling.
var encoding = base64.RawStdEncoding.Strict()

// Seal implements workqueue.Cipher with the primary key.
func (k *Keyring) Seal(plaintext, associated string) (string, error) {
	data, err := k.aead.Encrypt([]byte(plaintext), []byte(associated))
	if err != nil {
		return "", fmt.Errorf("seal a text of %d bytes: %w", len(plaintext), err)
	}
	return workqueue.SealedPrefix + encoding.EncodeToString(data), nil
}

// Open implements workqueue.Cipher with the key that the text names.
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
		return "", &workqueue.BrokenSealError{} // Tink says no more than that it failed
	}
	return string(plaintext), nil
}

// decode returns the ciphertext with its prefix.
func decode(sealed string) ([]byte, error) {
	text, ok := strings.CutPrefix(sealed, workqueue.SealedPrefix)
	switch {
	case !ok && workqueue.Sealed(sealed):
		return nil, &workqueue.BrokenSealError{Found: "it was sealed in a form that this version of the program does not know"}
	case !ok:
		return nil, &workqueue.BrokenSealError{Found: "it does not begin with " + workqueue.SealedPrefix}
	case strings.ContainsAny(text, "\r\n"): // which package base64 skips
		return nil, &workqueue.BrokenSealError{Found: "it has line ends in it"}
	}
	data, err := encoding.DecodeString(text)
	switch {
	case err != nil:
		return nil, &workqueue.BrokenSealError{Found: "it is not base64 to its end"}
	case len(data) < prefixSize:
		return nil, &workqueue.BrokenSealError{Found: "it is cut short"}
	case data[0] != prefixStart:
		return nil, &workqueue.BrokenSealError{Found: "it names no key"}
	}
	return data, nil
}

// textsBegin is what all texts that a key has sealed have in common. Six characters of base64
// hold the first byte of the prefix and 28 bits of the id, enough to distinguish the keys of one
// keyset.
func textsBegin(id uint32) string {
	prefix := binary.BigEndian.AppendUint32([]byte{prefixStart}, id)
	return workqueue.SealedPrefix + encoding.EncodeToString(prefix)[:6]
}
