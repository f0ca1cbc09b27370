package execute

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// sign is a signature by the Standard Webhooks specification.
func sign(secrets map[string]string, name, message string) (string, error) {
	secret, there := secrets[name]
	if !there || secret == "" {
		return "", refuse("the call cannot be signed: there is no secret %s", name)
	}
	key := []byte(secret)
	if packed := strings.TrimPrefix(secret, "whsec_"); packed != secret {
		var err error
		if key, err = base64.StdEncoding.DecodeString(packed); err != nil || len(key) == 0 {
			return "", refuse("the call cannot be signed: the secret %s is not Base64 after whsec_", name)
		}
	}
	made := hmac.New(sha256.New, key)
	made.Write([]byte(message))
	return "v1," + base64.StdEncoding.EncodeToString(made.Sum(nil)), nil
}
