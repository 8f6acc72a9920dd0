package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"time"

	"broadsheet/benchmarks/floor"
	"broadsheet/benchmarks/measure"
)

// serveFloor serves the floor, on loopback, until ctx ends: it knows nobody and refuses nothing.
func (b *benchmark) serveFloor(ctx context.Context) error {
	config := b.Store.Cassandra(b.log)
	handler, err := floor.Open(ctx, config)
	if err != nil {
		return err
	}
	defer handler.Close()
	var listening net.ListenConfig
	listener, err := listening.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	fmt.Fprintf(b.stdout, "floor at http://%s\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// floor loads the server and the floor in turn, each a process of its own on the same store.
func (b *benchmark) floor(ctx context.Context) (err error) {
	t, err := b.open(ctx, "_bench", b.Users, &measure.Meter{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	sample, err := measure.TakeSample(ctx, t.store)
	if err != nil {
		return err
	}
	graphQL, err := t.serve(ctx)
	if err != nil {
		return err
	}
	bare, err := startSubprocess(ctx, regexp.MustCompile(`http://\S+`), t.environment(), floorWord)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bare.stop()) }()

	most, node := slices.Max(b.Connections), nodeCPU(t.Store.Hosts)
	return b.measurePairs(ctx, measure.Pairs{
		Store: "cassandra store", OneStore: true,
		Contenders: [2]measure.Contender{
			{Name: "GraphQL", Server: b.graphQL(graphQL.url), Sample: sample, CPU: graphQL.cpu, Node: node},
			{Name: "floor", Server: measure.Plain(bare.url, most), Sample: sample, CPU: bare.cpu, Node: node},
		},
	})
}
