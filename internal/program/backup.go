package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"broadsheet/blog"
	"broadsheet/embedded"
)

type backupCommand struct {
	Dir string `arg:"" type:"path" help:"The directory to make, on the file system of the data. Copy it to another machine: it shares its files with the data."`
}

// Run has the server of the data make the backup, which has them open, or makes it where no server runs.
func (c *backupCommand) Run(ctx context.Context, p *program) error {
	if p.store.Store != StoreEmbedded {
		return errors.New("a cluster has backups of its own: see docs/operations.md")
	}
	err := p.askForBackup(ctx, c.Dir)
	if at := (*net.OpError)(nil); errors.As(err, &at) && at.Op == "dial" { // no server is there, as the directory's lock will say
		err = p.withExisting(ctx, func(store blog.Store) error { return store.(*embedded.Store).Backup(ctx, c.Dir) })
	}
	if err == nil {
		fmt.Fprintln(p.stdout, c.Dir)
	}
	return err
}

// socket is where a server is asked for backups. Who may use it the file's mode says: the server's own user.
func (f *StoreFlags) socket() string { return filepath.Join(f.DataDir, "server.sock") }

func (p *program) askForBackup(ctx context.Context, dir string) error {
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", p.store.socket())
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://server/backup?"+url.Values{"dir": {dir}}.Encode(), nil)
	if err != nil {
		return err
	}
	answer, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = errors.New(strings.TrimSpace(string(said)))
	}
	return err
}

// takeBackups makes backups for those who ask at the socket, until ctx ends.
func (p *program) takeBackups(ctx context.Context, store blog.Store) {
	open, ok := store.(*embedded.Store)
	if !ok {
		return
	}
	_ = os.Remove(p.store.socket()) // of a server that was killed: the directory is this one's
	listener, err := new(net.ListenConfig).Listen(ctx, "unix", p.store.socket())
	if err == nil {
		err = os.Chmod(p.store.socket(), 0o600)
	}
	if err != nil {
		p.log.Warn("no backup can be made while this server runs", "error", err)
		return
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /backup", func(w http.ResponseWriter, r *http.Request) {
		dir, began := r.FormValue("dir"), time.Now()
		if err := open.Backup(r.Context(), dir); err != nil {
			p.log.Error("no backup was made", "directory", dir, "error", err)
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		p.log.Info("made a backup", "directory", dir, "took", time.Since(began))
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	_ = server.Serve(listener) // it ends with ctx
}
