package main

var identity = []fault{
	{
		name: "a remembered token outlives its end", kind: "expiry", file: "internal/identity/identity.go",
		old: `good.keys == generation && !v.expired(good.Expires)`, new: `good.keys == generation`,
	},
	{
		name: "a remembered token outlives its key", kind: "stale", file: "internal/identity/identity.go",
		old: `ok && good.keys == generation && `, new: `ok && `,
	},
	{
		name: "a token has no end", kind: "null check", file: "internal/identity/identity.go",
		old: `	if claims.Expiry == nil {`, new: `	if false {`,
	},
	{
		name: "a key is for any algorithm", kind: "authentication", file: "internal/identity/keys.go",
		old: `		(k.algorithm == "" || k.algorithm == algorithm) &&
`, new: ``,
	},
	{
		name: "a token is of any type", kind: "authentication", file: "internal/identity/identity.go",
		old: `if !isAccessToken(header) {`, new: `if false {`,
	},
	{
		name: "an RSA key is short", kind: "limit", file: "internal/identity/keys.go",
		old: `minRSABits = 2048 //`, new: `minRSABits = 1024 //`,
	},
	{
		name: "a key set comes over a way that anybody can change", kind: "trust", file: "internal/identity/remote.go",
		old: `	return checkURL(r.URL)`, new: `	return nil`,
	},
	{
		name: "a key set of any size is taken", kind: "limit", file: "internal/identity/remote.go",
		old: `	if len(text) > maxKeySet {`, new: `	if false {`,
	},
	{
		name: "a key set is read without end", kind: "limit", file: "internal/identity/remote.go",
		old: `io.LimitReader(response.Body, maxKeySet+1)`, new: `response.Body`,
	},
	{
		name: "unknown keys ask the issuer each time", kind: "limit", file: "internal/identity/remote.go",
		old: `!r.asked.IsZero() && now.Sub(r.asked) < askInterval`, new: `false`,
	},
	{
		name: "a token of any size is read", kind: "limit", file: "internal/identity/identity.go",
		old: `if len(token) > maxToken {`, new: `if false {`,
	},
	{
		name: "a token is for any audience", kind: "authentication", file: "internal/identity/identity.go",
		old: `AnyAudience: v.config.Audiences, `, new: ``,
	},
	{
		name: "a token is of any issuer", kind: "authentication", file: "internal/identity/identity.go",
		old: `jwt.Expected{Issuer: v.config.Issuer, `, new: `jwt.Expected{`,
	},
	{
		name: "the leeway shortens the time of a remembered token", kind: "expiry", file: "internal/identity/identity.go",
		old: `v.config.Now().Add(-v.config.Leeway).After(expiry)`, new: `v.config.Now().Add(v.config.Leeway).After(expiry)`,
	},
	{
		name: "a remembered token has no leeway", kind: "expiry", file: "internal/identity/identity.go",
		old: `v.config.Now().Add(-v.config.Leeway).After(expiry)`, new: `v.config.Now().After(expiry)`,
	},
	{
		name: "a token is believed however old it is", kind: "expiry", file: "internal/identity/identity.go",
		old: `if v.expired(v.end(claims)) {`, new: `if false {`,
	},
	{
		name: "a required claim may lack", kind: "authentication", file: "internal/identity/identity.go",
		old: `if !claims.has(claim) {`, new: `if false {`,
	},
	{
		name: "keys are believed however old they are", kind: "expiry", file: "internal/identity/remote.go",
		old: `if r.most > 0 && r.keys != nil && `, new: `if r.most < 0 && `,
	},
	{
		name: "a remembered token outlives its keys", kind: "expiry", file: "internal/identity/identity.go",
		old: ` && !v.expired(good.Expires) && v.keys.ready() == nil`, new: ` && !v.expired(good.Expires)`,
	},
	{
		name: "a key for encryption has signed", kind: "authentication", file: "internal/identity/keys.go",
		old: ` || jwk.Use != "" && jwk.Use != "sig" {`, new: ` {`,
	},
	{
		name: "a key set comes with any status", kind: "dropped error", file: "internal/identity/remote.go",
		old: `response.StatusCode != http.StatusOK`, new: `false`,
	},
	{
		name: "a token is of any key id", kind: "authentication", file: "internal/identity/keys.go",
		old: `(k.id == "" || keyID == "" || k.id == keyID) &&`, new: `(k.id == "" || keyID == "" || k.id != "") &&`,
	},
	{
		name: "anybody on the machine reads the private key", kind: "permission", file: "internal/identity/sign.go",
		old: `0o600)`, new: `0o644)`,
	},
}
