package workqueue

import (
	"fmt"
	"strings"
)

// SealedPrefix begins every text that a [Cipher] returns in this version. No JSON
// text begins like it, so a JSON column can hold sealed and plain texts together.
const SealedPrefix = sealedFamily + "1:"

// sealedFamily begins the sealed texts of all versions of the program.
const sealedFamily = "botwork:sealed:"

// Sealed reports whether text was sealed by a [Cipher] of this or a later version of
// the program. It needs no key.
func Sealed(text string) bool { return strings.HasPrefix(text, sealedFamily) }

// Cipher encrypts the texts of encrypted queues, so that access to the database is
// not enough to read them. It is safe for concurrent use.
type Cipher interface {
	// Seal returns a text that begins with SealedPrefix and continues in base64:
	// letters, digits, + and /. The text reveals the exact length of plaintext in
	// bytes and nothing else. Two calls never return the same text.
	//
	// associated names the location where the text will be stored, such as a column
	// and an item's id. It is not secret and not part of the result. Open needs the
	// same value, so that a sealed text is useless in another location.
	Seal(plaintext, associated string) (string, error)

	// Open returns the plaintext of a sealed text. It returns *UnknownKeyError if
	// this process lacks the key, and *BrokenSealError if text is not what Seal
	// returned for this location.
	Open(sealed, associated string) (string, error)
}

// UnknownKeyError is returned when a text was sealed with a key that this process
// cannot use. The text can be read again with the key. The key's id is stored
// unencrypted in the text, so a text whose id was changed looks the same.
type UnknownKeyError struct {
	KeyID uint32

	// Disabled is set if the keyset has the key but the key is disabled.
	Disabled bool
}

func (e *UnknownKeyError) Error() string {
	if e.Disabled {
		return fmt.Sprintf("sealed with key %d, which is not enabled in this process's keyset (encryption.keyset); "+
			"enable it, or use only workers on which it is enabled", e.KeyID)
	}
	return fmt.Sprintf("sealed with key %d, which this process's keyset (encryption.keyset) does not contain; "+
		"give it the keyset with which the text was sealed, or a later one", e.KeyID)
}

// BrokenSealError is returned when a text is not the one that was sealed for its
// location.
type BrokenSealError struct {
	// Found describes what is wrong with the form of the text. It is "" if the form
	// is correct and the key rejects the text: the text was changed, or is stored in
	// a row or column that it was not sealed for.
	Found string
}

func (e *BrokenSealError) Error() string {
	if e.Found != "" {
		return "the text cannot be decrypted: " + e.Found
	}
	return "the sealed text has been changed, or is stored in a row or column that it was not sealed for"
}
