package blog

import "time"

// Bearer is whom a token stands for. The zero value is a request without one.
type Bearer struct {
	Subject string
	Role    Role
	Email   string    // an address that the token proves to be the bearer's; empty: none
	Expires time.Time // when the token is good no more; zero: never
}
