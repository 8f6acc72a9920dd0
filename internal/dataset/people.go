package dataset

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"broadsheet/blog"
)

// account returns the command that makes the nth user. The subject is the first
// username, so under dev auth `Bearer alice` acts for alice.
func account(seed uint64, n int) blog.CreateUser {
	first, last := name(n)
	username := strings.ToLower(first)
	switch each := len(names()["first"]); {
	case n >= each*len(names()["last"]):
		username = fmt.Sprintf("%s_%s_%d", username, strings.ToLower(last), n)
	case n >= each:
		username += "_" + strings.ToLower(last)
	}
	random := rand.New(rand.NewPCG(seed, ^uint64(n)))
	c := blog.CreateUser{Subject: username, Username: username}
	c.DisplayName = new(capital(first) + " " + last)
	c.ProvedEmail = username + "@example.org" // for nobody else can have it
	c.Email = new(c.ProvedEmail)
	if random.IntN(4) > 0 {
		w := writer{random: random, chosen: map[string]string{}}
		c.Bio = new(w.sentence(w.one("bio")))
	}
	return c
}

// name returns the nth pair of a first and a last name. Pairs repeat only after
// all were used.
func name(n int) (first, last string) {
	firsts, lasts := names()["first"], names()["last"]
	return firsts[n%len(firsts)], lasts[(n%len(firsts)+n/len(firsts))%len(lasts)]
}
