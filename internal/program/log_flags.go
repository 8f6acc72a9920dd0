package program

import (
	"io"
	"log/slog"
)

type logFlags struct {
	Level  string `name:"log-level" default:"info" enum:"debug,info,warn,error" help:"The least severe entries to write: debug, info, warn or error."`
	Format string `name:"log-format" default:"text" enum:"text,json" help:"The form of entries: text or json."`
}

func (f logFlags) logger(w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.Level)); err != nil {
		panic(err) // the flag's enum allows only names of levels
	}
	options := &slog.HandlerOptions{Level: level}
	var lines slog.Handler = slog.NewTextHandler(w, options)
	if f.Format == "json" {
		lines = slog.NewJSONHandler(w, options)
	}
	return slog.New(unrepeated{lines, &causes{known: map[string]*repeats{}}})
}
