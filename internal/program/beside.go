package program

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/pace"
)

// storeCommand is a command on what a store holds. Where a server has the embedded store open, which
// is one process's at a time, the command is given to that one at a socket, and carried out there.
type storeCommand interface {
	on(ctx context.Context, p *program, store blog.Store) error
}

// storeCommands are those that there are, by their names at the socket.
var storeCommands = func() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for _, c := range []storeCommand{&backupCommand{}, &changesCommand{}, &rebuildCommand{}, &userEdit{}, &userErase{}, &userRelink{}, &verifyCommand{}} {
		all[nameOf(c)] = reflect.TypeOf(c).Elem()
	}
	return all
}()

func nameOf(c storeCommand) string {
	return strings.TrimSuffix(reflect.TypeOf(c).Elem().Name(), "Command")
}

// order is what a process asks of the server that has the store open.
type order struct {
	Command string
	Flags   json.RawMessage
}

// reply is what the server says meanwhile, and once at the end.
type reply struct {
	Printed []byte
	Ended   bool
	Error   string
	Kind    blog.Kind
}

// onExisting carries out a command on the store that the flags name, which has to be there: a
// mistyped directory is an error, not a new and empty store.
func (p *program) onExisting(ctx context.Context, c storeCommand) error {
	if err := p.store.WantExisting(); err != nil {
		return err
	}
	if p.store.Store == StoreEmbedded {
		if server, err := new(net.Dialer).DialContext(ctx, "unix", p.store.socket()); err == nil { // else the directory's lock says whether there is one
			return p.give(ctx, server, c)
		}
	}
	return p.with(ctx, func(store blog.Store) error { return c.on(ctx, p, store) })
}

// socket is where a server takes commands. Who may use it the file's mode says: the server's own user.
func (f *StoreFlags) socket() string { return filepath.Join(f.DataDir, "server.sock") }

// give has a server carry a command out, and prints what that prints.
func (p *program) give(ctx context.Context, server net.Conn, c storeCommand) error {
	defer server.Close()
	defer context.AfterFunc(ctx, func() { server.Close() })()
	flags, err := json.Marshal(c)
	if err == nil {
		err = json.NewEncoder(server).Encode(order{nameOf(c), flags})
	}
	for replies := json.NewDecoder(server); err == nil; {
		var r reply
		if err = replies.Decode(&r); err == nil {
			_, err = p.stdout.Write(r.Printed)
		}
		if r.Error != "" {
			return blog.Errorf(r.Kind, "%s", r.Error)
		}
		if r.Ended {
			return err
		}
	}
	return fmt.Errorf("the server that has the store open carries it out no further: %w", cmp.Or(ctx.Err(), err))
}

// takeCommands listens at the socket, and carries out the commands that are given there, until ctx ends.
func (p *program) takeCommands(ctx context.Context, store blog.Store, beside *sync.WaitGroup) {
	if p.store.Store != StoreEmbedded {
		return
	}
	_ = os.Remove(p.store.socket()) // of a server that was killed: the directory is this one's
	listener, err := new(net.ListenConfig).Listen(ctx, "unix", p.store.socket())
	if err == nil {
		err = os.Chmod(p.store.socket(), 0o600)
	}
	if err != nil {
		p.log.Warn("no backup can be made, and no other command given, while this server runs", "error", err)
		return
	}
	made, _ := os.Lstat(p.store.socket())
	listener.(*net.UnixListener).SetUnlinkOnClose(false) // by its path, where another server's may be by then
	context.AfterFunc(ctx, func() {
		if now, err := os.Lstat(p.store.socket()); err == nil && os.SameFile(now, made) {
			_ = os.Remove(p.store.socket())
		}
		listener.Close()
	})
	beside.Go(func() {
		for ctx.Err() == nil {
			client, err := listener.Accept()
			if err != nil {
				_ = pace.Wait(ctx, time.Second) // for lack of file descriptors
				continue
			}
			beside.Go(func() { p.carryOut(ctx, store, client) })
		}
	})
}

// carryOut carries out a command for another process, until that ends or this one does.
func (p *program) carryOut(ctx context.Context, store blog.Store, client net.Conn) {
	defer client.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { client.Close() })()
	var o order
	orders, replies := json.NewDecoder(client), json.NewEncoder(client)
	if orders.Decode(&o) != nil {
		return
	}
	go func() {
		_ = orders.Decode(new(order)) // none comes: it ends with the other process
		cancel()
	}()
	began := time.Now()
	err := blog.SafelyLogged(p.log, func() error {
		kind, known := storeCommands[o.Command]
		if !known {
			return errOtherVersion
		}
		c, flags := reflect.New(kind).Interface().(storeCommand), json.NewDecoder(bytes.NewReader(o.Flags))
		if flags.DisallowUnknownFields(); flags.Decode(c) != nil {
			return errOtherVersion
		}
		return cmp.Or(c.on(ctx, &program{stdout: printing{replies}, stderr: io.Discard, log: p.log, store: p.store, beside: true}, store), ctx.Err())
	})
	end := reply{Ended: true}
	if err != nil {
		end.Error, end.Kind = err.Error(), blog.KindOf(err)
	}
	_ = replies.Encode(end)
	p.log.Info("carried out a command for another process", "command", o.Command, "took", time.Since(began), "error", end.Error)
}

var errOtherVersion = errors.New("the server that has the store open is of another version, and knows no such command: use its own program")

// printing sends what a command prints.
type printing struct{ *json.Encoder }

func (p printing) Write(b []byte) (int, error) { return len(b), p.Encode(reply{Printed: b}) }
