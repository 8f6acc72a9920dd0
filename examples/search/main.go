// Search keeps a full-text index of Broadsheet's posts by following the change feed. It shows how an
// outside consumer does that without losing or repeating anything, however often it is killed.
//
//	search [-index FILE] [-graphql URL] follow broadsheet changes --store cassandra …
//	search [-index FILE] for WORD …
//
// follow starts the command that is named, with --after and the cursor that the index holds, and
// brings what changed into the index. A line of the feed says which post changed and nothing of it,
// so the post is fetched by the API; one that is gone is taken out. The new state of the posts and the
// cursor of the last line are saved in one transaction (index.go): a death between two of them leaves
// the index at a cursor to which it fits.
//
// Where the index is new, or the changes since its cursor are kept no more, it is built: first a
// cursor is taken, then the whole feed is read, and both are saved in one transaction. What changed
// while the feed was read follows that cursor and is fetched again.
//
// Titles and texts are indexed, and names of authors are not. An index that has them would, at a
// userUpdated, bring in that author's posts, by userPosts.
//
// for prints the posts that have all of the words, the best match first: a JSON object a line, with
// the post's id and title.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	log.SetPrefix("search: ")
	log.SetFlags(0)
	file := flag.String("index", "posts.db", "the `FILE` of the index")
	url := flag.String("graphql", "http://127.0.0.1:8080/graphql", "the `URL` of the API")
	flag.Usage = usage
	flag.Parse()
	if flag.NArg() < 2 {
		usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	switch rest := flag.Args()[1:]; flag.Arg(0) {
	case "follow":
		err = follow(ctx, *file, api{*url}, rest)
	case "for":
		err = search(ctx, *file, rest)
	default:
		usage()
		os.Exit(2)
	}
	if err != nil && ctx.Err() == nil {
		log.Fatal(err)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage:\n  search [-index FILE] [-graphql URL] follow broadsheet changes --store cassandra …\n  search [-index FILE] for WORD …")
	flag.PrintDefaults()
}

func follow(ctx context.Context, file string, posts api, command []string) error {
	index, err := openIndex(ctx, file)
	if err != nil {
		return err
	}
	f := follower{index: index, api: posts, command: command}
	return errors.Join(f.run(ctx), index.close())
}

func search(ctx context.Context, file string, words []string) error {
	found, err := find(ctx, file, words)
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for _, h := range found {
		if err := out.Encode(h); err != nil {
			return err
		}
	}
	return nil
}
