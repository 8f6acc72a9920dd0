package identity

import (
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4/jwt"
)

// always is a clock that stands.
type always time.Time

func (a always) Now() time.Time { return time.Time(a) }

// A token that is remembered ends when one that is read does.
func TestRememberedTokensEndAsOthers(t *testing.T) {
	t.Parallel()
	end := time.Unix(1_000_000, 0)
	claims := jwt.Claims{Expiry: jwt.NewNumericDate(end)}
	for after := -2 * leeway; after <= 2*leeway; after += time.Second {
		at := end.Add(after)
		v := &Verifier{config: Config{Clock: always(at)}}
		read := claims.ValidateWithLeeway(jwt.Expected{Time: at}, leeway) != nil
		if v.expired(end) != read {
			t.Errorf("%s after its end: remembered it has expired: %v, read: %v", after, v.expired(end), read)
		}
	}
}
