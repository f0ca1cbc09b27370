package redact

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"testing"
)

const secret = `s3cr&t/pä"ss+word`

func TestEveryUsualFormIsReplaced(t *testing.T) {
	known := New(map[string]string{"A": secret})
	for _, text := range []string{
		secret,
		base64.StdEncoding.EncodeToString([]byte(secret)),
		base64.StdEncoding.EncodeToString([]byte("user:" + secret + " and more")),
		base64.URLEncoding.EncodeToString([]byte(secret)),
		hex.EncodeToString([]byte(secret)),
		url.QueryEscape(secret),
		url.PathEscape(secret),
		`s3cr\u0026t/p\u00e4\"ss+word`,
		`s3cr&t/p\u00e4\"ss+word`,
	} {
		if shown := known.Text("<" + text + ">"); !strings.Contains(shown, mark) || strings.Contains(shown, secret) {
			t.Errorf("%q became %q", text, shown)
		}
	}
}

func TestASecretInPiecesIsReplaced(t *testing.T) {
	known := New(map[string]string{"A": secret})
	text := "before " + secret + " after"
	for cut := 1; cut < len(text); cut++ {
		stream := known.NewStream()
		shown := stream.Write(text[:cut], false) + stream.Write(text[cut:], false) + stream.Write("", true)
		if shown != "before *** after" {
			t.Fatalf("cut at %d: %q", cut, shown)
		}
	}
}

func TestTextThatOnlyBeginsLikeASecretIsKept(t *testing.T) {
	stream := New(map[string]string{"A": "abcdef", "B": "cdefgh"}).NewStream()
	if shown := stream.Write("xabc", false) + stream.Write("dxabcdefghx", false) + stream.Write("ab", true); shown != "xabcdx***xab" {
		t.Fatal(shown)
	}
}

func TestJSONStaysJSON(t *testing.T) {
	known := New(map[string]string{"A": "12345678", "B": `with"quote`})
	if shown := known.JSON(`{"n":12345678,"with\"quote":["a","with\"quote"],"ok":true}`); shown !=
		`{"***":["a","***"],"n":"***","ok":true}` {
		t.Fatal(shown)
	}
	if plain := `{ "kept" : 1.0 }`; known.JSON(plain) != plain {
		t.Fatal(known.JSON(plain))
	}
}
