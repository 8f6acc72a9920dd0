package program

import (
	"errors"
	"fmt"
	"io"

	"github.com/alecthomas/kong"
)

// flags is the command line. Every flag has an environment variable, BROADSHEET_
// and its name in capitals, and a line in --help that says its default.
type flags struct {
	Store StoreFlags `embed:"" group:"Store"`
	Log   logFlags   `embed:"" group:"Log"`

	Serve   serveCommand   `cmd:"" default:"withargs" help:"Answer GraphQL over HTTP. This is what broadsheet does without a command."`
	Migrate migrateCommand `cmd:"" help:"Bring a Cassandra keyspace's schema up to date."`
	Seed    seedCommand    `cmd:"" help:"Write a large dataset to an empty store."`
	Verify  verifyCommand  `cmd:"" help:"Compare every copy with its truth, every count with its rows and every claim with its owner. Exit code 1 where one differs."`
	Backup  backupCommand  `cmd:"" help:"Copy the embedded store to a directory, while a server runs or not."`
	Restore restoreCommand `cmd:"" help:"Copy a backup of the embedded store to --data-dir, once it is verified."`
	Changes changesCommand `cmd:"" help:"Follow the change feed: what commands did, as JSON objects, one a line. Exit code 3 where what follows the cursor is kept no more."`
	Rebuild rebuildCommand `cmd:"" help:"Build a table that holds copies anew from the truths, while servers write. It may be stopped and run again."`
	Token   tokenCommand   `cmd:"" help:"Sign a token for local use, as an issuer would."`
	User    userCommand    `cmd:"" help:"Print an account, found by its id, username or e-mail; suspend, restore, promote, demote or erase one."`
	Schema  schemaCommand  `cmd:"" help:"Print the GraphQL schema."`
	Check   checkCommand   `cmd:"" help:"Read the configuration that serve would take, tell what is wrong with it, and reach the store. Exit code 1 where a server would not start or the store is not ready, 2 where the configuration contradicts itself or names what does not exist."`
	Version versionCommand `cmd:"" help:"Print the program's version."`
}

// parse understands a command line. It returns none where nothing is left to do but to exit with code, as after --help.
func parse(args []string, stdout, stderr io.Writer) (f *flags, line *kong.Context, code int) {
	f = &flags{}
	exited := false
	parser, err := kong.New(f,
		kong.Name("broadsheet"),
		kong.Description("A blogging backend. Without a command it serves; \"broadsheet serve --help\" lists what that takes. Every flag has an environment variable, named beside it."),
		kong.DefaultEnvars("BROADSHEET"),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Writers(stdout, stderr),
		kong.Exit(func(int) { exited = true }),
	)
	if err != nil {
		panic(err) // the structs above are malformed: every test sees it
	}
	line, err = parser.Parse(args)
	if exited {
		return f, nil, 0
	}
	if err == nil {
		err = f.validate(line.Selected())
	}
	if err != nil {
		fmt.Fprintf(stderr, "broadsheet: %s\nTry broadsheet --help.\n", err)
		return f, nil, 2
	}
	return f, line, 0
}

// validate checks what one flag alone does not show.
func (f *flags) validate(selected *kong.Node) error {
	if selected.Name == "schema" || selected.Name == "version" {
		return nil // they need no store, whatever the environment says of it
	}
	command := selected.Target.Addr().Interface()
	if c, ok := command.(interface{ validate() error }); ok {
		if err := c.validate(); err != nil || selected.Name == "token" {
			return err
		}
	}
	server, serves := command.(interface{ migrates() bool })
	if f.Store.Store != StoreCassandra && (selected.Parent.Name == "migrate" || serves && server.migrates()) {
		return errors.New("migrations are for --store cassandra: the embedded store has no schema to apply")
	}
	return f.Store.Check()
}
