package limit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Values are what the limits are set to: times in seconds, the others in their units. 0 is no limit.
type Values [count]float64

// Int returns a limit that is a number, or one of bytes.
func (v *Values) Int(n Name) int { return int(v[n]) }

// Time returns a limit of time.
func (v *Values) Time(n Name) time.Duration {
	return time.Duration(math.Round(v[n] * float64(time.Second)))
}

// Default are the limits of --auth dev: there are none of single clients.
var Default = must(For("", false))

func must(v Values, err error) Values {
	if err != nil {
		panic(err) // Table is malformed
	}
	return v
}

// in returns a limit in a profile, with those of single clients or without.
func (l *Limit) in(profile string, perClient bool) string {
	switch {
	case profile == "internal" && l.Internal != "":
		return l.Internal
	case profile == "public" && l.Public != "":
		return l.Public
	case l.PerClient && (profile == "local" || !perClient):
		return "0"
	}
	return l.Default
}

// For returns the limits of a profile, empty: none, with those of single clients that it does not set
// or without, and with settings in place of either, each as name=value.
func For(profile string, perClient bool, settings ...string) (v Values, err error) {
	var all []string
	for n := range Table {
		all = append(all, Table[n].Name+"="+Table[n].in(profile, perClient))
	}
	for _, setting := range append(all, settings...) {
		if err := v.set(setting); err != nil {
			return v, err
		}
	}
	return v, nil
}

func (v *Values) set(setting string) (err error) {
	name, text, _ := strings.Cut(setting, "=")
	for n := range Table {
		if Table[n].Name == name {
			v[n], err = Table[n].parse(text)
			return err
		}
	}
	return fmt.Errorf("%q sets no limit; the limits are, each as name=value:\n%s", setting, Help())
}

// parse returns what a text sets a limit to.
func (l *Limit) parse(text string) (value float64, err error) {
	switch l.Unit {
	case Bytes:
		var bytes Size
		err = bytes.UnmarshalText([]byte(text))
		value = float64(bytes)
	case Time:
		var d time.Duration
		d, err = time.ParseDuration(text)
		value = d.Seconds()
	case Number, Second, Day:
		value, err = strconv.ParseFloat(text, 64)
		if l.Unit == Number && value != math.Trunc(value) {
			err = strconv.ErrSyntax
		}
	}
	if err != nil || !(value >= 0 && value < 1<<53) || value == 0 && l.Required {
		least := "0, which is no limit, or more"
		if l.Required {
			least = "above 0"
		}
		return 0, fmt.Errorf("%s=%s: want %s, %s, as in %s=%s", l.Name, text, units[l.Unit], least, l.Name, l.Default)
	}
	return value, nil
}

var units = map[Unit]string{Number: "a whole number", Bytes: "a number of bytes", Time: "a time with its unit", Second: "a number a second", Day: "a number a day"}

// Help returns a line for each limit: its name, its default, and what it bounds.
func Help() string {
	var b strings.Builder
	for _, l := range Table {
		per := ""
		if l.Unit == Second || l.Unit == Day {
			per = " " + string(l.Unit)
		}
		fmt.Fprintf(&b, "  %-34s %s\n", l.Name+"="+l.Default+per, l.Bounds)
	}
	return b.String()
}
