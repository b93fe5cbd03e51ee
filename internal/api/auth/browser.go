package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"botwork/workqueue/access"
)

// KnownFor is how long a browser is known after a sign-in.
const KnownFor = 180 * 24 * time.Hour

// Browser is who signs in, for the list of sessions and the limits.
type Browser struct {
	Address, UserAgent string

	// Proof is the text of ProveBrowser that the browser was given at an earlier sign-in; "": none.
	Proof string
}

// ProveBrowser returns a text by which a browser shows later that a user has signed in with it: attempts from
// elsewhere do not lock it out. It is no credential. It is "" for a user without a password.
//
// The text is signed with a key that is derived from the stored hash of the password, which has a random salt
// that only the database has. So all servers accept it, and a new password ends it.
func ProveBrowser(u *access.User, now time.Time) string {
	if u.PasswordHash == "" {
		return ""
	}
	text := fmt.Sprintf("%d.%d.%s", u.ID, now.Unix(), access.NewSecret()[:26])
	return text + "." + signProof(u, text)
}

// knownBrowser returns the name of the browser to which a user's proof was given; "" if the proof is not valid.
func knownBrowser(u *access.User, proof string, now time.Time) string {
	parts := strings.Split(proof, ".")
	if len(parts) != 4 || u.PasswordHash == "" {
		return ""
	}
	text := strings.Join(parts[:3], ".")
	if !hmac.Equal([]byte(parts[3]), []byte(signProof(u, text))) {
		return ""
	}
	issued, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || parts[0] != strconv.FormatInt(u.ID, 10) || now.Sub(time.Unix(issued, 0)) > KnownFor {
		return ""
	}
	return parts[2]
}

func signProof(u *access.User, text string) string {
	key := sha256.Sum256([]byte("botwork known browser\x00" + u.PasswordHash))
	mac := hmac.New(sha256.New, key[:])
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
