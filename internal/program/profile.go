package program

import (
	"os"
	"slices"
	"strconv"

	"github.com/alecthomas/kong"

	"broadsheet/internal/httpapi/document"
)

// presets are what --profile sets. Flags that one does not name keep their defaults.
var presets = map[string]map[string]string{
	"local": {
		"rate-limit-subject": "0", "rate-limit-address": "0", "rate-limit-work": "0",
		"rate-limit-posts": "0", "rate-limit-comments": "0", "rate-limit-likes": "0", "rate-limit-renames": "0", "rate-limit-emails": "0", "rename-interval": "0s",
		"max-connections-per-client": "0", "max-live-connections-per-client": "0",
	},
	"internal": {
		"rate-limit-subject": "200", "rate-limit-address": "500", "rate-limit-work": "5000",
		"rate-limit-posts": "2000", "rate-limit-comments": "10000", "rate-limit-likes": "50000",
		"max-connections-per-client": "1000", "max-live-connections-per-client": "1000",
	},
	"public": {
		"max-body-bytes": "524288", "max-answer-bytes": "4194304",
		"max-tokens":         strconv.Itoa(document.PublicLimits.Tokens),
		"max-depth":          strconv.Itoa(document.PublicLimits.Depth),
		"max-selections":     strconv.Itoa(document.PublicLimits.Selections),
		"max-aliases":        strconv.Itoa(document.PublicLimits.Aliases),
		"max-directives":     strconv.Itoa(document.PublicLimits.Directives),
		"rate-limit-subject": "20", "rate-limit-address": "20", "rate-limit-work": "1000",
		"max-connections-per-client": "100", "max-live-connections-per-client": "20", "max-subscriptions-per-socket": "20",
	},
}

// fromProfile is a [kong.ResolverFunc]: it answers for the flags that are not on the command line, and
// does not for those whose variables are set.
func fromProfile(c *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	value, known := presets[profileOf(c)][flag.Name]
	if !known || slices.ContainsFunc(flag.Envs, isSet) {
		return nil, nil
	}
	return value, nil
}

func isSet(variable string) bool {
	_, set := os.LookupEnv(variable)
	return set
}

// profileOf returns the profile that was chosen, empty for none.
func profileOf(c *kong.Context) string {
	for _, path := range c.Path {
		for _, flag := range path.Flags {
			if flag.Name == "profile" {
				chosen, _ := c.FlagValue(flag).(string)
				return chosen
			}
		}
	}
	return ""
}
