package identity

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	lru "github.com/hashicorp/golang-lru/v2"

	"broadsheet/blog"
)

// always is a clock that stands.
type always time.Time

func (a always) Now() time.Time { return time.Time(a) }

// A token that is remembered ends when one that is read does.
func TestRememberedTokensEndAsOthers(t *testing.T) {
	t.Parallel()
	token := sha256.Sum256([]byte("token"))
	good, err := lru.New[[sha256.Size]byte, verified](1)
	if err != nil {
		t.Fatal(err)
	}
	end := time.Unix(1_000_000, 0)
	says := jwt.Claims{Expiry: jwt.NewNumericDate(end)}
	for after := -2 * leeway; after <= 2*leeway; after += time.Second {
		at := end.Add(after)
		v := &Verifier{&keySet{Config: Config{Clock: always(at)}, keys: []jose.JSONWebKey{{}}}, good}
		v.good.Add(token, verified{Bearer: blog.Bearer{Expires: v.end(claims{Claims: says})}})
		_, remembered := v.remembered(token, 0)
		read := says.ValidateWithLeeway(jwt.Expected{Time: at}, leeway) != nil
		if remembered == read {
			t.Errorf("%s after its end: remembered it is good: %v, read it has expired: %v", after, remembered, read)
		}
	}
}
