package workqueue

import (
	"fmt"
	"strings"
)

// SealedPrefix begins every text that a [Cipher] seals today. No JSON text
// begins like it, so a column of JSON can hold sealed and plain texts side by
// side.
const SealedPrefix = sealedFamily + "1:"

// sealedFamily begins the sealed texts of all versions of the program.
const sealedFamily = "botwork:sealed:"

// Sealed tells whether text was sealed by a [Cipher] of this or a later version
// of the program. It needs no key.
func Sealed(text string) bool { return strings.HasPrefix(text, sealedFamily) }

// Cipher hides the texts of encrypted queues from those who can read the
// database. It is safe for concurrent use.
type Cipher interface {
	// Seal returns a text that begins with SealedPrefix and goes on in base64:
	// letters, digits, + and /. Its length tells that of plaintext, to the byte,
	// and nothing else shows. Two calls never return the same text.
	//
	// associated names the place where the text will stand, such as a column
	// and an item's id. It is no secret and not part of the result; Open wants
	// the same one, so that a sealed text is worth nothing in another place.
	Seal(plaintext, associated string) (string, error)

	// Open returns the plaintext of a sealed text. It returns
	// *UnknownKeyError when this process lacks the key, and *BrokenSealError
	// when text is not what Seal returned for this place.
	Open(sealed, associated string) (string, error)
}

// UnknownKeyError says that a text was sealed with a key that this process
// cannot use. Nothing is lost as long as somebody has the key. The id stands
// openly in the text, so a text whose id was changed looks the same.
type UnknownKeyError struct {
	KeyID uint32

	// Disabled tells that the key is there, and switched off.
	Disabled bool
}

func (e *UnknownKeyError) Error() string {
	if e.Disabled {
		return fmt.Sprintf("sealed with key %d, which is not enabled in this process's keyset (encryption.keyset); "+
			"enable it, or keep to the workers that still use it", e.KeyID)
	}
	return fmt.Sprintf("sealed with key %d, which this process's keyset (encryption.keyset) does not hold; "+
		"give it the keyset with which the text was sealed, or a later one", e.KeyID)
}

// BrokenSealError says that a text is not what was sealed for its place.
type BrokenSealError struct {
	// Found tells what is wrong with the text's form. It is "" when the form is
	// right and the key refuses it: then the text has been changed, or it stands
	// in a row or column that it was not sealed for.
	Found string
}

func (e *BrokenSealError) Error() string {
	if e.Found != "" {
		return "the text cannot be opened: " + e.Found
	}
	return "the sealed text has been changed, or stands in a row or column that it was not sealed for"
}
