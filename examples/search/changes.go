package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
)

// change is a line of `broadsheet changes`, so much of it as is needed. The first one has a cursor
// alone.
type change struct {
	Cursor string `json:"cursor"`
	Kind   string `json:"kind"`
	PostID string `json:"postId"`
}

// touchesIndex reports whether a post has to be fetched anew. Comments, likes and names are not indexed.
func (c change) touchesIndex() bool {
	return c.Kind == "postCreated" || c.Kind == "postUpdated" || c.Kind == "postDeleted"
}

// errExpired says that changes after the cursor are kept no more.
var errExpired = errors.New("the changes since the index's cursor are kept no more")

// expired is the exit code by which the command says so, see docs/changes.md.
const expired = 3

// changes is `broadsheet changes` under way.
type changes struct {
	lines   chan change // closed when there are no more
	command *exec.Cmd
	cancel  context.CancelFunc
	err     error // of a line that was none, once lines is closed
}

// startChanges starts the command, to print what follows a cursor; "": what follows from now on.
func startChanges(ctx context.Context, args []string, after string) (*changes, error) {
	if after != "" {
		args = append(args[:len(args):len(args)], "--after", after)
	}
	ctx, cancel := context.WithCancel(ctx)
	c := &changes{lines: make(chan change, 1000), command: exec.CommandContext(ctx, args[0], args[1:]...), cancel: cancel}
	c.command.Stdin = os.Stdin
	c.command.Stderr = os.Stderr
	out, err := c.command.StdoutPipe()
	if err == nil {
		err = c.command.Start()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	go c.read(ctx, out)
	return c, nil
}

func (c *changes) read(ctx context.Context, out io.Reader) {
	defer close(c.lines)
	for in := json.NewDecoder(out); ; {
		var line change
		if err := in.Decode(&line); err == io.EOF {
			return
		} else if err != nil {
			c.err = err
			c.cancel()
			return
		}
		select {
		case c.lines <- line:
		case <-ctx.Done():
			return
		}
	}
}

// stop ends the command, where it has not ended, and returns how it did.
func (c *changes) stop() error {
	c.cancel()
	for range c.lines {
	}
	return c.end()
}

// end returns how the command ended, once lines is closed.
func (c *changes) end() error {
	err := c.command.Wait()
	c.cancel()
	if c.command.ProcessState.ExitCode() == expired {
		return errExpired
	}
	return errors.Join(c.err, err)
}

// next waits for a line and gathers those that came with it: the posts to fetch, each once, and the
// cursor after them. It reports false when there are no more lines.
func (c *changes) next() (posts []string, cursor string, ok bool) {
	line, more := <-c.lines
	for seen := map[string]bool{}; more; {
		cursor, ok = line.Cursor, true
		if line.touchesIndex() && !seen[line.PostID] {
			seen[line.PostID] = true
			posts = append(posts, line.PostID)
		}
		if len(posts) == atOnce {
			break
		}
		select {
		case line, more = <-c.lines:
		default:
			more = false
		}
	}
	return posts, cursor, ok
}
